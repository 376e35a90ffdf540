"""How libraries and APIs hold messages, one file each."""
