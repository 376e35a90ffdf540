"""Grok exports (`prod-grok-backend.json`): conversations of responses, each with its sender, message and time.

Senders are "human" and "assistant" in any case; times are ISO text or MongoDB's `{"$date": {"$numberLong": "…"}}`. An
answer generated anew, or an edited question, follows the same response as the one before. Source: xAI's data export.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

from historylab.conversation.conversation import Conversation
from historylab.conversation.message import Message, instant
from historylab.formats.base import Report, kind_of
from historylab.formats.files.content import Content
from historylab.formats.messages.branching import join_texts, paths, with_branches
from historylab.formats.messages.chat_messages import iso_time
from historylab.formats.messages.record_groups import located_items, value_recogniser
from historylab.formats.messages.speakers import role_of
from historylab.registry import register

READ = {"_id", "conversation_id", "message", "sender", "create_time", "parent_response_id", "model"}
READ |= {"thinking_trace", "file_attachments"}
LABELS = {"share_link", "metadata", "partial", "manual", "shared", "query", "query_type", "thinking_start_time"}
LABELS |= {"thinking_end_time", "is_control", "request_metadata", "leaf_response_id", "xai_user_id", "media_types"}


def _export_conversations(value: Any) -> list[Any]:
    """The conversations of an export, if any holds responses."""
    found = value.get("conversations") if isinstance(value, dict) else None
    entries = found if isinstance(found, list) else []
    return entries if any(isinstance(e, dict) and isinstance(e.get("responses"), list) for e in entries) else []


@register(
    "format", title="Grok export", recognise=value_recogniser(_export_conversations), marks="conversations responses"
)
def grok(content: Content, report: Report) -> Iterator[Conversation]:
    """Conversations of a Grok export, with edits and answers generated anew as branches."""
    for where, value in located_items(content.values):
        held = _export_conversations(value)
        if not held:
            report.skip(f"{kind_of(value)} without conversations", where)
        else:
            report.leave(value, {"conversations"}, where)
        for i, entry in enumerate(held):
            at = f"{where} conversations[{i}]".strip()
            if isinstance(entry, dict) and isinstance(entry.get("responses"), list):
                yield _conversation(entry, at, report)
            else:
                report.skip(f"{kind_of(entry)} without responses", at)


def _conversation(entry: dict[str, Any], where: str, report: Report) -> Conversation:
    about = entry["conversation"] if isinstance(entry.get("conversation"), dict) else entry
    messages: list[Message] = []
    parents: dict[int, int | None] = {}
    ids: dict[str, int] = {}
    for i, given in enumerate(entry["responses"]):
        wrapped = isinstance(given, dict) and isinstance(given.get("response"), dict)
        response = given["response"] if wrapped else given
        message = _message(response, f"{where} responses[{i}]", report)
        if not message:
            continue
        if message.id in ids:
            report.records -= 1
            report.pass_over("a response with the id of one before it", where)
            continue
        followed = ids.get(str(_plain_value(response.get("parent_response_id"))))
        parents[len(messages)] = followed if followed is not None else len(messages) - 1 if messages else None
        if message.id:
            ids[message.id] = len(messages)
        messages.append(message)
    title = about.get("title")
    metadata = {"provider": "xai"} | ({"conversation_id": about["id"]} if isinstance(about.get("id"), str) else {})
    times = [instant(message.timestamp) for message in messages]
    timed = not any(map(math.isnan, times))
    found = [[messages[i] for i in path] for path in paths(parents, lambda end: (times[end] if timed else 0, end))]
    return with_branches(found or [[]], title if isinstance(title, str) else "", metadata, report)


def _message(response: Any, where: str, report: Report) -> Message | None:
    if not isinstance(response, dict):
        report.skip(f"{kind_of(response)}, not an object", where)
        return None
    sender, text = response.get("sender"), response.get("message")
    if not isinstance(sender, str) or not isinstance(text, str | None):
        wrong = "sender" if not isinstance(sender, str) else "message"
        report.skip(f"{wrong} is {kind_of(response.get(wrong))}, not text", where)
        return None
    files = response.get("file_attachments")
    media = ("file",) * len(files) if isinstance(files, list) else ()
    report.records += 1
    report.leave(response, READ | LABELS, where)
    role = role_of(sender)
    if not role:
        report.warn(f"unknown sender {sender[:40]!r}, kept as conversation", where)
    if not (text or media):
        report.warn("empty content", where)
    raw_time = _plain_value(response.get("create_time"))
    time = iso_time(raw_time)
    metadata: dict[str, Any] = {}
    if time is None and raw_time is not None:
        report.warn("a timestamp that is no time", where)
        metadata["timestamp"] = raw_time
    if isinstance(model := response.get("model"), str) and role == "assistant":
        metadata["model"] = model
    if thoughts := _thoughts(response.get("thinking_trace")):
        metadata["thinking"] = thoughts
    chosen = _plain_value(response.get("_id"))
    id = chosen if isinstance(chosen, str) else None
    return Message(role or sender, text or "", id, media=media, timestamp=time, metadata=metadata, source=response)


def _thoughts(given: Any) -> str:
    texts = given if isinstance(given, list) else [given]
    return join_texts(text for text in texts if isinstance(text, str))


def _plain_value(value: Any) -> Any:
    """A value without the wrapping of MongoDB's extended JSON."""
    for key in ("$date", "$numberLong", "$oid"):
        if isinstance(value, dict) and key in value:
            value = value[key]
    return value
