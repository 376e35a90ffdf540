"""Settings that a transcript proposes when opened: its model, measured overhead, token factor, a suitable budget.

Only what the file justifies is proposed. A budget is suggested where the default one would show a request almost empty.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import ceil
from typing import Any

import numpy as np

from historylab.conversation.columns import SYSTEM
from historylab.conversation.conversation import Conversation
from historylab.counters.base import counter_for, model_counter, token_column
from historylab.counters.calibration import Calibration, calibrate, least_overhead
from historylab.errors import SettingsError
from historylab.pricing import window_of
from historylab.settings.fields import DEFAULT_MODEL, MOST_TOKENS
from historylab.settings.model import Settings, read_setting

NEWEST_TURNS = 3
"""Turns that a suggested budget holds, if that still leaves something to be cut."""
ENOUGH = 0.6
"""Of a history without any finished turn, or of all of it, the share that is enough to see."""


@dataclass(frozen=True, slots=True)
class SettingsProposal:
    """Settings that a file justifies (`values`); those of them that no file records are `suggested`.

    `model` is the one recorded, whether it can be used or not, `tools` how many definitions the file holds, `measured`
    whether the overhead is what reported usage shows, and not their size alone. `calibration` is the fit to that usage,
    where there is enough of it: a poor one is not in `values`.
    """

    values: Mapping[str, Any]
    suggested: tuple[str, ...] = ()
    model: str | None = None
    tools: int = 0
    measured: bool = False
    calibration: Calibration | None = None


def settings_for(conversation: Conversation) -> Settings:
    """The settings a transcript proposes: what it was recorded with, a budget that suits it, defaults for the rest."""
    return Settings(**proposed_settings(conversation).values)


def proposed_settings(conversation: Conversation) -> SettingsProposal:
    """The settings a transcript justifies, with the facts to say so in a sentence; computed once."""
    return conversation.remember("proposed settings", lambda: _propose(conversation))


def _propose(conversation: Conversation) -> SettingsProposal:
    recorded = conversation.recorded
    values = {**_valid("model", recorded.model), **_valid("window", recorded.parameters.get("num_ctx"))}  # Ollama's
    counter = model_counter(values.get("model", DEFAULT_MODEL))
    fit, tools = calibrate(conversation, counter), recorded.tools
    least = 0 if fit else least_overhead(conversation, counter)
    if fit and fit.good:
        values |= fit.settings
    elif overhead := least or tools.tokens:
        values |= _valid("overhead", overhead)
    window = values.get("window") or window_of(values.get("model", DEFAULT_MODEL)) or MOST_TOKENS
    if values.get("overhead", 0) >= window:  # reported of another model, or made up: no request would hold anything
        values = {name: value for name, value in values.items() if name not in ("overhead", "counter_factor")}
    budget = suitable_budget(conversation, Settings(**values))
    suggested = () if budget is None else ("budget",)
    values |= dict.fromkeys(suggested, budget)
    measured = "overhead" in values and bool(least or (fit and fit.good))
    return SettingsProposal(values, suggested, recorded.model, tools.count, measured, fit)


def _valid(name: str, value: object) -> dict[str, Any]:
    try:
        return {} if value is None else {name: read_setting(name, value)}
    except SettingsError:
        return {}


def suitable_budget(conversation: Conversation, settings: Settings) -> int | None:
    """A budget that suits the conversation; None if that of the settings does, as for any short one.

    It suits if every request has room for its turn so far, the one before, and as much history as overhead. The one
    suggested holds the newest few turns, and not everything where that is long.
    """
    held = _HeldTokens(conversation, settings)
    if not len(held.sizes):
        return None
    least = max(held.least(), settings.overhead)
    if settings.budget - settings.reserve - settings.overhead >= least:
        return None
    room = max(least, min(held.newest(NEWEST_TURNS).max(), ENOUGH * held.newest().max()))
    window = settings.window or window_of(settings.model) or MOST_TOKENS
    return max(settings.budget, min(_readable(settings.overhead + settings.reserve + room), window))


class _HeldTokens:
    """Tokens that each request would have to hold to send its newest turns whole: float64[requests]."""

    def __init__(self, conversation: Conversation, settings: Settings):
        columns, counter = conversation.columns, counter_for(settings)
        tokens = token_column(conversation, counter)
        self.sizes, self.users, self.framing = columns.requests, columns.users, counter.per_request
        self.running = np.concatenate(([0.0], np.cumsum(tokens)))
        always = columns.role == SYSTEM
        always[columns.pins] = True
        self.pinned = np.concatenate(([0.0], np.cumsum(np.where(always, tokens, 0))))
        self.turn = columns.users.searchsorted(columns.requests) - 1  # -1 before the first user message

    def newest(self, turns: int | None = None) -> np.ndarray:
        """With what is pinned and the newest `turns`, the unfinished one among them; all of them if None."""
        first = np.zeros_like(self.turn) if turns is None else self.turn - turns + 1
        starts = np.where(first > 0, np.append(self.users, 0)[np.maximum(first, 0)], 0)
        found: np.ndarray = self.running[self.sizes] - self.running[starts] + self.pinned[starts] + self.framing
        return found

    def least(self) -> float:
        """The most that any request needs to show a finished turn; or, while there is none, most of what there is.

        A first message is always sent whole.
        """
        whole = self.newest()
        first = np.append(self.users, 0)[0] + 1
        opening = np.where(self.sizes <= first, whole, ENOUGH * whole)
        return float(np.where(self.turn > 0, self.newest(2), opening).max())


def _readable(tokens: float) -> int:
    """The next number of two digits and zeros."""
    step = int(10 ** max(0, len(str(ceil(tokens))) - 2))
    return ceil(tokens / step) * step
