"""Grok exports (`prod-grok-backend.json`): conversations of responses, each with its sender, message and time.

Senders are "human" and "assistant" in any case; times are ISO text or MongoDB's `{"$date": {"$numberLong": "…"}}`. An
answer generated anew, or an edited question, follows the same response as the one before. Source: xAI's data export.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from historylab.conversation.conversation import Conversation
from historylab.conversation.message import Message
from historylab.formats.base import EMPTY_VALUES, Report, kind_of
from historylab.formats.files.content import Content
from historylab.formats.messages.answers import named_model
from historylab.formats.messages.branching import join_texts, with_branches
from historylab.formats.messages.chat_messages import iso_time
from historylab.formats.messages.fields import list_in, text_in
from historylab.formats.messages.record_groups import located_items, value_recogniser
from historylab.formats.messages.speakers import role_of
from historylab.formats.shapes.shape import Shape
from historylab.formats.shapes.threads import RecordTree
from historylab.registry import register

TREE = Shape(id="id", parent="parent", time="time")
WRAPPED = ("$date", "$numberLong", "$oid")
READ = {"_id", "conversation_id", "message", "sender", "create_time", "parent_response_id", "model"}
TEXTS = {"sender": str, "message": str | None}
READ |= {"thinking_trace", "file_attachments"}
READ |= {"share_link", "metadata", "partial", "manual", "shared", "query", "query_type", "thinking_start_time"}
READ |= {"thinking_end_time", "is_control", "request_metadata", "leaf_response_id", "xai_user_id", "media_types"}


def _export_conversations(value: Any) -> list[Any]:
    """The conversations of an export, if any holds responses."""
    entries = list_in(value, "conversations") if isinstance(value, dict) else []
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
        for at, entry in located_items([(f"{where} conversations".strip(), held)]):
            if isinstance(entry, dict) and isinstance(entry.get("responses"), list):
                yield _conversation(entry, at, report)
            else:
                report.skip(f"{kind_of(entry)} without responses", at)


def _conversation(entry: dict[str, Any], where: str, report: Report) -> Conversation:
    about = entry["conversation"] if isinstance(entry.get("conversation"), dict) else entry
    tree, known = RecordTree(TREE), set[str | None]()
    for at, given in located_items([(f"{where} responses", entry["responses"])]):
        wrapped = isinstance(given, dict) and isinstance(given.get("response"), dict)
        response = given["response"] if wrapped else given
        message = _message(response, at, report)
        if message and message.id in known:
            report.records -= 1
            report.pass_over("a response with the id of one before it", at)
        elif message:
            known |= {message.id} if message.id else set()
            record, followed = {"id": message.id, "time": message.timestamp}, _plain(response, "parent_response_id")
            tree.add(at, record if followed in EMPTY_VALUES else {**record, "parent": followed}, [message])
    metadata = {"provider": "xai"} | ({"conversation_id": about["id"]} if text_in(about, "id") is not None else {})
    threads = [tree.thread(way, _stay_apart) for way in tree.ways([], report, by_time=True)]
    return with_branches(threads or [[]], text_in(about, "title") or "", metadata, report)


def _stay_apart(before: Message, message: Message) -> None:
    """Leave every response the message it is, under its own id, even one of nothing but thinking."""


def _message(response: Any, where: str, report: Report) -> Message | None:
    if not isinstance(response, dict):
        report.skip(f"{kind_of(response)}, not an object", where)
        return None
    for name, kind in TEXTS.items():
        if not isinstance(response.get(name), kind):
            report.skip(f"{name} is {kind_of(response.get(name))}, not text", where)
            return None
    sender, text = response["sender"], response.get("message") or ""
    media = ("file",) * len(list_in(response, "file_attachments"))
    report.records += 1
    report.leave(response, READ, where)
    role = role_of(sender)
    if not role:
        report.warn(f"unknown sender {sender[:40]!r}, kept as conversation", where)
    if not (text or media):
        report.warn("empty content", where)
    given = _plain(response, "create_time")
    time, metadata = iso_time(given), dict[str, Any]()
    if time is None and given is not None:
        report.warn("a timestamp that is no time", where)
        metadata["timestamp"] = given
    metadata |= named_model(response.get("model")) if role == "assistant" else {}
    thoughts = response.get("thinking_trace")
    texts = thoughts if isinstance(thoughts, list) else [thoughts]
    if thinking := join_texts(text for text in texts if isinstance(text, str)):
        metadata["thinking"] = thinking
    id = _plain(response, "_id")
    id = None if isinstance(id, dict | list | bool | None) else str(id) or None
    return Message(role or sender, text, id, media=media, timestamp=time, metadata=metadata, source=response)


def _plain(response: dict[str, Any], name: str) -> Any:
    """The value under a key without the wrapping of MongoDB's extended JSON."""
    value = response.get(name)
    for key in WRAPPED if isinstance(value, dict) else ():
        value = value.get(key, value) if isinstance(value, dict) else value
    return value
