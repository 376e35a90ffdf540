"""Formats turn files people have into conversations."""
