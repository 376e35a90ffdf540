"""Compaction summarises above a threshold down to a target."""
