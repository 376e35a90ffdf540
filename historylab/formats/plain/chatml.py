"""ChatML: text with the markers `<|im_start|>role` and `<|im_end|>`, as it is or in a field of JSON Lines.

Source: OpenAI's ChatML notes and the templates of open models, which also write `<|endoftext|>` between conversations.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from historylab.conversation.conversation import Conversation
from historylab.conversation.message import Message
from historylab.formats.base import Report, kind_of
from historylab.formats.files.content import Content
from historylab.formats.files.json_values import MAX_ITEMS, too_many
from historylab.formats.messages.chat_messages import pair_by_order
from historylab.formats.messages.record_groups import located_items
from historylab.formats.messages.speakers import role_of
from historylab.formats.messages.spoken import read_tags
from historylab.registry import register

START, END, BETWEEN = "<|im_start|>", "<|im_end|>", "<|endoftext|>"
BEGIN = ("<s>", "<|begin_of_text|>", BETWEEN)  # may stand before the first message
HEAD = re.compile(r"[ \t]*([\w.-]*)(?:[ \t]+name=([\w.-]+))?[ \t]*(?:\r?\n|$)")


def has_marker(content: Content) -> float:
    """1 for a text, or the texts of JSON objects, that begin with the marker."""
    if not _is_json(content):
        return 1 if _begins(content.text) else 0
    return 1 if any(_key(value) for _, value in located_items(content.values)) else 0


@register("format", title="ChatML text", recognise=has_marker)
def chatml(content: Content, report: Report) -> Iterator[Conversation]:
    """Text that marks where each message starts and ends."""
    if not _is_json(content):
        yield from _conversations(content.text, "", report)
        return
    for where, value in located_items(content.values):
        if key := _key(value):
            report.leave(value, {key, "id"}, where)
            yield from _conversations(value[key], f"{where} {key}".strip(), report)
        else:
            report.skip(f"{kind_of(value)} without such a text", where)


def _conversations(text: str, place: str, report: Report) -> Iterator[Conversation]:
    if text.count(START) > MAX_ITEMS:
        raise too_many(MAX_ITEMS, "messages", "the text")
    for part in text.split(BETWEEN):
        if START in part:
            yield Conversation(pair_by_order(list(_messages(part, place, report))))


def _is_json(content: Content) -> bool:
    return content.text.lstrip()[:1] in ("{", "[")


def _key(value: Any) -> str:
    """The first field whose text begins with the marker; empty if none does."""
    fields = value.items() if isinstance(value, dict) else ()
    return next((key for key, text in fields if isinstance(text, str) and _begins(text)), "")


def _begins(text: str) -> bool:
    start = text[:200].lstrip("\ufeff \t\r\n")
    for mark in BEGIN:
        start = start.removeprefix(mark).lstrip()
    return start.startswith(START)


def _messages(text: str, place: str, report: Report) -> Iterator[Message]:
    for number, piece in enumerate(text.split(START)[1:], 1):
        where = f"{place} message {number}".strip()
        said, _, after = piece.partition(END)
        if after.strip():
            report.warn("text between messages not read", where)
        head = HEAD.match(said)
        if not head or not head[1]:
            report.skip("no role", where)
            continue
        body = said[head.end() :].strip("\r\n")
        if not body and END not in piece:
            report.pass_over("an empty message, which only asks for the answer", where)
            continue
        report.records += 1
        role = role_of(head[1])
        if not role:
            report.warn(f"unknown role {head[1][:40]!r}, kept as conversation", where)
        if not body:
            report.warn("empty content", where)
        said_here = read_tags(role or head[1], body)
        yield from (replace(message, name=head[2]) for message in said_here) if head[2] else said_here
