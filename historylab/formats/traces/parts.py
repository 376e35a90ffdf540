"""Messages with parts, as OpenTelemetry's GenAI conventions have them: `{"role": …, "parts": [{"type": …}, …]}`.

Source: semantic conventions for generative AI, JSON schemas of gen_ai.input.messages and gen_ai.output.messages.
"""

from __future__ import annotations

from typing import Any

from historylab.conversation.message import Message, ToolCall
from historylab.formats.base import Report, kind_of
from historylab.formats.messages.content_parts import json_text
from historylab.formats.messages.fields import list_in
from historylab.formats.messages.kept_records import keep_records
from historylab.formats.messages.provider_cuts import COMPACTION

MEDIA_PARTS = ("blob", "uri", "file")
OWN_PARTS = ("tool_call", "tool_call_response", "reasoning", "compaction", *MEDIA_PARTS)
ROLES = {"model": "assistant", "developer": "system", "ai": "assistant", "human": "user"}
MEDIA = {"image": "image", "audio": "audio"}
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
    read = _Read(report, where)
    for part in list_in(item, "parts"):
        read.part(part)
    if isinstance(item.get("content"), str) and not item.get("parts"):
        read.texts.append(item["content"])
    said = read.texts or read.calls or read.media or read.metadata
    name = item.get("name") if isinstance(item.get("name"), str) else None
    message = Message(
        ROLES.get(role, role),
        "\n".join(filter(None, read.texts)),
        name=name,
        tool_calls=tuple(read.calls),
        media=tuple(read.media),
        metadata=read.metadata,
    )
    return read.results + ([message] if said or not read.results else [])


class _Read:
    """The contents of the parts of one message."""

    def __init__(self, report: Report, where: str):
        self.report, self.where = report, where
        self.texts: list[str] = []
        self.calls: list[ToolCall] = []
        self.results: list[Message] = []
        self.media: list[str] = []
        self.metadata: dict[str, Any] = {}

    def part(self, part: Any) -> None:
        """Read one part; what can't be read is named on the report."""
        kind = part.get("type") if isinstance(part, dict) else None
        text = part.get("content") if isinstance(part, dict) else part
        if kind == "tool_call":
            self.calls.append(
                ToolCall(_label(part.get("id")), _label(part.get("name")), json_text(part.get("arguments")))
            )
        elif kind == "tool_call_response":
            given = next((part[name] for name in ("response", "result", "content") if name in part), None)
            self.results.append(Message("tool", json_text(given), tool_call_id=_label(part.get("id")) or None))
        elif kind == "reasoning" and isinstance(text, str):
            self.metadata["thinking"] = "\n".join(filter(None, (self.metadata.get("thinking"), text)))
        elif kind in MEDIA_PARTS:
            self.media.append(MEDIA.get(str(part.get("modality")), "file"))
            self.texts += [part["transcript"]] if isinstance(part.get("transcript"), str) else []
        elif kind == "compaction":
            self.metadata[COMPACTION] = True
            if isinstance(text, str) and text:
                self.texts.append(text)
            else:
                self.report.warn(NO_SUMMARY, self.where)
        elif kind in ("text", None) and isinstance(text, str):
            self.texts.append(text)
        else:
            self.report.warn(f"a part of type {str(kind)[:40]!r} not read", self.where)


def _is_own(part: Any) -> bool:
    if not isinstance(part, dict):
        return isinstance(part, str)
    kind = part.get("type")
    return kind in OWN_PARTS or ("content" in part and "text" not in part) or str(kind).startswith("server_tool_call")


def _label(value: Any) -> str:
    return value if isinstance(value, str) else str(value) if type(value) is int else ""
