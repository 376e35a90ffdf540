"""Budgets that are exceeded or stay unused, with why; and relevance that has little left to choose from."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from historylab.costs.amounts import count_of, short_count
from historylab.planning.narrow_relevance import NarrowRelevance
from historylab.planning.over_budget import OverBudget
from historylab.planning.reasons import counted_noun
from historylab.planning.replay import Timeline
from historylab.planning.unused_budget import UnusedBudget
from historylab.settings.model import Settings
from historylab.tuning.moving_cut import HALF
from historylab.wording.settings import member_word, setting_in_words, title_of, value_in_words

LAST: Mapping[str, str] = {"lastN": "last user messages", "lastMessages": "last messages"}
"""The noun for what a policy keeps `length` of."""


def over_budget_sentence(timeline: Timeline, say: Callable[[OverBudget], str] | None = None) -> str:
    """The number of requests over the budget, with cause and mend of the one that is most; empty if none is.

    `say` writes the cause, by default with the titles of settings.
    """
    over = np.flatnonzero(timeline.over_budget)
    if not len(over):
        return ""
    worst = int(over[timeline.tokens[over].argmax()])
    found = timeline.over_budget_cause(worst)
    which = f"{len(over):,} of {count_of(len(timeline.plans), 'request')}"
    most = f", most at request {worst + 1:,}" if len(timeline.plans) > 1 else ""
    return f"Over the budget at {which}{most}: {(say or cause_in_words)(found)}" if found else ""


def cause_in_words(found: OverBudget) -> str:
    """ "11,764 in the newest tool call and its results. The pruner may not cut any of it. A budget of … would do." """
    return f"{found.filled}. {found.why} {found.mend_in_words(setting_in_words)}"


def unused_in_words(found: UnusedBudget) -> str:
    """ "Turn 8 (68k tokens) didn’t fit and was dropped whole; 50k of your budget is empty." """
    turn, empty = f"Turn {found.turn + 1:,} ({short_count(found.tokens)} tokens)", short_count(found.unused)
    return f"{turn} didn’t fit and was dropped whole; {empty} of your budget is empty."


def mend_label(changes: Mapping[str, Any], now: Settings) -> str:
    """ "Keep part of it", "Raise budget to 114k": settings that mend a request, as a short button says them."""
    if [*changes] == ["budget"] and changes["budget"] > now.budget:
        return f"Raise budget to {short_count(changes['budget'])}"
    return mend_in_words(changes)


def narrow_in_words(found: NarrowRelevance, settings: Settings) -> str:
    """ "Length 20 leaves relevance the last 20 user messages to choose from: 240 of 301 messages were gone before." """
    family, name = found.stage
    gone = f"{found.gone:,} of {count_of(found.messages, 'message')} were gone before"
    if family == "policy" and name in LAST:
        left = counted_noun(max(1, settings.length), LAST[name])
        return f"Length {settings.length:,} leaves relevance the {left} to choose from: {gone}."
    stage = f"{title_of(family)} “{member_word(family, name)}”"
    return f"{stage} leaves relevance little to choose from: {gone}."


def mend_in_words(changes: Mapping[str, Any]) -> str:
    """ "Keep part of it", "Budget 11,777": settings that mend a request, as the label of a button."""
    return ", ".join(each_in_words(changes))


def each_in_words(changes: Mapping[str, Any]) -> list[str]:
    """The same, each setting for itself."""
    return [_change_in_words(name, value) for name, value in changes.items()]


def _change_in_words(name: str, value: Any) -> str:
    inside = name.startswith("pruner.") and name.endswith(".unit") and value == "block"
    if inside:
        return "Keep part of it"
    if name.endswith(".trim_to") and value == HALF:
        return "Cut down to a half"
    is_number = isinstance(value, int | float)
    return f"{title_of(name)}{'' if is_number else ':'} {value_in_words(name, value)}"
