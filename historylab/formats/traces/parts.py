"""Messages with parts, as OpenTelemetry's GenAI conventions have them: `{"role": …, "parts": [{"type": …}, …]}`.

Source: semantic conventions for generative AI, JSON schemas of gen_ai.input.messages and gen_ai.output.messages.
"""

from __future__ import annotations

from typing import Any

from historylab.conversation.message import Message
from historylab.formats.base import Report, kind_of
from historylab.formats.messages.answers import AnswerParts
from historylab.formats.messages.content_parts import json_text
from historylab.formats.messages.fields import list_in, text_in
from historylab.formats.messages.kept_records import keep_records
from historylab.formats.messages.provider_cuts import COMPACTION
from historylab.formats.messages.walker import Table, text_at, walk_parts

RESULT = "tool_call_response"
KINDS: Table = {
    "text": {"text": "content"},
    "reasoning": {"thinking": "content"},
    COMPACTION: {"text": "content"},
    "tool_call": {"call": {"id": "id", "name": "name", "arguments": "arguments"}},
    **{kind: {"media": "modality", "text": "transcript"} for kind in ("blob", "uri", "file")},
}
OWN = KINDS.keys() - {"text"} | {RESULT}
ROLES = {"model": "assistant", "developer": "system", "ai": "assistant", "human": "user"}
NO_SUMMARY = "a compacted history whose text is not in the file"


def has_parts(items: list[Any]) -> bool:
    """Whether these are messages of that shape, and none of the others' that have parts."""
    parts = [part for item in items if isinstance(item, dict) for part in list_in(item, "parts")]
    return bool(parts) and all(map(_is_own, parts))


def read_parts_messages(items: list[Any], report: Report, where: str) -> list[Message]:
    """The messages; a result is a message of its own, before the text that stands beside it."""
    return [message for i, item in enumerate(items) for message in _messages(item, f"{where}[{i}]".strip(), report)]


@keep_records
def _messages(item: Any, where: str, report: Report) -> list[Message]:
    if not isinstance(item, dict) or not isinstance(role := item.get("role"), str):
        report.skip("no role" if isinstance(item, dict) else f"{kind_of(item)}, not an object", where)
        return []
    report.records += 1
    said, results = AnswerParts(role=ROLES.get(role, role), name=text_in(item, "name")), list[Message]()
    for part in list_in(item, "parts"):
        kind = part.get("type") if isinstance(part, dict) else None
        if kind == RESULT:
            given = next((part[name] for name in ("response", "result", "content") if name in part), None)
            results.append(Message("tool", json_text(given), tool_call_id=text_at(part, "id") or None))
            continue
        walk_parts([{"type": "text", **part} if isinstance(part, dict) else part], "type", KINDS, said, where, report)
        if kind == COMPACTION:
            said.metadata = {COMPACTION: True}
            if not part.get("content"):
                report.warn(NO_SUMMARY, where)
    if isinstance(item.get("content"), str) and not item.get("parts"):
        said.say(item["content"])
    if results and not (said.texts or said.thoughts or said.calls or said.media or said.metadata):
        return results
    return [*results, *said.messages()]


def _is_own(part: Any) -> bool:
    if not isinstance(part, dict):
        return isinstance(part, str)
    kind = str(part.get("type"))
    return kind in OWN or ("content" in part and "text" not in part) or kind.startswith("server_tool_call")
