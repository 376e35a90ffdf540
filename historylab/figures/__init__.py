"""Figures: the only place with plotly."""
