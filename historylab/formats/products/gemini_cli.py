"""Gemini CLI: sessions (one JSON object, or JSON Lines), checkpoints, and `logs.json`, its list of what was asked.

A model's turn holds its calls with their results; here each result is a message of its own. In JSON Lines a message
that changes is written again under its id, `$rewindTo` takes messages back (the path left is a branch), and `$set`
changes what stands beside them, or all that is sent: a compression. Source: the recording service in Gemini
CLI's repository.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from historylab.conversation.conversation import Conversation
from historylab.conversation.message import Message
from historylab.formats.base import Report, kind_of
from historylab.formats.files.content import Content
from historylab.formats.messages.chat_messages import iso_time, pair_by_order
from historylab.formats.messages.gemini_contents import is_content, read_gemini_content
from historylab.formats.messages.kept_records import keep_others
from historylab.formats.messages.record_groups import located_items
from historylab.formats.products.gemini_cli_session import GeminiSession, begins_session
from historylab.registry import register


def looks_like_gemini_cli(content: Content) -> float:
    """1 for a session's own keys, 0.9 for the log of prompts and for checkpoints."""
    values = [value for _, value in located_items(content.values)]
    if any(begins_session(value) for value in values):
        return 1
    return 0.9 if values and all(_is_prompt(value) or _history_of(value) for value in values) else 0


@register("format", title="Gemini CLI", recognise=looks_like_gemini_cli, marks="sessionId projectHash toolCalls")
def gemini_cli(content: Content, report: Report) -> Iterator[Conversation]:
    """Gemini CLI sessions: the newest path, with what was taken back as branches, and what was sent of each."""
    prompts: dict[str, list[Message]] = {}
    session: GeminiSession | None = None
    for where, value in located_items(content.values):
        if key := _history_of(value):
            yield _checkpoint(value, key, where, report)
            continue
        if _is_prompt(value):
            report.records += 1
            asked = Message("user", value["message"], timestamp=iso_time(value.get("timestamp")))
            prompts.setdefault(str(value.get("sessionId")), []).append(asked)
            continue
        if session is None or begins_session(value):
            if session and session.about.get("sessionId") != value.get("sessionId"):
                yield session.conversation(report)
                session = None
            session = session or GeminiSession()
        session.take(value, where, report)
    if session:
        yield session.conversation(report)
    for name, messages in prompts.items():
        report.warn("a log of what was asked, without the answers", "")
        yield Conversation(messages, metadata={"provider": "google", "session": name})


def _checkpoint(value: dict[str, Any], key: str, where: str, report: Report) -> Conversation:
    """The history in a checkpoint: contents as Gemini's API takes them."""
    messages: list[Message] = []
    for at, item in located_items([(f"{where} {key}".strip(), value[key])]):
        if is_content(item):
            report.records += 1
            messages += read_gemini_content(item, at, report)
        else:
            report.skip(f"{kind_of(item)}, not a content", at)
    keep_others(value, {key}, where, report)
    return Conversation(pair_by_order(messages), metadata={"provider": "google"})


def _history_of(value: Any) -> str:
    """The key under which a checkpoint has the history; empty for anything else."""
    held = ((key, value.get(key)) for key in ("clientHistory", "history")) if isinstance(value, dict) else ()
    return next((key for key, items in held if isinstance(items, list) and any(map(is_content, items[:5]))), "")


def _is_prompt(value: Any) -> bool:
    return isinstance(value, dict) and "messageId" in value and isinstance(value.get("message"), str)
