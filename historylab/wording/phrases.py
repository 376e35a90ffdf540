"""Phrases put together: the case of their first letter, and lists."""

from __future__ import annotations

from collections.abc import Sequence


def capitalize_first(text: str) -> str:
    """The text with a capital first letter, the rest unchanged (`str.capitalize` lowers it)."""
    return text[:1].upper() + text[1:]


def uncapitalize(text: str) -> str:
    """The text with a small first letter, the rest unchanged."""
    return text[:1].lower() + text[1:]


def list_in_words(words: Sequence[str]) -> str:
    """ "a, b and c" """
    return " and ".join(filter(None, (", ".join(words[:-1]), *words[-1:])))
