"""Messages with parts, as OpenTelemetry's GenAI conventions have them: `{"role": …, "parts": [{"type": …}, …]}`.

Of histories that grow from one logged request to the next, as JSON text, only what is new of each is read.
Source: semantic conventions for generative AI, JSON schemas of gen_ai.input.messages and gen_ai.output.messages.
"""

from __future__ import annotations

from collections import deque
from typing import Any

from historylab.conversation.message import Message
from historylab.formats.base import Report, kind_of
from historylab.formats.messages.answers import AnswerParts
from historylab.formats.messages.content_parts import json_text
from historylab.formats.messages.fields import list_in, text_in, unpack_json
from historylab.formats.messages.kept_records import keep_records
from historylab.formats.messages.provider_cuts import COMPACTION
from historylab.formats.messages.walker import table_of, text_at, walk_parts, words_in

RESULT = "tool_call_response"
NO_SUMMARY = "a compacted history whose text is not in the file"
RECENT = 4  # histories that may grow side by side


def _result(part: Any, said: AnswerParts, where: str, report: Report) -> None:
    """Add a result as a message of its own, before the text that stands beside it."""
    given = next((part[name] for name in ("response", "result", "content") if name in part), None)
    said.made.append(Message("tool", json_text(given), tool_call_id=text_at(part, "id") or None))


def _compaction(part: Any, said: AnswerParts, where: str, report: Report) -> None:
    said.metadata = {COMPACTION: True}
    said.say(words_in(part.get("content"))[0])
    if not part.get("content"):
        report.warn(NO_SUMMARY, where)


KINDS = table_of(
    {
        "text": {"text": "content"},
        "reasoning": {"thinking": "content"},
        COMPACTION: _compaction,
        RESULT: _result,
        "tool_call": {"call": {"id": "id", "name": "name", "arguments": "arguments"}},
        **{kind: {"media": "modality", "text": "transcript"} for kind in ("blob", "uri", "file")},
    }
)
OWN = KINDS.keys() - {"text"}
ROLES = {"model": "assistant", "developer": "system", "ai": "assistant", "human": "user"}


def has_parts(items: list[Any]) -> bool:
    """Whether these are messages of that shape, and none of the others' that have parts."""
    parts = [part for item in items if isinstance(item, dict) for part in list_in(item, "parts")]
    return bool(parts) and all(map(_is_own, parts))


def read_parts_messages(items: list[Any], report: Report, where: str) -> list[Message]:
    """The messages; a result is one of its own."""
    return [message for i, item in enumerate(items) for message in _messages(item, f"{where}[{i}]".strip(), report)]


@keep_records
def _messages(item: Any, where: str, report: Report) -> list[Message]:
    if not isinstance(item, dict) or not isinstance(role := item.get("role"), str):
        report.skip("no role" if isinstance(item, dict) else f"{kind_of(item)}, not an object", where)
        return []
    report.records += 1
    said = AnswerParts(role=ROLES.get(role, role), name=text_in(item, "name"))
    parts = [{"type": "text", **part} if isinstance(part, dict) else part for part in list_in(item, "parts")]
    walk_parts(parts, "type", KINDS, said, where, report)
    if isinstance(item.get("content"), str) and not item.get("parts"):
        said.say(item["content"])
    return said.messages()


def _is_own(part: Any) -> bool:
    if not isinstance(part, dict):
        return isinstance(part, str)
    kind = str(part.get("type"))
    return kind in OWN or ("content" in part and "text" not in part) or kind.startswith("server_tool_call")


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
    """Tell whether a list begins with another one, or is the same."""
    return text.startswith(before[:-1]) and text[len(before) - 1 :].lstrip()[:1] in (",", "]")


def _items(text: str, start: int) -> list[Any] | None:
    """The items of a list from that character on; None if it is none."""
    rest = text[start:].lstrip()
    found = unpack_json(f"[{rest[1:]}" if rest[:1] in (",", "[") else f"[{rest}")
    return found if isinstance(found, list) else None
