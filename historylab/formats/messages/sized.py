"""Requests of which a log says only how large they were → conversations of messages with a known size and no text.

The context of a request is what was sent, cached or not. What it grew by since the request before is that one's answer
and then new input. What the first one held of system prompt and tools is unknown, so it is pinned. Roles beyond that,
and what was said, are unknown, too: `recorded.textless` tells such a conversation.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import pairwise
from typing import Any

from historylab.conversation.conversation import Conversation
from historylab.conversation.exchange import Exchange
from historylab.conversation.message import Message, instant
from historylab.conversation.usage import AGENT_TYPE, MODEL, TEXTLESS
from historylab.formats.base import NOTHING, Report
from historylab.formats.messages.observed import order_by_time

OPENING = "a first request always sent, as it is unknown how much of it (system prompt, tools) all later ones repeat"
SIZES = "a request without its text, read as messages of that size"
SMALLER = "a request smaller than the one before (compacted, or unrelated), read as a conversation of its own"
PAUSE = 3600.0
"""Seconds without a request after which those of no session, of one agent and model, are a session of their own."""
PAUSED = "a request without a session, an hour or more after the one before, read as the first of its own"
IN_PART = "an answer larger than what the next request grew by: the rest (thinking, say) was not sent again"


def sized_conversations(requests: Iterable[Exchange], report: Report) -> Iterator[Conversation]:
    """A conversation per key, agent and model, and a new one wherever a request is smaller than the one before it."""
    groups: dict[tuple[str, Any, Any], list[Exchange]] = {}
    for request in requests:
        about = request.about.get(AGENT_TYPE), request.about.get(MODEL)
        groups.setdefault((request.conversation, *about), []).append(request)
    for (key, agent, model), group in groups.items():
        ordered = order_by_time(group)
        sessions = [ordered] if key else _part(ordered, _pauses, PAUSED, report)
        for count, session in enumerate(sessions, 1):
            name = key or f"{agent or model or 'session'} {count}"
            yield from _conversations(session, name, report)


def _part(
    requests: list[Exchange], parts: Callable[[Exchange, Exchange], bool], why: str, report: Report
) -> list[list[Exchange]]:
    """Requests in order, apart wherever one and the next are parted, which is reported."""
    found = [requests[:1]]
    for before, request in pairwise(requests):
        if parts(before, request):
            report.warn(why, request.where)
            found.append([])
        found[-1].append(request)
    return found


def _pauses(before: Exchange, now: Exchange) -> bool:
    return instant(now.started) - instant(before.started) >= PAUSE


def _shrinks(before: Exchange, now: Exchange) -> bool:
    return _context(now) < _context(before)


def _conversations(session: list[Exchange], name: str, report: Report) -> Iterator[Conversation]:
    runs = _part(session, _shrinks, SMALLER, report)
    for number, run in enumerate(runs, 1):
        title = f"{name}, part {number}" if name and len(runs) > 1 else name
        yield _conversation(run, name, title, report)


def _conversation(run: list[Exchange], name: str, title: str, report: Report) -> Conversation:
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
    about: dict[str, Any] = {TEXTLESS: True} | ({"conversation_id": name} if name else {})
    for request in run:
        about |= {name: value for name, value in request.about.items() if value not in NOTHING}
    return Conversation(messages, title, about)


def _context(request: Exchange) -> int:
    usage = request.usage or {}
    return usage.get("input", 0) + usage.get("cache_reads", 0) + usage.get("cache_writes", 0)
