"""Text as a double-quoted YAML scalar, the one style that can represent every character."""

from __future__ import annotations


def in_quotes(text: str) -> str:
    """The text as a YAML scalar that no parser takes for a number, a date or `yes`."""
    return '"' + "".join(map(_escape, text)) + '"'


def _escape(character: str) -> str:
    if character in '"\\':
        return "\\" + character
    if character.isprintable():
        return character
    return f"\\u{ord(character):04x}" if ord(character) <= 0xFFFF else f"\\U{ord(character):08x}"
