"""Streamlit, and nothing else, besides app.py and pages/."""
