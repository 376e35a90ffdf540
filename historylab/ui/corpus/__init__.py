"""The Corpus page."""
