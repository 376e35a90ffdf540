"""Chat models answer; the only family that may reach a network."""
