"""Records: the form into which readers bring what a program keeps in many places, and the shape that reads it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from historylab.conversation.conversation import Conversation
from historylab.formats.base import Report
from historylab.formats.messages.paths import Located
from historylab.formats.shapes.reading import read_shaped
from historylab.formats.shapes.shape import Shape

RECORD = Shape.of(
    {
        "role": "role",
        "name": "name",
        "text": "text",
        "thinking": "thinking",
        "parts": "parts",
        "kinds": {
            "text": {"text": "text"},
            "thinking": {"thinking": "text"},
            "call": {
                "call": {"id": "id", "name": "name", "arguments": "arguments"},
                "result": {"id": "id", "text": ["result", "error"]},
            },
            "image": {"media": "type"},
            "file": {"media": "type"},
        },
        "calls": {"items": "calls", "id": "id", "name": "name", "arguments": "arguments"},
        "answers": "answers",
        "time": "time",
        "model": "model",
        "id": "id",
        "injected": {"injected": [True]},
        "usage": {name: f"usage.{name}" for name in ("input", "output", "cache_reads", "cache_writes")},
    }
)


def read_records(
    records: Iterable[Located],
    report: Report,
    title: str | None = None,
    about: Mapping[str, Any] | None = None,
    shape: Shape = RECORD,
) -> Iterator[Conversation]:
    """The conversations of such records, with what is told of them elsewhere: a title, metadata."""
    for read in read_shaped(shape, list(records), report):
        titled = read.title if title is None else title
        yield Conversation(read.messages, titled, {**read.metadata, **(about or {})}, read.branches)
