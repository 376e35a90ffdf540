"""The settings sidebar."""
