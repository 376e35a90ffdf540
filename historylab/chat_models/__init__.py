"""Chat models: the only family that may reach a network."""
