"""Pruners cut history until it fits the budget."""
