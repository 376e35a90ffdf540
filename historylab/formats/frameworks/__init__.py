"""Formats of frameworks: messages as a library serialises or stores them."""
