"""Tokens and money as mycoder tracks them: one price for every model, totals over a tree of trackers.

A `TokenUsage` is a tally that can be added to; its value is the core's `Usage`. Real prices: `historylab.pricing`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from decimal import ROUND_HALF_UP, Decimal
from typing import Any

from historylab.conversation.message import Usage

PRICES = {
    "input": Decimal("3"),
    "cache_writes": Decimal("3.75"),
    "cache_reads": Decimal("0.30"),
    "output": Decimal("15"),
}
"""Dollars per million tokens, for every provider and model."""


@dataclass(slots=True)
class TokenUsage:
    """Tokens used so far; `add` adds to it."""

    input: int = 0
    output: int = 0
    cache_reads: int = 0
    cache_writes: int = 0

    @property
    def usage(self) -> Usage:
        """The same numbers as the core has them."""
        return Usage(self.input, self.output, self.cache_reads, self.cache_writes)

    def add(self, other: TokenUsage | Usage) -> None:
        """Count another usage in."""
        total = self.usage + (other.usage if isinstance(other, TokenUsage) else other)
        self.input, self.output = total.input, total.output
        self.cache_reads, self.cache_writes = total.cache_reads, total.cache_writes

    def get_cost(self) -> str:
        """Dollars at the published prices, rounded half up: "$1,500.00"."""
        dollars = sum(getattr(self, name) * price for name, price in PRICES.items()) / 1_000_000
        return f"${dollars.quantize(Decimal('0.01'), ROUND_HALF_UP):,}"

    def __str__(self) -> str:
        return (
            f"input: {self.input} cache-writes: {self.cache_writes} cache-reads: {self.cache_reads} "
            f"output: {self.output} COST: {self.get_cost()}"
        )


class TokenTracker:
    """The usage of one agent and, through `parent`, of the agents it started."""

    def __init__(self, name: str = "root", parent: TokenTracker | None = None) -> None:
        self.name, self.parent = name, parent
        self.token_usage = TokenUsage()
        self.children: list[TokenTracker] = []
        if parent is not None:
            parent.children.append(self)

    def get_total_usage(self) -> TokenUsage:
        """This tracker's usage and that of all below it."""
        total = TokenUsage()
        total.add(self.token_usage)
        for child in self.children:
            total.add(child.get_total_usage())
        return total

    def get_total_cost(self) -> str:
        """The total's cost, as `TokenUsage.get_cost` writes it."""
        return self.get_total_usage().get_cost()

    def __str__(self) -> str:
        return f"{self.name}: {self.get_total_usage()}"


@dataclass(kw_only=True, slots=True)
class LLMResponse:
    """A model's answer, its token usage, and how much of the window that is: `total_tokens` of `max_tokens`."""

    text: str = ""
    tool_calls: Sequence[Any] = ()
    token_usage: TokenUsage = field(default_factory=TokenUsage)
    total_tokens: int | None = None
    max_tokens: int | None = None
