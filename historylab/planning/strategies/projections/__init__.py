"""Projections rewrite messages, from one point of view, before anything is decided."""
