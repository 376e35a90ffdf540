"""Cursor: the chats in `state.vscdb`, each a composer with its bubbles, one for every thing said or done.

A bubble of the model is thinking, text, or a call with its result; one that calls is the last of an answer. Composers
say in which order their bubbles come; older ones hold them. A composer that another began is a sub-agent's.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import Any

from historylab.conversation.conversation import Conversation
from historylab.conversation.recorded import SIDECHAIN
from historylab.formats.base import Report
from historylab.formats.files.content import Content
from historylab.formats.files.tables import has_table
from historylab.formats.messages.fields import as_list, object_in, objects_under, text_in, unpack_json
from historylab.formats.messages.paths import Located
from historylab.formats.products.cursor_cuts import BUBBLE as IN_BUBBLE
from historylab.formats.products.cursor_cuts import composer_summaries, cuts_of_composer
from historylab.formats.shapes.records import read_records
from historylab.registry import register

TABLE = "cursorDiskKV"
QUERY = f"SELECT key, CAST(value AS TEXT) AS value FROM {TABLE} WHERE key >= '{{0}}:' AND key < '{{0}};' ORDER BY rowid"
COMPOSER, BUBBLE = "composerData", "bubbleId"
ROLES = {"1": "user", "2": "assistant"}
"""Type of a bubble, as text → who speaks."""


def looks_like_cursor(content: Content) -> float:
    """0.95 for a database with Cursor's table."""
    return 0.95 if has_table(content, TABLE, "key value") else 0


@register(
    "format",
    title="Cursor",
    recognise=looks_like_cursor,
    source="kenn-io/agentsview, internal/parser, 0.42; getagentseal/codeburn, src/providers/cursor.ts, 2026",
    checked="kenn-io/agentsview, internal/parser/cursor_ide_test.go (of 2026-06)",
)
def cursor(content: Content, report: Report) -> Iterator[Conversation]:
    """Cursor's chats in its database, each composer a conversation."""
    bubbles = defaultdict[str, dict[str, Any]](dict)
    for row in content.rows(QUERY.format(BUBBLE)):
        _, composer, bubble = f"{row['key']}::".split(":")[:3]
        bubbles[composer][bubble] = row["value"]
    for row in content.rows(QUERY.format(COMPOSER)):
        composer, data = str(row["key"]).partition(":")[2], unpack_json(row["value"])
        if not isinstance(data, dict):
            report.pass_over("a composer that holds nothing", row["key"])
            continue
        located = list(_bubbles(composer, data, bubbles[composer]))
        if records := list(_records(located, _model(object_in(data, "modelConfig").get("modelName")), report)):
            about, told = _metadata(composer, data), list(composer_summaries(data, located))
            for read in read_records(records, report, text_in(data, "name") or "", about):
                cuts = cuts_of_composer(read.messages, records, told)
                yield Conversation(read.messages, read.title, {**read.metadata, **cuts})


def _metadata(composer: str, data: Mapping[str, Any]) -> dict[str, Any]:
    parent = text_in(object_in(data, "subagentInfo"), "parentComposerId")
    return {"session": parent, "agent": composer, SIDECHAIN: True} if parent else {"session": composer}


def _bubbles(composer: str, data: Mapping[str, Any], stored: Mapping[str, Any]) -> Iterator[Located]:
    """The bubbles of a composer in its order; all that are stored where it names none."""
    held = objects_under(data, "conversation")
    named = [each.get("bubbleId") for each in objects_under(data, "fullConversationHeadersOnly")]
    if held and not named:
        yield from ((f"{COMPOSER}:{composer} conversation[{i}]", each) for i, each in enumerate(held))
        return
    for bubble in named or stored:
        yield f"{BUBBLE}:{composer}:{bubble}", unpack_json(stored.get(str(bubble)))


def _records(bubbles: list[Located], model: str, report: Report) -> Iterator[Located]:
    """The words of people, and each answer: its bubbles up to one that calls."""
    answer: tuple[str, dict[str, Any]] | None = None
    for where, bubble in bubbles:
        role = ROLES.get(str(bubble.get("type"))) if isinstance(bubble, dict) else None
        parts = list(_parts(bubble)) if role else []
        if not role or not parts:
            report.pass_over("a bubble that says nothing", where)
            continue
        name = text_in(bubble, "bubbleId") or where.rpartition(":")[2]
        if answer is None or role == "user" or answer[1]["role"] == "user":
            if answer:
                yield answer
            about = {"id": name, "time": bubble.get("createdAt")}
            answer = where, {**about, "role": role, "parts": []}
        record = answer[1]
        record["parts"] += [{**part, IN_BUBBLE: name} for part in parts]
        record["model"] = _model(object_in(bubble, "modelInfo").get("modelName")) or record.get("model") or model
        if any((counts := object_in(bubble, "tokenCount")).values()):
            record["usage"] = {"input": counts.get("inputTokens"), "output": counts.get("outputTokens")}
        if parts[-1]["type"] == "call":
            yield answer
            answer = None
    if answer:
        yield answer


def _parts(bubble: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    if thought := text_in(object_in(bubble, "thinking"), "text"):
        yield {"type": "thinking", "text": thought}
    if text := text_in(bubble, "text"):
        yield {"type": "text", "text": text}
    yield from ({"type": "image"} for _ in as_list(bubble.get("images")))
    tool = object_in(bubble, "toolFormerData")
    if name := text_in(tool, "name"):
        arguments = tool.get("rawArgs") or tool.get("params")
        call = {"id": tool.get("toolCallId") or bubble.get("bubbleId"), "name": name, "arguments": arguments}
        ended = {field: tool[field] for field in ("result", "error") if tool.get(field)}
        yield {"type": "call", **call, **ended}


def _model(name: Any) -> str:
    """The model's name; none where Cursor chose."""
    return name if isinstance(name, str) and name != "default" else ""
