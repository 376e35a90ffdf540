"""Stores keep conversations."""
