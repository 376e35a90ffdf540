"""Formats of products and agents: exports, session files and evaluation logs."""
