"""The trimmers of frameworks, one file each: what the library needs to be told, and the call."""
