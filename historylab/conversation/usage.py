"""The model of a transcript: its name, and the usage its provider reported."""

from __future__ import annotations

from collections.abc import Mapping

from historylab.conversation.message import MOST_TOKENS, Message, Usage

MODEL = "model"
"""The key of a conversation's and of an answer's metadata that names the model."""

TEXTLESS = "textless"
"""The key of a conversation's metadata that says its messages have a known size each, and no text."""


def _is_count(found: object) -> bool:
    return type(found) is int and 0 <= found <= MOST_TOKENS


def usage_of(message: Message) -> Usage | None:
    """The usage a provider reported for the request this message answers; None if the transcript has none."""
    return usage_held(message.metadata.get("usage"))


def usage_held(found: object) -> Usage | None:
    """The usage as metadata has it: an object of counts, or a Usage; None for anything else."""
    if isinstance(found, Usage):
        return found
    if not isinstance(found, Mapping) or not all(_is_count(found.get(f, 0)) for f in Usage.__slots__):
        return None
    return Usage(**{f: found[f] for f in Usage.__slots__ if f in found})


def model_name(given: object) -> str | None:
    """The name of a model as a transcript gives it; None if it is none ("<synthetic>", control characters)."""
    return given if isinstance(given, str) and given.isprintable() and given[:1].isalnum() else None
