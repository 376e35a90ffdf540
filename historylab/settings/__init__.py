"""Settings: their definitions, their sources, and which source wins."""
