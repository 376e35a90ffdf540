"""The Settings sources page."""
