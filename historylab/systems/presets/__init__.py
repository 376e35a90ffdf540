"""Presets: published systems as choices on screen, one file each."""
