"""Writes conversations in another format, and says what that format has no place for."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from historylab.conversation.conversation import Conversation
from historylab.errors import LoadError
from historylab.formats.base import Losses, Write
from historylab.registry import Member, member, members

LOSSLESS = "historylab"
"""The format that keeps every message whole."""
SURROGATE = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True)
class WrittenConversations:
    """Conversations written in one format: `text` is JSON, or JSON lines where there are several of them."""

    text: str
    losses: Losses
    suffix: str


def writable_formats() -> Mapping[str, Member]:
    """The formats that can be written, by name: the lossless one first."""
    able = {name: m for name, m in members("format").items() if m.attributes.get("write")}
    return dict(sorted(able.items(), key=lambda item: (item[0] != LOSSLESS, item[1].title)))


def write(conversations: Conversation | Iterable[Conversation], format: str = LOSSLESS) -> WrittenConversations:
    """Write one conversation as a JSON document, or several as JSON lines, in that format.

    Raises UnknownMember for an unknown format, LoadError for one that is only read.
    """
    if isinstance(conversations, Conversation):
        text, losses = _document(conversations, format, indent=1)
        return WrittenConversations(text, losses, ".json")
    total, lines = Losses(), []
    for conversation in conversations:
        text, losses = _document(conversation, format)
        lines.append(text)
        for what, count in losses.counts.items():
            total.lose(what, count)
    return WrittenConversations("".join(lines), total, ".jsonl")


def _document(conversation: Conversation, format: str, indent: int | None = None) -> tuple[str, Losses]:
    chosen = member("format", format)
    writer: Write | None = chosen.attributes.get("write")
    if writer is None:
        raise LoadError(f"{chosen.title} is only read, not written; choose one of {', '.join(writable_formats())}")
    losses = Losses()
    value = writer(conversation, losses)
    text = json.dumps(value, ensure_ascii=False, indent=indent)
    # A lone surrogate is no UTF-8; escaped it survives.
    return (json.dumps(value, indent=indent) if SURROGATE.search(text) else text) + "\n", losses
