"""Calibration: the fixed overhead and the token factor, fitted to the usage that the provider reported.

A reported context is the fixed overhead (system prompt, tool schemas) plus the history, whose tokens the counter may
under- or over-count: `reported = overhead + factor × counted`, fitted by least squares over all requests with usage.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from historylab.conversation.conversation import Conversation
from historylab.conversation.message import Message, Usage
from historylab.conversation.usage import usage_of
from historylab.costs.traffic import Traffic
from historylab.counters.base import Counter, token_column

FEWEST_REQUESTS = 3
"""A line through fewer points says nothing about its fit."""


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

    def applied(self, traffic: Traffic, overhead: int = 0) -> Traffic:
        """The traffic in the provider's tokens: `overhead`, as it was counted with, gives way to the fitted one."""

        def real(tokens: np.ndarray) -> np.ndarray:
            scaled = np.rint(self.overhead + self.factor * (tokens - overhead)).astype(np.int64)
            return np.where(tokens > 0, scaled, 0)

        return replace(traffic, sent=real(traffic.sent), shared=real(traffic.shared))


def calibrate(conversation: Conversation, counter: Counter) -> Calibration | None:
    """Fit overhead and factor to the reported usage; None where too few requests carry it, or nothing grows.

    Messages before Claude Code's own compaction are no longer sent after it: only requests up to there count.
    """
    at, reported = reported_contexts(conversation)
    tokens = token_column(conversation, counter)
    counted = np.concatenate(([0], np.cumsum(tokens)))[at].astype(float)
    if len(at) < FEWEST_REQUESTS or not np.ptp(counted):
        return None
    factor, overhead = np.polyfit(counted, reported, 1)
    if factor <= 0:
        return None
    misses = reported - (overhead + factor * counted)
    spread = ((reported - reported.mean()) ** 2).sum()
    return Calibration(
        overhead=max(0, round(overhead)),
        factor=float(factor),
        characters_per_token=_characters_per_token(conversation, tokens, float(factor)),
        fit=float(1 - (misses**2).sum() / spread) if spread else 1.0,
        error=float(np.abs(misses).mean() / reported.mean()),
        requests=len(at),
    )


def reported_contexts(conversation: Conversation) -> tuple[np.ndarray, np.ndarray]:
    """Per reply with usage: the history length it answered (int64), and the context the provider counted (float64)."""
    end = next((i for i, m in enumerate(conversation) if m.metadata.get("compact_summary")), len(conversation))
    found = [(i, u) for i, m in enumerate(conversation.messages[:end]) if (u := usage_of(m)) and context_of(u)]
    at = np.array([i for i, _ in found], np.int64)
    return at, np.array([context_of(usage) for _, usage in found], float)


def context_of(usage: Usage) -> int:
    """All input tokens of a request, however they were paid for."""
    return usage.input + usage.cache_reads + usage.cache_writes


def _characters_per_token(conversation: Conversation, tokens: np.ndarray, factor: float) -> float:
    """Characters per real token, over the messages without images or other media."""
    texts = [i for i, m in enumerate(conversation) if not m.media]
    characters = sum(_characters(conversation[i]) for i in texts)
    return characters / max(1.0, factor * float(tokens[texts].sum()))


def _characters(message: Message) -> int:
    return len(message.content) + sum(len(c.name) + len(c.arguments) for c in message.tool_calls)
