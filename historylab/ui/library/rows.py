"""The rows of the list: what is shown of each conversation, and the passages in which words were found."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from decimal import Decimal
from typing import Any

from historylab.conversation.conversation import Conversation
from historylab.costs.amounts import count_of, money, short_count, short_money
from historylab.errors import HistoryLabError
from historylab.recordings.entries import Entry
from historylab.recordings.library import Library
from historylab.recordings.search import Match, Quote, quote_words
from historylab.tuning.workload import Load
from historylab.ui.session import library as held
from historylab.ui.session import upload_budget
from historylab.wording.library import ORIGINS, SEVERAL_PEOPLE
from historylab.wording.message_text import speaker
from historylab.wording.untrusted import one_line, replace_hidden

COLUMNS = (
    {"label": "Conversation", "kind": "about", "sort": "", "unit": ""},
    {"label": "From", "kind": "from", "sort": "", "unit": ""},
    {"label": "Messages", "kind": "number wide", "sort": "", "unit": "messages"},
    {"label": "Requests", "kind": "number", "sort": "requests", "unit": "requests"},
    {"label": "Largest request", "kind": "number", "sort": "largest", "unit": "tokens"},
    {"label": "Facts lost", "kind": "number", "sort": "lost", "unit": "lost"},
    {"label": "Cost", "kind": "number", "sort": "cost", "unit": ""},
    {"label": "Last change", "kind": "time", "sort": "", "unit": ""},
    {"label": "Tags", "kind": "tags", "sort": "", "unit": ""},
)
SORTED: Mapping[str, Callable[[Load], int | Decimal | None]] = {
    "requests": lambda load: len(load.tokens),
    "largest": lambda load: load.largest,
    "lost": lambda load: load.facts_lost,
    "cost": lambda load: load.cost,
}
"""Columns to sort by → their value."""
WIDE, NARROW = 120, 40


def browser_row(library: Library, match: Match, words: str, load: Load | None, *, ticked: bool) -> dict[str, Any]:
    """A row as the browser takes it. Raises KeyError if the conversation is gone by now."""
    entry = library.entry(match.key)
    more = match.found - len(match.messages)
    row = {
        "title": one_line(entry.title, WIDE),
        "open": held.is_open(match.key),
        "problem": one_line(entry.problem, 2 * WIDE),
        "tags": [one_line(tag, NARROW) for tag in entry.tags],
        "cells": list(_cells(entry, load)),
        "time": entry.changed,
        "ticked": ticked,
        "hits": [],
        "more": f"and {count_of(more, 'more message')} with these words" if more > 0 else "",
    }
    if match.messages and not entry.problem:
        try:
            row["hits"] = _hits(library.conversation(match.key), match, words)
        except HistoryLabError as problem:
            row["problem"] = one_line(str(problem), 2 * WIDE)
    return row


def _cells(entry: Entry, load: Load | None) -> Iterator[dict[str, Any]]:
    """The cells from *From* to *Cost*; those that are not measured yet, or not known, are empty."""
    yield _cell(_origin(entry), _models(entry))
    if entry.problem:
        yield from (_cell() for _ in range(5))
        return
    yield _cell(f"{entry.messages:,}")
    yield _cell(f"{entry.requests:,}")
    if load is None:
        yield from (_cell() for _ in range(3))
        return
    whole = int(load.untrimmed.max(initial=0))
    yield _cell(short_count(load.largest), f"{load.largest:,} tokens; without trimming {whole:,}")
    yield _facts_cell(load)
    yield _cost_cell(load)


def _cost_cell(load: Load) -> dict[str, Any]:
    if load.cost is None or load.untrimmed_cost is None:
        return _cell()
    return _cell(short_money(load.cost), f"{money(load.cost)}; without trimming {money(load.untrimmed_cost)}")


def _facts_cell(load: Load) -> dict[str, Any]:
    if load.facts_lost is None:
        return _cell()
    said = f"{load.facts_lost:,} of {count_of(load.facts or 0, 'fact')} that requests needed"
    return {**_cell(f"{load.facts_lost:,}", said), "alarm": load.facts_lost > 0}


def _cell(text: str = "", hover: str = "") -> dict[str, Any]:
    return {"text": text, "hover": hover, "alarm": False}


def _origin(entry: Entry) -> str:
    if entry.origin in (upload_budget.SAMPLE, upload_budget.CHAT):
        return entry.origin.capitalize()
    said = ORIGINS[entry.source]
    origin = f"{said}: {one_line(entry.origin, NARROW)}" if entry.origin else said
    return f"{origin}, {SEVERAL_PEOPLE}" if entry.ambiguous else origin


def _models(entry: Entry) -> str:
    first, others = entry.models[:1], len(entry.models) - 1
    return "".join(one_line(name, NARROW) for name in first) + (f" and {others:,} more" if others > 0 else "")


def _hits(conversation: Conversation, match: Match, words: str) -> list[dict[str, Any]]:
    return [_hit(conversation, i, words) for i in match.messages if i < len(conversation)]


def _hit(conversation: Conversation, i: int, words: str) -> dict[str, Any]:
    message = conversation[i]
    return {"message": i, "who": speaker(message, NARROW), "said": list(_pieces(quote_words(message, words)))}


def _pieces(quote: Quote) -> Iterator[tuple[str, bool]]:
    """The passage piece by piece, and whether each is one of the words; what can't be seen as "�"."""
    at = 0
    for start, end in (*quote.marks, (len(quote.text), len(quote.text))):
        yield from ((replace_hidden(text), found) for text, found in _between(quote.text, at, start, end) if text)
        at = end


def _between(text: str, at: int, start: int, end: int) -> tuple[tuple[str, bool], tuple[str, bool]]:
    return (text[at:start], False), (text[start:end], True)
