"""Secrets: what looks like a key, or stands under the name of one, and texts without it."""
