"""Budgets that are exceeded or stay unused, with why; and relevance that has little left to choose from."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from historylab.costs.amounts import count_of
from historylab.planning.narrow_relevance import NarrowRelevance
from historylab.planning.over_budget import OverBudget
from historylab.planning.reasons import counted_noun
from historylab.planning.replay import Timeline
from historylab.planning.unused_budget import UnusedBudget
from historylab.settings.model import Settings
from historylab.tuning.moving_cut import HALF
from historylab.wording.settings import member_word, setting_in_words, title_of, value_in_words


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


def unused_in_words(found: UnusedBudget, overhead: int = 0) -> str:
    """ "The newest finished turn needs 11,764 tokens and goes as a whole, so 7,987 of 8,000 tokens stay unused." """
    turn = "The newest finished turn" if found.newest else f"Turn {found.turn + 1:,}"
    unused = f"{found.unused:,} of {found.budget + overhead:,} tokens stay unused"
    return f"{turn} needs {found.tokens:,} tokens and goes as a whole, so {unused}."


def narrow_in_words(found: NarrowRelevance, settings: Settings) -> str:
    """ "Length 20 leaves relevance the last 20 user messages to choose from: 240 of 301 messages were gone before." """
    family, name = found.stage
    gone = f"{found.gone:,} of {count_of(found.messages, 'message')} were gone before"
    if (family, name) == ("policy", "lastN"):
        left = counted_noun(max(1, settings.length), "last user messages")
        return f"Length {settings.length:,} leaves relevance the {left} to choose from: {gone}."
    stage = f"{title_of(family)} “{member_word(family, name)}”"
    return f"{stage} leaves relevance little to choose from: {gone}."


def mend_in_words(changes: Mapping[str, Any]) -> str:
    """ "Cut inside turns", "Budget 11,777": settings that mend a request, as the label of a button."""
    return ", ".join(each_in_words(changes))


def each_in_words(changes: Mapping[str, Any]) -> list[str]:
    """The same, each setting for itself."""
    return [_change_in_words(name, value) for name, value in changes.items()]


def _change_in_words(name: str, value: Any) -> str:
    inside = name.startswith("pruner.") and name.endswith(".unit") and value == "block"
    if inside:
        return "Cut inside turns"
    if name.endswith(".trim_to") and value == HALF:
        return "Cut down to a half"
    is_number = isinstance(value, int | float)
    return f"{title_of(name)}{'' if is_number else ':'} {value_in_words(name, value)}"
