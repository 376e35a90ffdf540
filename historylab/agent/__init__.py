"""The live loop."""
