"""Strands' messages, which are Bedrock's: dicts with content blocks, all results of one answer in one of the user's.

The system prompt is the agent's own and stands beside the list; what is said in its role later on is the user's,
marked. The id that Strands tracks a message by (`tracking_id`) is our mark, or the marks of the results it holds. Of
images, sound and files there is a block without data, as a conversation holds none.
Source: `strands/types/content.py`, `strands/types/tools.py`.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from historylab.conversation.message import Message, ToolCall
from historylab.errors import LoadError
from historylab.formats.base import Losses, kind_of
from historylab.formats.messages.summary_marks import mark_summary, unmark_summary
from historylab.formats.messages.written import object_arguments, unwrap_arguments
from historylab.registry import register
from historylab.trimmers.base import ItemForm, WrittenItem, group_results

MARK = "tracking_id"
MEDIA = {"image": "image", "audio": "audio", "document": "file", "video": "file"}
"""Block → the name of the medium that it holds."""
BLOCKS = {"audio": ("audio", "wav"), "file": ("document", "pdf")}
Block = dict[str, Any]


@register("item_form", "strands")
class StrandsMessages(ItemForm):
    """A dict per message, with blocks named by their only field."""

    system_inside = False

    def write(self, messages: Sequence[Message], marks: Sequence[str]) -> list[WrittenItem]:
        written = []
        for places in group_results(messages):
            role = "assistant" if messages[places[0]].role == "assistant" else "user"
            blocks = [block for i in places for block in _to_blocks(messages[i])]
            mark = " ".join(marks[i] for i in places)
            written.append(WrittenItem({"role": role, "content": blocks, MARK: mark}, places))
        return written

    def read(self, item: Any) -> list[Message]:
        content = item.get("content") if isinstance(item, Mapping) else None
        if not isinstance(content, list) or item.get("role") not in ("user", "assistant"):
            raise LoadError(f"{kind_of(item)} without a role or a list of blocks, not a message of Strands")
        blocks = [_fields(block) for block in content]
        found = [_read_result(block["toolResult"]) for block in blocks if "toolResult" in block]
        said = [block for block in blocks if "toolResult" not in block]
        found += [_read_spoken(item["role"], said)] if said or not found else []
        marks = str(item.get(MARK) or "").split()
        return (
            [replace(m, id=mark) for m, mark in zip(found, marks, strict=True)] if len(marks) == len(found) else found
        )


def _to_blocks(message: Message) -> list[Block]:
    text = mark_summary(message.content) if message.role == "system" else message.content
    said = [*([{"text": text}] if text else []), *map(_medium, message.media)]
    if message.role != "tool":
        return [*said, *map(_call, message.tool_calls)]
    status = "error" if message.metadata.get("is_error") is True else "success"
    return [{"toolResult": {"toolUseId": message.tool_call_id or "", "status": status, "content": said}}]


def _call(call: ToolCall) -> Block:
    return {"toolUse": {"toolUseId": call.id, "name": call.name, "input": object_arguments(call, Losses())}}


def _medium(name: str) -> Block:
    kind, written = BLOCKS.get(name, ("image", "png"))
    return {kind: {"format": written, "source": {"bytes": b""}}}


def _read_spoken(role: str, blocks: Sequence[Block]) -> Message:
    text, media = "\n".join(_texts(blocks)), tuple(MEDIA[kind] for block in blocks for kind in block if kind in MEDIA)
    summary = unmark_summary(text) if role == "user" else None
    calls = tuple(_read_call(block["toolUse"]) for block in blocks if "toolUse" in block)
    spoken = Message("system", summary) if summary is not None else Message(role, text, tool_calls=calls)
    return unwrap_arguments(replace(spoken, media=media))


def _read_result(result: Any) -> Message:
    held = _fields(result)
    message = _read_spoken("tool", [_fields(block) for block in held.get("content") or ()])
    failed = {"is_error": True} if held.get("status") == "error" else {}
    return replace(message, tool_call_id=str(held.get("toolUseId") or "") or None, metadata=failed)


def _read_call(given: Any) -> ToolCall:
    call = _fields(given)
    arguments = json.dumps(call.get("input") or {}, ensure_ascii=False)
    return ToolCall(str(call.get("toolUseId") or ""), str(call.get("name") or ""), arguments)


def _texts(blocks: Sequence[Block]) -> Iterator[str]:
    for block in blocks:
        if isinstance(block.get("text"), str):
            yield block["text"]
        elif "json" in block:
            yield json.dumps(block["json"], ensure_ascii=False)


def _fields(given: Any) -> Block:
    if not isinstance(given, dict):
        raise LoadError(f"{kind_of(given)} where Strands has an object")
    return given
