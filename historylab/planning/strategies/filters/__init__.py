"""Filters leave out what was never meant for this agent."""
