"""Field mappings, the former name of shapes."""

from historylab.formats.shapes.shape import Shape as FieldMapping

__all__ = ["FieldMapping"]
