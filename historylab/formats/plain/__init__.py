"""Formats of no particular tool: tables, rows, and plain text."""
