"""Reads off a timeline the rule behind it: how much its requests keep of the newest, before and after each cut."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from historylab.conversation.columns import SYSTEM, TOOL, USER
from historylab.counters.base import token_column
from historylab.planning.reasons import Action
from historylab.planning.replay import Timeline

WHOLE, REWRITTEN, GONE = range(3)
"""The way a message is sent, or that it isn't."""
WAYS = np.array([WHOLE, WHOLE, REWRITTEN, GONE, GONE], np.uint8)
"""Per Action the way of sending."""


class Extent(NamedTuple):
    """A number that stays after a cut, and the number up to which nothing is cut."""

    keep: int
    trigger: int


@dataclass(frozen=True, eq=False)
class Observed:
    """The known requests of a timeline: how each message is sent, and where the whole of the newest begins.

    `starts` (int64[requests]) is the first message of those at the end of which none is left out.
    """

    timeline: Timeline
    numbers: Sequence[int]
    ways: Sequence[np.ndarray]

    @classmethod
    def of(cls, timeline: Timeline, numbers: Sequence[int] | None = None) -> Observed:
        """Observe a timeline, or some of its requests (from 0)."""
        if numbers is None:
            numbers = [number for number in range(len(timeline.plans)) if number not in timeline.unknown]
        return cls(timeline, numbers, [WAYS[timeline.plans[number].actions] for number in numbers])

    @cached_property
    def roles(self) -> np.ndarray:
        """uint8[messages]."""
        return self.timeline.original.columns.role

    @cached_property
    def sizes(self) -> np.ndarray:
        """int64[requests]: messages said before each."""
        return np.array([len(ways) for ways in self.ways], np.int64)

    @cached_property
    def starts(self) -> np.ndarray:
        found = [np.flatnonzero((ways == GONE) & (self.roles[: len(ways)] != SYSTEM)) for ways in self.ways]
        return np.array([gone.item(-1) + 1 if len(gone) else 0 for gone in found], np.int64)

    @cached_property
    def cuts(self) -> np.ndarray:
        """int64: the requests, among those that are known, at which the start moves on."""
        return np.flatnonzero(np.diff(self.starts, prepend=0) > 0)

    @cached_property
    def beginnings(self) -> Mapping[int, int]:
        """The number of cuts that leave a beginning of each role."""
        begun = zip(self.starts[self.cuts].tolist(), self.sizes[self.cuts].tolist(), strict=True)
        return Counter(self.roles.item(start) for start, size in begun if start < size)

    @property
    def turns(self) -> np.ndarray:
        """int64[requests]: messages said before the newest turn of each."""
        users = self.timeline.original.columns.users
        return np.append(users, 0)[users.searchsorted(self.sizes) - 1]

    def extents(self, unit: str, asked: str = "request") -> list[Extent]:
        """Numbers that would explain the cuts, counted in that unit, the likeliest first.

        `asked`: "turn" where a cut is made at the start of one, and that turn isn't counted.
        """
        if not len(self.cuts):
            return []
        running, ends = self._running[unit], self.turns if asked == "turn" else self.sizes
        after = np.maximum(0, running[ends] - running[self.starts])
        begun = np.concatenate(([0], self.starts[:-1]))
        before = np.maximum(0, running[ends] - running[begun])[self.cuts]
        still = np.delete(after, self.cuts)
        left = after[self.cuts]
        most = max(still.max(initial=0), left.max())
        keeps = dict.fromkeys(int(n) for n in (left.max(), np.median(left), left.min(), most) if n >= 1)
        triggers = dict.fromkeys(int(n) for n in (most, before.min() - 1, np.median(before) - 1))
        found = [Extent(keep, max(keep, trigger)) for keep in keeps for trigger in (keep, *triggers)]
        return list(dict.fromkeys(found))

    @cached_property
    def _running(self) -> Mapping[str, np.ndarray]:
        """Per unit how many there are before each message, system messages left out."""
        return {unit: np.concatenate(([0], np.cumsum(each))) for unit, each in self._weights()}

    def _weights(self) -> Iterator[tuple[str, np.ndarray]]:
        conversation, roles = self.timeline.original, self.roles
        said, homes = roles != SYSTEM, conversation.columns.block
        first = np.diff(homes, prepend=-1) > 0
        repeated = (roles == TOOL) & (np.append(TOOL + 1, roles[:-1]) == TOOL)
        yield "messages", said.astype(np.int64)
        yield "merged", said & ~repeated
        yield "groups", said & first
        yield "items", np.array([max(1, bool(m.content) + len(m.tool_calls)) for m in conversation], np.int64) * said
        yield "turns", (roles == USER).astype(np.int64)
        yield "tokens", token_column(conversation, self.timeline.counter).astype(np.int64) * said

    @property
    def outside(self) -> int:
        """Tokens that count towards a budget and are none of the newest messages: system messages, overhead."""
        tokens = token_column(self.timeline.original, self.timeline.counter)
        systems = int(tokens[self.roles == SYSTEM].sum())
        return systems + self.timeline.counter.per_request + self.timeline.settings.overhead

    @cached_property
    def rewritten(self) -> np.ndarray:
        """int64: results of tools that some request sends as another text."""
        found = np.zeros(len(self.roles), bool)
        for ways in self.ways:
            found[: len(ways)] |= ways == REWRITTEN
        return np.flatnonzero(found & (self.roles == TOOL))

    @cached_property
    def texts_begin(self) -> list[int]:
        """Numbers of characters that a result rewritten begins with as it was said, the most frequent first."""
        whole, found = self.timeline.original, dict[int, int]()
        results = set(self.rewritten.tolist())
        for number in self.numbers:
            for cut in self.timeline.plans[number].shortened:
                for i in results.intersection(cut.messages.tolist()).difference(found):
                    found[i] = _count_alike(whole[i].content, cut.texts[i])
        return [n for n, _ in Counter(found.values()).most_common(2) if n]

    @cached_property
    def tokens(self) -> np.ndarray:
        """int64[requests]: tokens of each."""
        found: np.ndarray = self.timeline.contexts[list(self.numbers)]
        return found

    @cached_property
    def whole_results(self) -> list[int]:
        """Numbers of newest results that stay whole where older ones don't, the most first."""
        found = set[int]()
        for ways in self.ways:
            results = np.flatnonzero(self.roles[: len(ways)] == TOOL)
            older = np.flatnonzero(ways[results] == REWRITTEN)
            if len(older):
                found.add(len(results) - older.item(-1) - 1)
        return sorted(found, reverse=True)

    @cached_property
    def whole_tokens(self) -> list[int]:
        """Numbers of tokens that results have which stay whole where older ones don't: least, median and most."""
        tokens, found = token_column(self.timeline.original, self.timeline.counter), list[int]()
        for ways in self.ways:
            results = np.flatnonzero(self.roles[: len(ways)] == TOOL)
            older = np.flatnonzero(ways[results] == REWRITTEN)
            if len(older):
                found.append(int(tokens[results[older.item(-1) + 1 :]].sum()))
        return sorted({int(each) for each in np.quantile(found, (0, 0.5, 1))}) if found else []

    @property
    def sizes_before_rewriting(self) -> tuple[int, int]:
        """Tokens of the largest history of which nothing is rewritten, and of the smallest of which something is."""
        sizes = self.timeline.untrimmed[self.numbers] + self.timeline.settings.overhead
        rewrites = np.array([bool((ways == REWRITTEN).any()) for ways in self.ways])
        whole, rewritten = sizes[~rewrites], sizes[rewrites]
        return int(whole.max(initial=0)), int(rewritten.min()) if len(rewritten) else 0

    @property
    def leaves_out_systems(self) -> bool:
        """Tell whether a request leaves a system message out."""
        return any(bool(((ways == GONE) & (self.roles[: len(ways)] == SYSTEM)).any()) for ways in self.ways)

    @property
    def keeps_first(self) -> bool:
        """Tell whether the first message of a user stays where later ones have gone, at most cuts."""
        users = self.timeline.original.columns.users
        cut = [ways for ways, start in zip(self.ways, self.starts.tolist(), strict=True) if start > users[:1].sum() + 1]
        return len(users) > 0 and sum(ways[users[0]] != GONE for ways in cut) * 2 > max(1, len(cut))

    @cached_property
    def summarised(self) -> list[bool]:
        """Per request whether it sends a summary in the place of others."""
        return [bool((self.timeline.plans[n].block_actions == Action.SUMMARIZED).any()) for n in self.numbers]


def _count_alike(one: str, other: str) -> int:
    """The number of characters that both begin with."""
    pairs = zip(one, other, strict=False)
    return next((n for n, (a, b) in enumerate(pairs) if a != b), min(len(one), len(other)))
