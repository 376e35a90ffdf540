"""Exporters write settings in the forms other tools read."""
