"""Exporters: settings in the formats other tools read."""
