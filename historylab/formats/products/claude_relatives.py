"""Relatives of Claude Code: agents whose sessions are records of the same tree, brought into Claude Code's own form.

iFlow writes Anthropic's blocks, and a reply as several snapshots, each with the calls still open; its results are
Gemini's. Its links tell nothing: later answers hang on the first prompt. Checked against kenn-io/agentsview (0.40,
`internal/parser/iflow.go`) and its fixture's shape. Qwen Code writes Gemini's contents, and with a compression what is
sent from there on. Checked against QwenLM/qwen-code (0.24, `chatRecordingService.ts`) and agentsview's fixtures.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, TypeGuard

from historylab.conversation.conversation import Conversation
from historylab.formats.base import Report
from historylab.formats.files.content import Content
from historylab.formats.messages.anthropic_blocks import CALLS, RESULT, text_block
from historylab.formats.messages.branching import join_texts
from historylab.formats.messages.content_parts import medium_of
from historylab.formats.messages.fields import as_list, list_in, object_in, objects_under, text_in
from historylab.formats.messages.gemini_contents import read_part_run
from historylab.formats.messages.record_groups import located_items, value_recogniser
from historylab.formats.products.session_reader import has_content, read_sessions
from historylab.registry import register

IFLOW_SESSION = re.compile(r"session-[0-9a-f]{8}-")
OF_PROGRAM = ("notification", "background_task_completed", "goal_runtime", "agent_bootstrap")
"""Subtypes of Qwen Code's users that no person is."""


def is_of_iflow(value: Any) -> bool:
    """Tell whether a record is iFlow's: the id of its session says so."""
    return isinstance(value, dict) and IFLOW_SESSION.match(text_in(value, "sessionId") or "") is not None


def _has_parts(value: Any) -> TypeGuard[dict[str, Any]]:
    """Tell whether it is a record of the tree with a content of Gemini's."""
    of_tree = isinstance(value, dict) and "uuid" in value and "sessionId" in value
    return of_tree and isinstance(object_in(value, "message").get("parts"), list)


@register(
    "format",
    title="iFlow",
    recognise=value_recogniser(lambda value: has_content(value) and is_of_iflow(value)),
    marks="parentUuid sessionId toolUseResult",
    source="kenn-io/agentsview, internal/parser/iflow.go, 0.40",
    checked="bbingz/engram, tests/fixtures/adapter-parity/iflow",
)
def iflow(content: Content, report: Report) -> Iterator[Conversation]:
    """iFlow sessions: snapshots of a reply are one message, a call is made once."""
    yield from read_sessions(list(_of_iflow(content, report)), report, "iflow")


@register(
    "format",
    title="Qwen Code",
    recognise=value_recogniser(_has_parts),
    marks="parentUuid usageMetadata systemPayload",
    source="QwenLM/qwen-code, packages/core/src/services/chatRecordingService.ts, 0.24",
    checked="kenn-io/agentsview, internal/parser/qwen_test.go (of 0.15.6)",
)
def qwen_code(content: Content, report: Report) -> Iterator[Conversation]:
    """Qwen Code sessions: the newest path, with the others as branches, and what was sent after a compression."""
    seen: dict[int, str] = {}
    records = [made for at, v in located_items(content.values) for made in _of_qwen(v, at, seen, report)]
    yield from read_sessions(records, report, "qwen")


def _of_iflow(content: Content, report: Report) -> Iterator[tuple[str, Any]]:
    """The records one after another; those of a reply with one id, and without the calls of those before."""
    made, reply, last = set[str](), "", None
    for where, value in located_items(content.values):
        if not has_content(value):
            yield where, value
            continue
        parent, message = value.get("parentUuid"), value["message"]
        if value["type"] == "user" or parent != last:
            reply = str(value.get("uuid"))
        last = None if value["type"] == "user" else parent
        blocks = message["content"]
        if isinstance(blocks, list):
            blocks = [_block_of_iflow(block, where, report) for block in blocks if not _is_made(block, made)]
        linear = {name: held for name, held in value.items() if name != "parentUuid"}
        yield where, {**linear, "message": {**message, "id": reply, "content": blocks}}


