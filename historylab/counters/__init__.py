"""Counters: how many tokens a message takes."""
