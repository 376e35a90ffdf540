"""Recordings: what an app sent and was answered, as lines in a store."""

from historylab.recordings.place import open_recording

__all__ = ["open_recording"]
