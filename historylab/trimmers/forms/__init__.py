"""The messages of libraries and APIs, one file each."""