def _is_made(block: Any, made: set[str]) -> bool:
    """Tell whether it is a call that was made before; if not, it is from now on."""
    name = block.get("id") if isinstance(block, dict) and block.get("type") in CALLS else None
    known = isinstance(name, str) and name in made
    made |= {name} if isinstance(name, str) else set()
    return known


def _block_of_iflow(block: Any, where: str, report: Report) -> Any:
    held = object_in(block, "content") if isinstance(block, dict) and block.get("type") == RESULT else {}
    parts = held.get("responseParts", held)
    return {**block, **_response(as_list(parts) or [parts], where, report)} if held else block


def _response(parts: list[Any], where: str, report: Report) -> dict[str, Any]:
    """The text of a result's parts, and whether it failed."""
    read = [read_part_run("user", [part], where, report) for part in parts]
    failed = any(message.metadata.get("is_error") for message in read)
    return {"content": join_texts(message.content for message in read), **({"is_error": True} if failed else {})}


def _of_qwen(value: Any, where: str, seen: dict[int, str], report: Report) -> Iterator[tuple[str, Any]]:
    """A record in Claude Code's form; of a compression the cut, and the summary after it. `seen`: content → its id."""
    payload = object_in(value, "systemPayload") if isinstance(value, dict) else {}
    if _has_parts(value) and value.get("subtype") != "realtime_message":
        parts = value["message"]["parts"]
        seen[_mark(parts)] = str(value["uuid"])
        blocks = [block for part in parts for block in _blocks_of_part(part, where, report)]
        said = {"content": blocks, "usage": value.get("usageMetadata"), "model": value.get("model")}
        kind = "user" if value.get("type") == "tool_result" else value.get("type")
        yield where, {**value, "type": kind, "message": said, "isMeta": str(value.get("subtype")) in OF_PROGRAM}
    elif isinstance(name := payload.get("customTitle"), str):
        yield where, {"type": "custom-title", "customTitle": name, "sessionId": value.get("sessionId")}
    elif isinstance(payload.get("compressedHistory"), list):
        yield from _compression(value, objects_under(payload, "compressedHistory"), where, seen, report)
    else:
        yield where, value


def _mark(parts: Any) -> int:
    return hash(json.dumps(parts, sort_keys=True))


def _compression(
    value: dict[str, Any], given: list[dict[str, Any]], where: str, seen: dict[int, str], report: Report
) -> Iterator[tuple[str, Any]]:
    told = object_in(object_in(value, "systemPayload"), "info")
    names = [seen.get(_mark(each.get("parts"))) for each in given]
    new = [each for each, name in zip(given, names, strict=True) if name is None and each.get("role") == "user"]
    blocks = [b for each in new for part in list_in(each, "parts") for b in _blocks_of_part(part, where, report)]
    counts = {"preTokens": told.get("originalTokenCount"), "postTokens": told.get("newTokenCount")}
    cut = {"trigger": told.get("triggerReason"), **counts, "preservedMessages": {"uuids": [n for n in names if n]}}
    place = f"{value.get('uuid')}/cut"
    report.records -= 1  # one record is two of Claude Code's
    yield where, {**value, "subtype": "compact_boundary", "uuid": place, "compactMetadata": cut}
    summary = {"type": "user", "parentUuid": place, "isCompactSummary": True, "message": {"content": blocks}}
    yield where, {**value, **summary, "subtype": None}


def _blocks_of_part(part: Any, where: str, report: Report) -> Iterator[Any]:
    """A part of Gemini's as Anthropic's block."""
    fields = part if isinstance(part, dict) else {}
    call, result = object_in(fields, "functionCall"), object_in(fields, "functionResponse")
    data = object_in(fields, "inlineData") or object_in(fields, "fileData")
    if text := text_in(fields, "text"):
        yield {"type": "thinking", "thinking": text} if fields.get("thought") is True else text_block(text)
    if call:
        yield {"type": "tool_use", "id": call.get("id"), "name": call.get("name"), "input": call.get("args")}
    if result:
        yield {"type": RESULT, "tool_use_id": result.get("id"), **_response([part], where, report)}
    if data:
        yield {"type": medium_of(data.get("mimeType"))}
    if not (text or call or result or data):
        report.warn("a part that says nothing, not read", where)
