"""LlamaIndex chat messages: with blocks, or in the older form with content; lists, and chat stores of several chats.

    {"role": "user", "blocks": [{"block_type": "text", "text": "…"}], "additional_kwargs": {}}
    {"store": {"alice": [{"role": "user", "content": "…", "additional_kwargs": {}}]}, "class_name": "SimpleChatStore"}

Source: llama-index-core, base/llms/types.py and storage/chat_store/simple_chat_store.py.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from historylab.conversation.conversation import Conversation
from historylab.conversation.message import Message
from historylab.formats.base import Report, kind_of
from historylab.formats.files.content import Content
from historylab.formats.messages.answers import AnswerParts
from historylab.formats.messages.fields import list_in, object_in, text_in
from historylab.formats.messages.kept_records import keep_records
from historylab.formats.messages.paths import Located, value_at
from historylab.formats.messages.record_groups import Grouping, RecordGroup, located_items, most_of
from historylab.formats.messages.role_records import begin_message, calls_beside, end_message
from historylab.formats.messages.walker import table_of, walk_parts
from historylab.registry import register

ROLES = {"developer": "system", "function": "tool", "chatbot": "assistant", "model": "assistant"}
ROLES |= {role: role for role in ("system", "user", "assistant", "tool")}
LABELS = {"block_type", "type", "num_tokens", "additional_information"}


def _read_citable(block: dict[str, Any], said: AnswerParts, where: str, report: Report) -> None:
    walk_parts(list_in(block, "content"), "block_type", BLOCKS, said, where, report)


BLOCKS = table_of(
    {
        "citable": _read_citable,
        "text": {"text": "text"},
        "thinking": {"thinking": "content"},
        "tool_call": {"call": {"id": "tool_call_id", "name": "tool_name", "arguments": "tool_kwargs"}},
        **{kind: {"media": "block_type"} for kind in ("image", "audio", "video", "document")},
    },
    LABELS,
)
READ = {"role", "blocks", "content", "additional_kwargs", "timestamp", "created_at"}
READ_OF_ADDITIONAL = {"tool_calls", "tool_call_id", "name", "id", "function_call", "is_error", "thinking"}


def _is_message(value: Any) -> bool:
    if not isinstance(value, dict) or not isinstance(value.get("role"), str):
        return False
    return isinstance(value.get("blocks"), list) or isinstance(value.get("additional_kwargs"), dict)


GROUPING = Grouping(("messages", "chat_history"), _is_message)


def looks_like_llamaindex(content: Content) -> float:
    """0.9 for messages with typed blocks, 0.8 for a chat store or messages with additional_kwargs and a role."""
    records = [record for group in _groups(content, Report()) for _, record in group.records[:50]]
    found = most_of(records, _is_message)
    blocks = [block for record in found for block in list_in(record, "blocks") if isinstance(block, dict)]
    return (0.9 if any("block_type" in block for block in blocks) else 0.8) if found else 0


@register("format", title="LlamaIndex messages", recognise=looks_like_llamaindex, marks="blocks block_type")
def llamaindex(content: Content, report: Report) -> Iterator[Conversation]:
    """Chat messages of LlamaIndex, as lists or in a chat store."""
    for group in _groups(content, report):
        yield group.conversation(group.messages(_read, report), report)


def _groups(content: Content, report: Report) -> Iterator[RecordGroup]:
    """The chats of every store, and any other lists of messages."""
    others: list[Located] = []
    for where, value in content.values:
        store = value_at(value, ("store", "chat_store.store")) if isinstance(value, dict) else None
        if not isinstance(store, dict):
            others.append((where, value))
            continue
        beside = {k: v for k, v in value.items() if k not in ("store", "chat_store", "class_name")}
        for key, messages in store.items():
            at = f"{where} store[{key[:40]!r}]".strip()
            if isinstance(messages, list):
                yield RecordGroup([*located_items([(at, messages)])], {**beside, "title": key}, at)
            else:
                report.skip(f"{kind_of(messages)}, not a list of messages", at)
    yield from GROUPING.groups(others, report)


@keep_records
def _read(record: Any, where: str, report: Report) -> Message | None:
    said = begin_message(record, ROLES, READ, where, report)
    if not said:
        return None
    extra, blocks = object_in(record, "additional_kwargs"), record.get("blocks")
    report.leave(extra, READ_OF_ADDITIONAL, where)
    said.id, said.name = text_in(extra, "id"), text_in(extra, "name")
    if said.role == "tool":
        said.answers = text_in(extra, "tool_call_id")
        said.metadata = {"is_error": True} if extra.get("is_error") is True else {}
    said.think(text_in(extra, "thinking") or "")
    if not isinstance(blocks, list | None):
        report.warn(f"blocks that are {kind_of(blocks)}, not read", where)
    if isinstance(blocks, list):
        walk_parts(blocks, "block_type", BLOCKS, said, where, report)
    elif (content := record.get("content")) is not None:  # of an older dump
        walk_parts(content if isinstance(content, list) else [content], "type", BLOCKS, said, where, report)
    known = {call.id for call in said.calls}
    for call in calls_beside(extra):
        if not call.id or call.id not in known:
            said.call(call)
    return end_message(said, where, report)[0]
