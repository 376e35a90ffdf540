"""Requests of which a log says only how large they were → conversations of messages with a known size and no text.

The context of a request is what was sent, cached or not. What it grew by since the request before is that one's answer
and then new input. What the first one held of system prompt and tools is unknown, so it is pinned. Roles beyond that,
and what was said, are unknown, too: `recorded.textless` tells such a conversation.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from historylab.conversation.conversation import Conversation
from historylab.conversation.exchange import Exchange
from historylab.conversation.message import Message
from historylab.conversation.usage import MODEL, TEXTLESS
from historylab.formats.base import NOTHING, Report
from historylab.formats.messages.observed import order_by_time

OPENING = "a first request always sent, as it is unknown how much of it (system prompt, tools) all later ones repeat"
SIZES = "a request without its text, read as messages of that size"
SMALLER = "a request smaller than the one before (compacted, or unrelated), read as a conversation of its own"
IN_PART = "an answer larger than what the next request grew by: the rest (thinking, say) was not sent again"


def sized_conversations(requests: Iterable[Exchange], report: Report) -> Iterator[Conversation]:
    """A conversation per key and model, and a new one wherever a request is smaller than the one before it."""
    groups: dict[tuple[str, Any], list[Exchange]] = {}
    for request in requests:
        groups.setdefault((request.conversation, request.about.get(MODEL)), []).append(request)
    for (key, _), group in groups.items():
        runs = list(_growing_runs(order_by_time(group), report))
        for number, run in enumerate(runs, 1):
            title = f"{key}, part {number}" if key and len(runs) > 1 else key
            yield _conversation(run, title, report)


def _growing_runs(requests: list[Exchange], report: Report) -> Iterator[list[Exchange]]:
    """Runs of requests of which each is as large as the one before, or larger."""
    run: list[Exchange] = []
    for request in requests:
        if run and _context(request) < _context(run[-1]):
            report.warn(SMALLER, request.where)
            yield run
            run = []
        run.append(request)
    if run:
        yield run


def _conversation(run: list[Exchange], title: str, report: Report) -> Conversation:
    report.warn(OPENING, run[0].where)
    messages: list[Message] = []
    before = 0  # the context of the request before, and its answer as far as this one has it
    for request, following in zip(run, [*run[1:], None], strict=True):
        report.records += 1
        report.warn(SIZES, request.where)
        context = _context(request)
        new = {"tokens": context - before}
        messages.append(Message("user", timestamp=request.started, pinned=not messages, metadata=new))
        answered = (request.usage or {}).get("output", 0)
        if following and _context(following) - context < answered:
            report.warn(IN_PART, following.where)
            answered = _context(following) - context
        before = context + answered
        said = {"tokens": answered, "usage": dict(request.usage or {})}
        said |= {MODEL: request.about[MODEL]} if request.about.get(MODEL) else {}
        messages.append(Message("assistant", timestamp=request.ended or request.started, metadata=said))
    about: dict[str, Any] = {TEXTLESS: True} | ({"conversation_id": run[0].conversation} if run[0].conversation else {})
    for request in run:
        about |= {name: value for name, value in request.about.items() if value not in NOTHING}
    return Conversation(messages, title, about)


def _context(request: Exchange) -> int:
    usage = request.usage or {}
    return usage.get("input", 0) + usage.get("cache_reads", 0) + usage.get("cache_writes", 0)
