"""Summarizers write the text that stands for what is no longer sent."""
