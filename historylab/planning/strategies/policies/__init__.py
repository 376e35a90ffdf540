"""Policies are the explicit wish, obeyed before any budget."""
