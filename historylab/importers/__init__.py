"""Importers turn files people have into conversations."""
