"""Counters say how many tokens a message takes."""
