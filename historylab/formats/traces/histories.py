"""Histories that grow from one logged request to the next, as JSON text: only what is new of each is read."""

from __future__ import annotations

from collections import deque
from typing import Any

from historylab.conversation.message import Message
from historylab.formats.base import Report
from historylab.formats.messages.fields import unpack_json
from historylab.formats.traces.parts import has_parts, read_parts_messages

RECENT = 4  # histories that may grow side by side


class Histories:
    """Reads lists of messages with parts, each of which may begin with all of an earlier one."""

    def __init__(self) -> None:
        self._recent: deque[tuple[str, list[Message], Report]] = deque(maxlen=RECENT)

    def read(self, text: str, report: Report, where: str) -> list[Message] | None:
        """The messages of a JSON text, with all remarks on them; None if it is no list of messages with parts."""
        text = text.strip()
        known, messages, told = next((r for r in self._recent if _grows(text, r[0])), ("[", [], report.apart()))
        items = _items(text, len(known) - 1)
        if items is None or not (has_parts(items) or (known != "[" and not items)):
            return None
        own = report.apart()
        messages = messages + read_parts_messages(items, own, where)
        own.add(told, "")
        report.add(own, "")
        self._recent.appendleft((text, messages, own))
        return messages


def _grows(text: str, before: str) -> bool:
    """Whether a list begins with another one, or is the same."""
    return text.startswith(before[:-1]) and text[len(before) - 1 :].lstrip()[:1] in (",", "]")


def _items(text: str, start: int) -> list[Any] | None:
    """The items of a list from that character on; None if it is none."""
    rest = text[start:].lstrip()
    found = unpack_json(f"[{rest[1:]}" if rest[:1] in (",", "[") else f"[{rest}")
    return found if isinstance(found, list) else None
