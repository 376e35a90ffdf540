"""Editing messages in place."""
