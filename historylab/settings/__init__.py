"""Where settings are defined, read and resolved."""
