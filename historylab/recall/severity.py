"""How bad a loss is: who said the value first, and whether a call can be repeated that would say it again.

A tool's result can be fetched again where its call reads and changes nothing (`repeatable.py`), or where the very same
call was made several times and said the value each time. Nor may the call need the value itself. An estimate, as a tool
may find something else tomorrow; and a careful one, since what any other tool said counts as gone.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from historylab.conversation.columns import ASSISTANT, TOOL
from historylab.conversation.conversation import Conversation
from historylab.counters.base import token_column
from historylab.planning.replay import Timeline
from historylab.planning.strategies.facts import answered_call
from historylab.recall.references import Said, contains_value
from historylab.recall.repeatable import can_be_repeated, changes_something
from historylab.summarizers.values import argument_values

BY_PERSON, BY_TOOL, BY_ASSISTANT, FETCHABLE = "person", "tool", "assistant", "fetchable"
SEVERITIES = (BY_PERSON, BY_TOOL, BY_ASSISTANT, FETCHABLE)
"""The worst first: said by a person (or a system message), by a tool that can't be asked again, by the assistant."""
GONE_FOR_GOOD = frozenset({BY_PERSON, BY_TOOL})


@dataclass(frozen=True, slots=True)
class Severity:
    """One of SEVERITIES; if it is fetchable, the results (message indices) that between them say what is lost."""

    name: str
    results: tuple[int, ...] = ()


def severity_of(conversation: Conversation, lost: Sequence[Said]) -> Severity:
    """The severity of losing these: a value, or its lost lines, each with the messages that say it."""
    sayers = conversation.remember("sayers", lambda: Sayers(conversation))
    found: list[int] = []
    worst = FETCHABLE
    for value, said in sorted(lost, key=lambda each: len(each[1])):
        if not any(i in said for i in found):
            judged = sayers.severity(value, said)
            worst = min(worst, judged.name, key=SEVERITIES.index)
            found += judged.results
    return Severity(worst, tuple(sorted(found)) if worst == FETCHABLE else ())


class Sayers:
    """Who says a value, and whose results could be had again; each value is judged once."""

    def __init__(self, conversation: Conversation):
        self.role = conversation.columns.role
        results = np.flatnonzero(self.role == TOOL).tolist()
        self._calls = {i: call for i in results if (call := answered_call(conversation, i))}
        self._same_call: dict[tuple[str, str], list[int]] = {}
        for i, call in self._calls.items():
            self._same_call.setdefault((call.name, call.arguments), []).append(i)
        self._reads, self._repeats = np.zeros(len(conversation), bool), np.zeros(len(conversation), bool)
        for (name, arguments), same in self._same_call.items():
            self._reads[same] = can_be_repeated(name, arguments)
            self._repeats[same] = len(same) > 1 and not changes_something(name, arguments)
        self._known: dict[tuple[str, int], Severity] = {}

    def severity(self, value: str, said: np.ndarray) -> Severity:
        """That of losing a value which these messages say (int64, ascending)."""
        key = (value, len(said))
        if key not in self._known:
            self._known[key] = self._judge(value, said)
        return self._known[key]

    def _judge(self, value: str, said: np.ndarray) -> Severity:
        results = said[self._reads[said] | self._repeats[said]][::-1]  # the newest first: it says what is there now
        again = next((i for i in results.tolist() if self._finds_again(value, i, said)), None)
        if again is not None:
            return Severity(FETCHABLE, (again,))
        first = self.role[said[0]]
        return Severity(BY_ASSISTANT if first == ASSISTANT else BY_TOOL if first == TOOL else BY_PERSON)

    def _finds_again(self, value: str, result: int, said: np.ndarray) -> bool:
        """Whether the same call would say the value again, and doesn't need it itself."""
        call = self._calls[result]
        if not self._reads[result] and np.isin(self._same_call[call.name, call.arguments], said).sum() < 2:
            return False
        return not any(contains_value(given, value) for _, given in argument_values(call))


# -- what fetching takes


@dataclass(frozen=True, slots=True)
class Fetch:
    """What it takes to fetch results again: how many calls, the tokens of those, and of the results. An estimate."""

    count: int
    calls: int
    results: int

    @property
    def tokens(self) -> int:
        return self.calls + self.results


def fetch_of(timeline: Timeline, results: Iterable[int]) -> Fetch:
    """What it takes to fetch these tool results (message indices) again, by the timeline's counter."""
    conversation, chosen = timeline.conversation, sorted(results)
    tokens = token_column(conversation, timeline.counter)
    calls = sum(_call_tokens(conversation, tokens, i) for i in chosen)
    return Fetch(len(chosen), calls, int(tokens[chosen].sum()))


def _call_tokens(conversation: Conversation, tokens: np.ndarray, result: int) -> int:
    """Tokens of the call that a result answers: its part of the message that makes it, by characters."""
    columns, call = conversation.columns, answered_call(conversation, result)
    caller = columns.block_first.item(columns.block.item(result))
    message = conversation[caller]
    size = sum(len(each.name) + len(each.arguments) for each in message.tool_calls) + len(message.content)
    return round(tokens.item(caller) * (len(call.name) + len(call.arguments)) / max(1, size)) if call else 0
