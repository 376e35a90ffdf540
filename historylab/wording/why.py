"""The reason why a request had something or not, in sentences."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from historylab.costs.amounts import count_of
from historylab.planning.explain import settings_and_size, settings_clause
from historylab.recall.why import SaidBy, Why
from historylab.wording.phrases import list_in_words
from historylab.wording.untrusted import one_line

Title = Callable[[str], str]
Value = Callable[[str, Any], str]
QUOTE = 60  # characters of what comes near
SHOWN = 4  # messages and requests listed
SAYERS = {
    "person": "a person",
    "tool": "a tool",
    "assistant": "the assistant",
    "injected": "a program",
    "system": "a system message",
}


def why_in_words(why: Why, title: Title = str, value: Value = lambda _, wanted: str(wanted)) -> list[str]:
    """The answer, a sentence each: whether the request had it, who said it, until when it was sent, what would help.

    Settings are called by their `title`, and by `value` what is no number.
    """
    parts = [_presence(why), _places(why.said), *_removal(why), _uses(why.needed_by)]
    parts += [_remedy(why, title, value), _unseen(why)]
    return [part for part in parts if part]


def near_in_words(near: Sequence[tuple[str, int]]) -> list[str]:
    """ "Near it: “ORD-0917” (message 3).": terms near something that was never said; nothing without any."""
    listed = ", ".join(f"“{one_line(text, QUOTE)}” (message {message + 1:,})" for text, message in near)
    return [f"Near it: {listed}."] if listed else []


def _presence(why: Why) -> str:
    request = f"request {why.at_request + 1:,}"
    where = "" if why.holder is None else f", in message {why.holder + 1:,}"
    if not why.found:
        return "No message says it."
    if why.sent:
        return f"It was in {request}{where}: the model had it."
    if why.sent is None:
        return f"It isn’t known whether {request} had it{where}."
    if why.held_by:
        return f"In {request} only the summary had it{where}."
    if why.gone_since is None:
        return f"It was said only after {request}."
    surely = ", as far as the file shows" if why.unseen else ": the model didn’t have it"
    return f"It wasn’t in {request}{surely}."


def _unseen(why: Why) -> str:
    """Words for what may have been sent besides, where nothing that is known says it."""
    if why.held_by or not why.unseen or (why.said and why.gone_since is None):
        return ""
    tokens, are = count_of(why.unseen, "token"), "isn’t" if why.unseen == 1 else "aren’t"
    where = f"{tokens} of request {why.at_request + 1:,} {are} in the file (system prompt, tools)"
    return f"{where}, so it might have stood there."


def _places(said: Sequence[SaidBy]) -> str:
    if not said:
        return ""
    listed = _enumerate([f"{each.message + 1:,} ({SAYERS[each.by]})" for each in said])
    return f"Said in {'message' if len(said) == 1 else 'messages'} {listed}."


def _removal(why: Why) -> list[str]:
    if why.gone_since is None:
        return [why.removal]
    last = why.gone_since  # from 1, the one before
    return [f"Sent for the last time in request {last:,}." if why.was_sent else "No request ever had it.", why.removal]


def _uses(requests: Sequence[int]) -> str:
    if not requests:
        return ""
    listed = _enumerate([f"{request + 1:,}" for request in requests])
    return f"Used in the answer to {'request' if len(requests) == 1 else 'requests'} {listed}."


def _remedy(why: Why, title: Title, value: Value) -> str:
    if why.gone_since is None:
        return ""
    if not why.changes:
        return "No setting we tried would have kept it."
    if why.more is None:
        how = "held by a summary" if why.in_summary else "sent"
        return f"It would have been {how} if {settings_clause(why.changes, title, value)}."
    which = "Settings whose summary would have held it" if why.in_summary else "Settings that would have sent it"
    return f"{which}: {settings_and_size(why.changes, why.more, title, value)}."


def _enumerate(items: Sequence[str]) -> str:
    if len(items) > SHOWN:
        return f"{', '.join(items[:SHOWN])} and {len(items) - SHOWN:,} more"
    return list_in_words(items)
