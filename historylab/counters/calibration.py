"""Calibration: the fixed overhead and the token factor, fitted to the usage that the provider reported.

A reported context is the fixed overhead (system prompt, tool schemas) plus the history, whose tokens the counter may
under- or over-count: `reported = overhead + factor × counted`, fitted by least squares over all requests with usage.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from historylab.conversation.conversation import Conversation
from historylab.conversation.message import Message
from historylab.conversation.recorded import sent_share
from historylab.conversation.sent import trimmed_requests
from historylab.counters.base import FACTOR, Counter, token_column, without_factor
from historylab.counters.reported_contexts import FEWEST_REQUESTS, reported_contexts
from historylab.settings.fields import MOST_TOKENS

GOOD_FIT, WORST_ERROR = 0.9, 0.15
"""R² and mean error of a calibration that is used."""
LEAST_FACTOR, MOST_FACTOR = 0.1, 10
"""The factors that a setting may have."""


@dataclass(frozen=True, slots=True)
class Calibration:
    """A fit over `requests` requests: `overhead` in tokens outside the transcript, `factor` tokens per counted one.

    `characters_per_token` is what the visible text comes to. `fit` is R², the share of the variation explained (1 is
    perfect); `error` the mean distance between fitted and reported contexts, as a share of the reported ones. Thinking
    and reminders the transcript hides are in the factor, so it describes this kind of session, not the tokenizer alone.
    """

    overhead: int
    factor: float
    characters_per_token: float
    fit: float
    error: float
    requests: int

    @property
    def good(self) -> bool:
        """Whether counts by it are worth more than an estimate."""
        close = self.fit >= GOOD_FIT and self.error <= WORST_ERROR
        return close and LEAST_FACTOR <= self.factor <= MOST_FACTOR and self.overhead <= MOST_TOKENS

    @property
    def settings(self) -> dict[str, Any]:
        """The settings under which tokens are counted so."""
        return {"overhead": self.overhead, FACTOR: self.factor}

    @property
    def words(self) -> str:
        """ "calibrated from 103 requests, ±4%"."""
        return f"calibrated from {self.requests:,} requests, {self.margin}"

    @property
    def margin(self) -> str:
        """ "±4%": how far a fitted context is from the reported one."""
        return f"±{max(1, round(100 * self.error)):,}%"


def good_calibration(conversation: Conversation, counter: Counter) -> Calibration | None:
    """The calibration of that counter by the usage in the conversation, fitted once; None if it isn't good."""
    plain = without_factor(counter)
    found = conversation.remember(("calibration", plain.key), lambda: calibrate(conversation, plain))
    return found if found and found.good else None


def calibrate(conversation: Conversation, counter: Counter) -> Calibration | None:
    """Fit overhead and factor to the reported usage; None where too few requests carry it, or nothing grows.

    Fitted to what `counter` counts of what was sent, without any factor; to the requests that sent the history.
    """
    if conversation.recorded.textless:  # its sizes are the reported ones
        return None
    counter = without_factor(counter)
    at, reported = reported_contexts(conversation)
    counted = _count_requests(conversation, counter, at)
    if len(at) < FEWEST_REQUESTS or not np.ptp(counted):
        return None
    slope, overhead = np.polyfit(counted, reported, 1)
    if overhead < 0:  # no request is smaller than its messages
        slope, overhead = (counted @ reported) / (counted @ counted), 0
    if slope <= 0:
        return None
    factor = round(float(slope), 3)
    misses = reported - (overhead + factor * counted)
    spread = ((reported - reported.mean()) ** 2).sum()
    return Calibration(
        overhead=max(0, round(overhead)),
        factor=factor,
        characters_per_token=_characters_per_token(conversation, token_column(conversation, counter), factor),
        fit=float(1 - (misses**2).sum() / spread) if spread else 1.0,
        error=float(np.abs(misses).mean() / reported.mean()),
        requests=len(at),
    )


def least_overhead(conversation: Conversation, counter: Counter) -> int:
    """Tokens that each reported context has beyond its messages, at least: what usage proves that fits no line."""
    if conversation.recorded.textless or not len((found := reported_contexts(conversation))[0]):
        return 0
    at, reported = found
    return max(0, int((reported - _count_requests(conversation, without_factor(counter), at)).min()))


def _count_requests(conversation: Conversation, counter: Counter, at: np.ndarray) -> np.ndarray:
    """float64: what the requests of those history lengths count; of those that were sent cut, what was sent."""
    tokens, trimmed = token_column(conversation, counter), trimmed_requests(conversation)
    whole = np.concatenate(([0], np.cumsum(tokens)))[at] + float(counter.per_request)
    sent: np.ndarray = whole * [sent_share(conversation[i]) for i in at.tolist()]
    for k, size in enumerate(at.tolist()):
        if size in trimmed:
            sent[k] = tokens[:size] @ trimmed[size] + float(counter.per_request)
    return sent


def _characters_per_token(conversation: Conversation, tokens: np.ndarray, factor: float) -> float:
    """Characters per real token, over the messages without images or other media."""
    texts = [i for i, m in enumerate(conversation) if not (m.media or m.shown_only)]
    characters = sum(_characters(conversation[i]) for i in texts)
    return characters / max(1.0, factor * float(tokens[texts].sum()))


def _characters(message: Message) -> int:
    return len(message.content) + sum(len(c.name) + len(c.arguments) for c in message.tool_calls)
