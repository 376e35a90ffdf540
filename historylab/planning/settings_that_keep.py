"""Settings of ours that would have kept what somebody else's decisions left out, each planned at that request.

First a few simple ones in as many tokens as were really sent; where none of these keeps it, the smallest budget that
would. Nothing is promised of other sizes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from historylab.conversation.conversation import Conversation
from historylab.conversation.message import MOST_TOKENS
from historylab.planning.pipeline import open_instruments, plan_up_to
from historylab.planning.plan import HistoryPlan
from historylab.planning.reasons import BY_SUMMARY, Explanation
from historylab.planning.remedy import find_remedy
from historylab.settings.model import Settings

EVERY = {"policy": "all", "filter": "off", "tool_output": "off", "compaction": "off"}
"""Settings that all candidates share unless they say otherwise: all messages, up to a budget."""
SENDING: tuple[Mapping[str, Any], ...] = (
    {"pruner": "fifo"},
    {"pruner": "relevance"},
    {"pruner": "fifo", "tool_output": "clear"},
)
"""Candidates for having a message sent; nothing is carried from request to request, so each trial plans only one."""
SUMMING_UP: tuple[Mapping[str, Any], ...] = (
    {"pruner": "summarize", "summarizer": "extractive"},
    {"pruner": "summarize", "summarizer": "ledger"},
)
"""Candidates for having a summary say it; none asks a model. Each trial plans all requests up to that one."""
MOST_CARRIED = 500  # requests that are planned for such a trial

Keeps = Callable[[HistoryPlan], int]
"""BY_MESSAGE where a plan sends what is wanted, BY_SUMMARY where its summary alone has it, else LOST."""


@dataclass(frozen=True, slots=True)
class KeepingSettings:
    """Changes to a timeline's settings under which a request keeps something, and the tokens it then takes.

    `more`: tokens beyond what was really sent; below 0 where they are fewer. `by_summary`: a summary alone has it.
    """

    changes: Mapping[str, Any]
    tokens: int
    more: int
    by_summary: bool = False


def find_keeping_settings(
    conversation: Conversation,
    settings: Settings,
    sent: HistoryPlan,
    message: int,
    keeps: Keeps,
    *,
    summaries: bool = False,
) -> KeepingSettings | None:
    """The settings of ours nearest in size to what was `sent` that keep `message`, or whatever `keeps` looks for.

    Of those that take no more than was sent the largest, then, with `summaries`, those whose summary has it; else the
    ones that take the least more. None where nothing that was tried would. `conversation` is the original.
    """
    trials = _Trials(conversation, settings, sent, message, size_of_request(sent, settings), keeps)
    carried = conversation.columns.requests.searchsorted(sent.size) if summaries else MOST_CARRIED
    for candidates in (SENDING, SUMMING_UP if carried < MOST_CARRIED else ()):
        if within := list(trials.find_in_size(candidates)):
            return min(within, key=lambda found: (found.by_summary, -found.tokens))
    return min(trials.find_larger(), key=lambda found: found.more, default=None)


def size_of_request(plan: HistoryPlan, settings: Settings) -> int:
    """The tokens of a whole request, what is outside its messages included."""
    return plan.tokens if plan.is_sized else plan.tokens + settings.overhead


@dataclass(slots=True)
class _Trials:
    conversation: Conversation
    settings: Settings
    sent: HistoryPlan
    message: int
    size: int
    keeps: Keeps

    def find_in_size(self, candidates: Iterable[Mapping[str, Any]]) -> Iterator[KeepingSettings]:
        """The candidates that keep it in no more tokens than were sent."""
        for candidate in candidates:
            found = self._measure(self._settings_of(candidate))
            if found and found.more <= 0:
                yield found

    def find_larger(self) -> Iterator[KeepingSettings]:
        """Per candidate the smallest change that keeps it."""
        limit = 2 * (self.sent.history.total_tokens + self.size) + self.settings.reserve + self.sent.size
        for candidate in SENDING:
            ours = self._settings_of(candidate)
            changes = find_remedy(ours, self._explain(ours), self._explain, limit)
            if changes and (found := self._measure(ours.replace(**changes))):
                yield found

    def _settings_of(self, candidate: Mapping[str, Any]) -> Settings:
        return self.settings.replace(
            **{**EVERY, "budget": min(self.size + self.settings.reserve, MOST_TOKENS), **candidate}
        )

    def _plan(self, ours: Settings) -> HistoryPlan:
        return plan_up_to(self.conversation, ours, open_instruments(ours).offline(), self.sent.size)

    def _explain(self, ours: Settings) -> Explanation:
        return self._plan(ours).reason(self.message)

    def _measure(self, ours: Settings) -> KeepingSettings | None:
        plan = self._plan(ours)
        if not (kept := self.keeps(plan)):
            return None
        tokens = size_of_request(plan, ours)
        return KeepingSettings(self._changes(ours), tokens, tokens - self.size, kept == BY_SUMMARY)

    def _changes(self, ours: Settings) -> dict[str, Any]:
        """The values that differ from the timeline's settings, and the budget in any case, as that is the point."""
        names = {**ours.model_dump(), **ours.options}
        return {
            name: ours.value(name)
            for name in names
            if name != "options" and (name == "budget" or ours.value(name) != self.settings.value(name))
        }
