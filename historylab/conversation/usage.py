"""The model of a transcript: its name, and the usage its provider reported."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import takewhile

from historylab.conversation.message import MOST_TOKENS, Message, ReadMessages, Usage

MODEL = "model"
"""The key of a conversation's and of an answer's metadata that names the model."""

AGENT_TYPE = "agent_type"
"""The key of a conversation's metadata that names the kind of agent whose requests these are."""

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


def usage_by_request(conversation: ReadMessages) -> tuple[Usage | None, ...]:
    """The provider's usage of each request, or None: the first among the messages that answer it."""
    return conversation.remember("usage by request", lambda: _usage_by_request(conversation))


def _usage_by_request(conversation: ReadMessages) -> tuple[Usage | None, ...]:
    found = (answer_with_usage(conversation, size) for size in conversation.columns.requests.tolist())
    return tuple(None if i is None else usage_of(conversation[i]) for i in found)


def answer_with_usage(conversation: ReadMessages, size: int) -> int | None:
    """The first message with usage among those that answer the request of that history length; None without one."""
    answers = takewhile(lambda i: conversation[i].role == "assistant", range(size, len(conversation)))
    return next((i for i in answers if (usage := usage_of(conversation[i])) and usage.context), None)
