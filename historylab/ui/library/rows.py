"""The rows of the list: what is shown of each conversation, and the passages in which words were found."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from historylab.conversation.conversation import Conversation
from historylab.costs.amounts import count_of
from historylab.errors import HistoryLabError
from historylab.recordings.entries import Entry
from historylab.recordings.library import Library
from historylab.recordings.search import Match, Quote, quote_words
from historylab.settings.model import Settings
from historylab.ui.session import cached, upload_budget, viewing
from historylab.wording.library import ORIGINS, SEVERAL_PEOPLE
from historylab.wording.message_text import speaker
from historylab.wording.untrusted import one_line, replace_hidden

COLUMNS = (
    {"label": "Conversation", "kind": "text"},
    {"label": "From", "kind": "text"},
    {"label": "Model", "kind": "word"},
    {"label": "Messages", "kind": "number"},
    {"label": "Requests", "kind": "number"},
    {"label": "Tokens", "kind": "number"},
    {"label": "Last change", "kind": "time"},
)
WIDE, NARROW = 120, 40


def browser_row(library: Library, match: Match, words: str, settings: Settings, *, ticked: bool) -> dict[str, Any]:
    """A row as the browser takes it. Raises KeyError if the conversation is gone by now."""
    entry = library.entry(match.key)
    row = {
        "title": one_line(entry.title, WIDE),
        "open": False,
        "problem": one_line(entry.problem, 2 * WIDE),
        "tags": [one_line(tag, NARROW) for tag in entry.tags],
        "cells": [_origin(entry), "", "", "", "", entry.changed],
        "ticked": ticked,
        "hits": [],
        "more": "",
    }
    if entry.problem:
        return row
    try:
        conversation = library.conversation(match.key)
    except HistoryLabError as problem:
        return {**row, "problem": one_line(str(problem), 2 * WIDE)}
    tokens = int(cached.tokens(conversation, settings).sum())
    counts = (entry.messages, entry.requests, tokens)
    row["cells"] = [_origin(entry), _models(entry), *(f"{count:,}" for count in counts), entry.changed]
    row["open"] = conversation == viewing.current_file().original
    row["hits"] = [_hit(conversation, i, words) for i in match.messages if i < len(conversation)]
    more = match.found - len(match.messages)
    row["more"] = f"and {count_of(more, 'more message')} with these words" if more > 0 else ""
    return row


def _origin(entry: Entry) -> str:
    if entry.origin in (upload_budget.SAMPLE, upload_budget.CHAT):
        return entry.origin.capitalize()
    said = ORIGINS[entry.source]
    origin = f"{said}: {one_line(entry.origin, NARROW)}" if entry.origin else said
    return f"{origin}, {SEVERAL_PEOPLE}" if entry.ambiguous else origin


def _models(entry: Entry) -> str:
    first, others = entry.models[:1], len(entry.models) - 1
    return "".join(one_line(name, NARROW) for name in first) + (f" and {others:,} more" if others > 0 else "")


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
