"""Generators make conversations from a seed."""
