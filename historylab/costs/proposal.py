"""Settings that a transcript proposes when opened: its model, window, measured overhead, token factor, a budget.

Only what the file justifies is proposed. What fits the window that the file names or shows opens untrimmed; of anything
else a budget is suggested where the default one would show a request almost empty.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import ceil
from typing import Any

import numpy as np

from historylab.conversation.columns import SYSTEM
from historylab.conversation.conversation import Conversation
from historylab.counters.base import FACTOR, counter_for, model_counter, token_column
from historylab.counters.calibration import Calibration, calibrate, good_calibration, least_overhead
from historylab.counters.reported_contexts import compacted_by_itself_at, context_by_request, full_at
from historylab.errors import SettingsError
from historylab.pricing import window_of
from historylab.settings.consent import settings_that_ask
from historylab.settings.fields import DEFAULT_MODEL, MOST_TOKENS
from historylab.settings.model import Settings, read_setting

RECORDED = ("model", "window", "overhead", FACTOR)
"""Settings that a file records, or that its usage shows; any other is suggested for it."""
NEWEST_TURNS = 3
"""Turns that a suggested budget holds, if that still leaves something to be cut."""
FULL_FROM = 100_000
"""A context of so many tokens that is compacted was full, however large a window its model can have."""
ENOUGH = 0.6
"""Of a window, the share from which on a program compacts by itself.

Of a history without any finished turn, or of all of it, the share that is enough to see.
"""


@dataclass(frozen=True, slots=True)
class SettingsProposal:
    """Settings that a file justifies (`values`); those of them that no file records are `suggested`.

    `model` is the one recorded, whether it can be used or not, `tools` how many definitions the file holds, `measured`
    whether the overhead is what reported usage shows, and not their size alone. `calibration` is the fit to that usage,
    where there is enough of it: of a poor one only the overhead it proves is in `values`. `fits` is the window that all
    of it fits, so that nothing is cut; `what_if` a budget to see it cut by, where there is such a window. `full` is the
    context at which the program that wrote the file compacted it, where that stands for the window.
    """

    values: Mapping[str, Any]
    suggested: tuple[str, ...] = ()
    model: str | None = None
    tools: int = 0
    measured: bool = False
    calibration: Calibration | None = None
    fits: int | None = None
    what_if: int | None = None
    full: int | None = None


def settings_for(conversation: Conversation) -> Settings:
    """The settings a transcript proposes: what it was recorded with, uncut if it fits its window, else a budget."""
    return Settings(**proposed_settings(conversation).values)


def adopt_recorded(settings: Settings, conversation: Conversation, unset: Settings | None = None) -> Settings:
    """The settings with what a file records of model, window, overhead and token factor, where they say nothing.

    So they are counted as what was sent is. They say nothing where they are as in `unset`, by default the defaults. A
    file never decides which model is asked to write summaries.
    """
    recorded, default = proposed_settings(conversation).values, Settings()
    unset = unset or default
    left = ("model",) if settings_that_ask(settings) else ()
    silent = [n for n in RECORDED if n not in left and settings.value(n) == unset.value(n)]
    return settings.replace(**{name: recorded.get(name, default.value(name)) for name in silent})


def proposed_settings(conversation: Conversation) -> SettingsProposal:
    """The settings a transcript justifies, with the facts to say so in a sentence; computed once."""
    return conversation.remember("proposed settings", lambda: _propose(conversation))


def _propose(conversation: Conversation) -> SettingsProposal:
    recorded = conversation.recorded
    values = {**_valid("model", recorded.model), **_valid("window", recorded.parameters.get("num_ctx"))}  # Ollama's
    full = compacted_by_itself_at(conversation) or _shown_window(full_at(conversation), _known_window(values))
    values |= _valid("window", full)
    counter = model_counter(values.get("model", DEFAULT_MODEL))
    fit, tools = good_calibration(conversation, counter), recorded.tools
    least = 0 if fit else least_overhead(conversation, counter)
    values |= fit.settings if fit else _valid("overhead", least or tools.tokens or None)
    window = _known_window({"model": DEFAULT_MODEL, **values}) or MOST_TOKENS
    if values.get("overhead", 0) >= window:  # reported of another model, or made up: no request would hold anything
        values = {name: value for name, value in values.items() if name not in ("overhead", FACTOR)}
    measured = "overhead" in values and bool(least or fit)
    budget, fits = suitable_budget(conversation, Settings(**values)), _known_window(values)
    uncut = _uncut(conversation, Settings(**values), fits)
    suggested = uncut if uncut is not None else {"budget": budget} if budget else {}
    what_if = (budget or Settings().budget) if uncut and "budget" in uncut else None
    return SettingsProposal(
        {**values, **suggested},
        tuple(suggested),
        recorded.model,
        tools.count,
        measured,
        calibrate(conversation, counter),
        fits if uncut else None,
        what_if,
        full,
    )


def _known_window(values: Mapping[str, Any]) -> int | None:
    """The window that these values say, or that of the model they name."""
    return values.get("window") or (window_of(values["model"]) if "model" in values else None)


def _shown_window(full: int | None, window: int | None) -> int | None:
    """The tokens at which a file was full, if that can be its window: of less a person had it compacted.

    A model's name says the largest window that it can have, which may be several times the one that it had.
    """
    known = window or MOST_TOKENS
    return full if full and min(FULL_FROM, ENOUGH * known) <= full < known else None


def _uncut(conversation: Conversation, settings: Settings, window: int | None) -> dict[str, Any] | None:
    """The changes of these settings that send all of it; None if it doesn't fit the window, or none is known.

    It fits by what was reported of its requests; of those without a report, by what they count.
    """
    held = _HeldTokens(conversation, settings)
    if window is None or not len(held.sizes):
        return None
    counted = held.newest() + settings.overhead + settings.reserve
    reported = context_by_request(conversation)
    if np.where(reported > 0, reported + settings.reserve, counted).max() > window:
        return None
    most = ceil(counted.max())
    budget = {} if most <= settings.budget else {"budget": max(window, most)}
    return {**budget, "policy": "all"} if len(held.users) > settings.length else dict[str, Any](budget)


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
    window = settings.window or window_of(settings.model) or MOST_TOKENS
    smallest = min(settings.budget, window)
    if smallest - settings.reserve - settings.overhead >= least:
        return None if smallest == settings.budget else smallest
    room = max(least, min(held.newest(NEWEST_TURNS).max(), ENOUGH * held.newest().max()))
    return max(smallest, min(_readable(settings.overhead + settings.reserve + room), window))


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
