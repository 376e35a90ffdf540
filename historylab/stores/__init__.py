"""Stores keep state and records."""
