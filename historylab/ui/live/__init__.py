"""Live: the conversations of a recording, as they happen."""
