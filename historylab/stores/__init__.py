"""Stores: a family that keeps the state of a Trimmer and the lines of a recording."""
