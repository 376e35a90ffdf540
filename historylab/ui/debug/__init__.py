"""The debug drawer."""
