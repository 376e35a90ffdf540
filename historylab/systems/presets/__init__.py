"""Presets: published systems, and what providers' APIs do themselves, as choices on screen, one file each."""
