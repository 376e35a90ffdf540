"""LlamaIndex chat messages: with blocks, or in the older form with content; lists, and chat stores of several chats.

    {"role": "user", "blocks": [{"block_type": "text", "text": "…"}], "additional_kwargs": {}}
    {"store": {"alice": [{"role": "user", "content": "…", "additional_kwargs": {}}]}, "class_name": "SimpleChatStore"}

Source: llama-index-core, base/llms/types.py and storage/chat_store/simple_chat_store.py.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from historylab.conversation.conversation import Conversation
from historylab.conversation.message import Message, ToolCall
from historylab.formats.base import Report, kind_of
from historylab.formats.files.content import Content
from historylab.formats.messages.answers import AnswerParts, tool_call
from historylab.formats.messages.chat_messages import iso_time, pair_by_order
from historylab.formats.messages.fields import list_in, object_in, text_in
from historylab.formats.messages.kept_records import keep_records
from historylab.formats.messages.record_groups import Grouping, RecordGroup
from historylab.formats.messages.walker import Table, walk_parts
from historylab.registry import register

ROLES = {"developer": "system", "function": "tool", "chatbot": "assistant", "model": "assistant"}
ROLES |= {role: role for role in ("system", "user", "assistant", "tool")}
BLOCKS: Table = {
    "text": {"text": "text"},
    "thinking": {"thinking": "content"},
    "tool_call": {"call": {"id": "tool_call_id", "name": "tool_name", "arguments": "tool_kwargs"}},
    **{kind: {"media": "block_type"} for kind in ("image", "audio", "video", "document")},
}
LABELS = {"block_type", "type", "num_tokens", "additional_information"}
READ = {"role", "blocks", "content", "additional_kwargs", "timestamp", "created_at"}
READ_OF_ADDITIONAL = {"tool_calls", "tool_call_id", "name", "id", "function_call", "is_error", "thinking"}
GROUPING = Grouping(("messages", "chat_history"), lambda value: _is_message(value))  # noqa: PLW0108


def looks_like_llamaindex(content: Content) -> float:
    """0.9 for messages with typed blocks, 0.8 for a chat store or messages with additional_kwargs and a role."""
    records = [record for group in _groups(content, Report()) for _, record in group.records[:50]]
    found = [record for record in records if _is_message(record)]
    if not found or len(found) * 2 < len(records):
        return 0
    blocks = [block for record in found for block in list_in(record, "blocks") if isinstance(block, dict)]
    return 0.9 if any("block_type" in block for block in blocks) else 0.8


@register("format", title="LlamaIndex messages", recognise=looks_like_llamaindex, marks="blocks block_type")
def llamaindex(content: Content, report: Report) -> Iterator[Conversation]:
    """Chat messages of LlamaIndex, as lists or in a chat store."""
    for group in _groups(content, report):
        messages = [message for where, record in group.records if (message := _read(record, where, report))]
        yield group.conversation(pair_by_order(messages), report)


def _groups(content: Content, report: Report) -> Iterator[RecordGroup]:
    """The chats of every store, and any other lists of messages."""
    for where, value in content.values:
        held = value.get("chat_store") if isinstance(value, dict) else None
        holder = value if held is None else held
        store = holder.get("store") if isinstance(holder, dict) else None
        if not isinstance(store, dict):
            continue
        beside = {k: v for k, v in value.items() if k not in ("store", "chat_store", "class_name")}
        for key, messages in store.items():
            at = f"{where} store[{key[:40]!r}]".strip()
            records = [(f"{at}[{i}]", record) for i, record in enumerate(list_in(store, key))]
            if isinstance(messages, list):
                yield RecordGroup(records, {**beside, "title": key}, at)
            else:
                report.skip(f"{kind_of(messages)}, not a list of messages", at)
    yield from GROUPING.groups([pair for pair in content.values if not _has_store(pair[1])], report)


def _has_store(value: Any) -> bool:
    holder = value.get("chat_store", value) if isinstance(value, dict) else None
    return isinstance(holder, dict) and isinstance(holder.get("store"), dict)


def _is_message(value: Any) -> bool:
    if not isinstance(value, dict) or not isinstance(value.get("role"), str):
        return False
    return isinstance(value.get("blocks"), list) or isinstance(value.get("additional_kwargs"), dict)


@keep_records
def _read(record: Any, where: str, report: Report) -> Message | None:
    given = text_in(record, "role") if isinstance(record, dict) else None
    if given is None:
        report.skip(f"{kind_of(record)} without a role", where)
        return None
    report.records += 1
    report.leave(record, READ, where)
    extra = object_in(record, "additional_kwargs")
    report.leave(extra, READ_OF_ADDITIONAL, where)
    role = ROLES.get(given, given)
    if given not in ROLES:
        report.warn(f"unknown role {role[:40]!r}, kept as conversation", where)
    raw_time = record.get("timestamp") or record.get("created_at")
    time = iso_time(raw_time) if raw_time else None
    answer = AnswerParts(text_in(extra, "id"), time, role=role, name=text_in(extra, "name"))
    if isinstance(extra.get("thinking"), str):
        answer.think(extra["thinking"])
    if not isinstance(record.get("blocks"), list | None):
        report.warn(f"blocks that are {kind_of(record['blocks'])}, not read", where)
    blocks = record["blocks"] if isinstance(record.get("blocks"), list) else _blocks_of(record.get("content"))
    walk_parts(_unwrap(blocks), "block_type", BLOCKS, answer, where, report, LABELS)
    for call in _calls(extra, {call.id for call in answer.calls}):
        answer.call(call)
    message = answer.messages()[0]
    if role != "tool" and not (message.content or message.tool_calls or message.media):
        report.warn("empty content", where)
    if role != "tool":
        return message
    error = {"is_error": True} if extra.get("is_error") is True else {}
    called = text_in(extra, "tool_call_id")
    return Message("tool", message.content, message.id, message.name, (), called, message.media, time, False, error)


def _blocks_of(content: Any) -> list[Any]:
    """The content of an older dump, as blocks."""
    return content if isinstance(content, list) else [content] if content is not None else []


def _unwrap(blocks: list[Any]) -> Iterator[Any]:
    """The blocks, and those within one that can be cited, each with its type."""
    for block in blocks:
        named = {"block_type": block.get("type", "text"), **block} if isinstance(block, dict) else block
        if isinstance(block, dict) and named["block_type"] == "citable":
            yield from _unwrap(list_in(block, "content"))
        else:
            yield named


def _calls(extra: dict[str, Any], known: set[str]) -> Iterator[ToolCall]:
    """The calls beside the blocks: as OpenAI has them, or as LlamaIndex's own selections; those of `known` ids not."""
    old = [{"function": extra["function_call"]}] if isinstance(extra.get("function_call"), dict) else []
    for call in list_in(extra, "tool_calls") or old:
        if not isinstance(call, dict):
            continue
        function = object_in(call, "function") or call
        id, name = call.get("id") or call.get("tool_id"), function.get("name") or function.get("tool_name")
        arguments = (function[key] for key in ("arguments", "input", "tool_kwargs") if key in function)
        made = tool_call(id, name, next(arguments, None))
        if not made.id or made.id not in known:
            yield made
