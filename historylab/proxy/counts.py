"""Counts of what the proxy did since it started: for its health answer and its metrics."""

from __future__ import annotations

import time
from bisect import bisect_left
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from historylab.conversation.exchange import ERROR, Exchange
from historylab.proxy.pending import PendingExchange

BOUNDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
"""Seconds up to which decisions are counted together."""

MOST_CAUSES, OTHERS = 30, "other causes"


@dataclass(slots=True)
class Durations:
    """Counts of those that took up to each of BOUNDS, but more than the one before it; the last: longer than all."""

    counts: list[int] = field(default_factory=lambda: [0] * (len(BOUNDS) + 1))
    total: float = 0.0

    def add(self, seconds: float) -> None:
        self.counts[bisect_left(BOUNDS, seconds)] += 1
        self.total += seconds


@dataclass(slots=True)
class Counts:
    """Requests by what became of them. Those decided are trimmed, sent whole, only watched or untrimmed by reason."""

    requests: int = 0
    trimmed: int = 0
    sent_whole: int = 0
    watched: int = 0
    passed_through: int = 0
    untrimmed: Counter[str] = field(default_factory=Counter)
    untrimmed_because: Counter[str] = field(default_factory=Counter)  # in words, refused ones among them
    refused: Counter[str] = field(default_factory=Counter)
    cancelled: int = 0
    stale: int = 0
    unrecorded: int = 0
    redacted: int = 0  # keys and other secrets left out of the recording
    store_fails: bool = False
    upstream_errors: Counter[str] = field(default_factory=Counter)
    tokens_before: int = 0
    tokens_sent: int = 0
    tokens_planned: int = 0  # what the settings leave, in an audit too
    deciding: Durations = field(default_factory=Durations)
    unrecorded_since: float = 0.0  # seconds since 1970; 0: the last one was recorded

    def count_decision(self, exchange: Exchange, came: bytes, applies: bool, seconds: float) -> None:
        """Count the decision about a request that came so, and was decided in that time."""
        self.deciding.add(seconds)
        if exchange.untrimmed:
            self.untrimmed[exchange.untrimmed] += 1
            return
        self.stale += exchange.stale
        self.tokens_before += exchange.plan["before"]
        self.tokens_planned += exchange.plan["tokens"]
        self.tokens_sent += exchange.plan["tokens" if applies else "before"]
        if not applies:
            self.watched += 1
        elif exchange.sent is came:
            self.sent_whole += 1
        else:
            self.trimmed += 1

    def count_cause(self, sentence: str) -> bool:
        """Count why a request wasn't trimmed; beyond MOST_CAUSES one stands for all. Returns whether it is new."""
        known = self.untrimmed_because
        counted = sentence if sentence in known or len(known) < MOST_CAUSES else OTHERS
        known[counted] += 1
        return known[counted] == 1

    def count_answer(self, status: int) -> None:
        """Count an answer of the upstream, if it is an error."""
        if status >= ERROR:
            self.upstream_errors[f"{status // 100}xx"] += 1

    def count_passed(self, pending: PendingExchange | None) -> None:
        """Count a request that was passed on; None: of no known API."""
        if pending is None:
            self.passed_through += 1
        elif pending.writing is None:
            self.unrecorded += bool(pending.unrecorded)

    def count_recorded(self, unrecorded: str, redacted: int) -> None:
        """Count a request that was to be written, by why it isn't on record; empty: it is, and how much is left out."""
        self.redacted += redacted
        self.unrecorded += bool(unrecorded)
        self.store_fails = bool(unrecorded)
        self.unrecorded_since = (self.unrecorded_since or time.time()) if unrecorded else 0.0

    def as_json(self) -> dict[str, Any]:
        """By their names."""
        shown = {name: getattr(self, name) for name in self.__slots__ if name not in ("deciding", "unrecorded_since")}
        return {name: dict(n) if isinstance(n, Counter) else n for name, n in shown.items()}
