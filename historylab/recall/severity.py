"""The severity of a loss: who said the value first, and whether asking again would tell it.

What a person said, nobody can say again. What a tool said can be asked again (`repeatable.py`), unless its call changed
something or its answer is another one each time; nor may the call need the value itself, but for a file's path: a
folder can be listed, where tools take paths. A call that was made several times and said the value each time can be
repeated, too. What the assistant wrote is its own, but for what it wrote into a file. What a program put there (an
environment, AGENTS.md, a command's output) can be had again: the program has it. A prompt, be it a system message or a
sub-agent's task, is said once, and nobody in the conversation can ask for it. An estimate, as a tool may find something
else tomorrow.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from historylab.conversation.columns import TOOL
from historylab.conversation.conversation import Conversation
from historylab.conversation.message import ToolCall
from historylab.counters.base import token_column
from historylab.planning.replay import Timeline
from historylab.planning.strategies.facts import answered_call, calling_message
from historylab.recall.references import Said, contains_value
from historylab.recall.repeatable import can_be_repeated, changes_something, edits_file
from historylab.recall.sayers import BY_ASSISTANT, BY_INJECTED, BY_PERSON, BY_SYSTEM, BY_TOOL, find_sayers
from historylab.recall.shapes import is_folder
from historylab.recall.value_kinds import is_file
from historylab.summarizers.values import argument_values

NEVER, FETCHABLE = "never", "fetchable"
AGAIN = {BY_PERSON: NEVER, BY_TOOL: NEVER, BY_SYSTEM: NEVER, BY_ASSISTANT: BY_ASSISTANT, BY_INJECTED: FETCHABLE}
"""Severity → who can say it again, where no call would: nobody, the assistant, or the program that put it there."""
SEVERITIES = (*AGAIN, FETCHABLE)
"""The worst first: said by a person, by a tool that can't be asked again, by a prompt, by the assistant, a program."""
GONE_FOR_GOOD = frozenset(by for by, again in AGAIN.items() if again == NEVER)


@dataclass(frozen=True, slots=True)
class Severity:
    """The severity of losing a value, one of SEVERITIES: `by` said it first, and `message` is the newest of theirs.

    If it is fetchable, `message` is a tool's, and where the same calls would do, `results` (message indices) say
    between them what is lost. Of several lines it is the message that says most of them.
    """

    name: str
    by: str
    message: int
    results: tuple[int, ...] = ()

    @property
    def again(self) -> str:
        """ "never", "fetchable", or "assistant": who can say it again."""
        return AGAIN.get(self.name, FETCHABLE)


def severity_of(conversation: Conversation, lost: Sequence[Said]) -> Severity:
    """The severity of losing these: a value, or its lost lines, each with the messages that say it."""
    judge = conversation.remember("severities", lambda: _Judge(conversation))
    found: list[int] = []
    judged: list[tuple[Severity, str]] = []
    for value, said in sorted(lost, key=lambda each: len(each[1])):
        if not any(i in said for i in found):
            judged.append((judge.severity(value, said), value))
            found += judged[-1][0].results
    worst, line = min(judged, key=lambda each: SEVERITIES.index(each[0].name))
    if len(lost) == 1:
        return worst
    results = tuple(sorted(found)) if worst.name == FETCHABLE else ()
    counts = Counter(i for _, said in lost for i in said.tolist())
    who = judge.sayers.of(line, worst.message)
    theirs = (i for value, said in lost for i in said.tolist() if judge.sayers.of(value, i) == who)
    return Severity(worst.name, worst.by, max(results or theirs, key=lambda i: (counts[i], i)), results)


class _Judge:
    """The results that could be had again; each value is judged once."""

    def __init__(self, conversation: Conversation):
        self.sayers, self._conversation = find_sayers(conversation), conversation
        results = np.flatnonzero(conversation.columns.role == TOOL).tolist()
        self._calls = {i: _call_of(conversation, i) for i in results}
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
        newest = {self.sayers.of(value, i): i for i in said.tolist()}
        by = next(iter(newest))
        if (again := self._found_again(value, said)) is not None:
            return Severity(FETCHABLE, by, again, (again,))
        named = not is_folder(value) and self._has_files
        listed = is_file(value) and (BY_TOOL in newest or by == BY_ASSISTANT or named)
        if listed or (not is_file(value) and any(self._stands_in_file(value, i) for i in said.tolist())):
            return Severity(FETCHABLE, by, newest.get(BY_TOOL, newest[by]))
        if self.sayers.of_sub_agent:
            return Severity(BY_SYSTEM if by == BY_INJECTED else by, by, newest[by])
        name = BY_INJECTED if BY_INJECTED in newest else by
        return Severity(name, by, newest[name])

    @cached_property
    def _has_files(self) -> bool:
        """Tell whether the conversation has tools for files: a call that is answered takes a path."""
        return any(is_file(given) for call in self._calls.values() for _, given in argument_values(call))

    def _found_again(self, value: str, said: np.ndarray) -> int | None:
        """The newest result that says the value, and that its call would bring again."""
        results = said[self._reads[said] | self._repeats[said]][::-1]
        return next((i for i in results.tolist() if self._finds_again(value, i, said)), None)

    def _stands_in_file(self, value: str, i: int) -> bool:
        """Tell whether a call of message `i` writes it into a file, or a result shows it of one that its call edits."""
        call = self._calls.get(i)
        if call and edits_file(call.name, call.arguments) and not _is_given(value, call):
            return True
        calls = self._conversation[i].tool_calls
        return any(edits_file(call.name, call.arguments) and _is_given(value, call) for call in calls)

    def _finds_again(self, value: str, result: int, said: np.ndarray) -> bool:
        """Whether the same call would say the value again, and doesn't need it itself."""
        call = self._calls[result]
        if self.sayers.of(value, result) != BY_TOOL:
            return False
        if not self._reads[result] and np.isin(self._same_call[call.name, call.arguments], said).sum() < 2:
            return False
        return not _is_given(value, call)


def _is_given(value: str, call: ToolCall) -> bool:
    """Tell whether a call says the value itself."""
    return any(contains_value(given, value) for _, given in argument_values(call))


def _call_of(conversation: Conversation, result: int) -> ToolCall:
    """The call that a result answers, or what is known of it where the file holds none: the tool's name, or nothing."""
    return answered_call(conversation, result) or ToolCall("", conversation[result].name or "")


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
    call, caller = answered_call(conversation, result), calling_message(conversation, result)
    message = conversation[caller]
    size = sum(len(each.name) + len(each.arguments) for each in message.tool_calls) + len(message.content)
    return round(tokens.item(caller) * (len(call.name) + len(call.arguments)) / max(1, size)) if call else 0
