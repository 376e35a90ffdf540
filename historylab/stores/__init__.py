"""Stores: a family that keeps conversations, the state of a Trimmer, and the lines of a recording."""
