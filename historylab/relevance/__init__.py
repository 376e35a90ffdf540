"""Relevance scorers rank messages against a question."""
