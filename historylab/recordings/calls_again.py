"""Calls made again: they only read, and brought mostly what an earlier result, no longer sent, had said."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from pathlib import PurePath

import numpy as np

from historylab.conversation.injected import without_reminders
from historylab.conversation.message import ToolCall
from historylab.planning.replay import Timeline
from historylab.planning.strategies.facts import answered_call, calling_message
from historylab.recall.references import LINE_NUMBER
from historylab.recall.repeatable import may_change_files, only_reads
from historylab.recall.severity import fetch_of
from historylab.recall.shapes import is_folder, tokens_of
from historylab.recall.value_kinds import is_file
from historylab.summarizers.values import argument_values

MOSTLY = 0.5
"""The share of a result's lines that had to be said before."""

LONGEST = 2_000  # characters of an argument that may name a file: a longer one is a text
NO_FILE = ()
"""Key of the results of calls that name no file."""
SAYS_SOMETHING = re.compile(r"[^\W_]{2}")


@dataclass(frozen=True, slots=True)
class CallAgain:
    """A call that brought again what a result had said, and that no request had since a cut or out of a window.

    Attributes:
        request: the one (from 0) whose answer made it.
        message: its result.
        earlier: the newest result that was gone and said it.
        gone: the first request that no longer had that one.
        tool: the tool's name.
        path: the file that both name, as the call has it; "" for the same call about no file.
        call_tokens, result_tokens: of the call, and of that part of its result which had been said.
    """

    request: int
    message: int
    earlier: int
    gone: int
    tool: str
    path: str
    call_tokens: int
    result_tokens: int


def find_calls_again(timeline: Timeline, gone: np.ndarray) -> Iterator[CallAgain]:
    """The calls that were made again, in order; `gone` (int64[messages]) is the first request without each message.

    What came back mostly new was not read again, nor was a file that a call had changed since its text was gone; nor,
    where no file is named, anything after any change.
    """
    conversation, seen = timeline.conversation, _SeenResults(gone)
    for i in conversation.columns.results.tolist():
        call = answered_call(conversation, i)
        if call is None:
            continue
        files, lines = _files_in(call), _telling_lines(conversation[i].content)
        request = conversation.columns.first_request_after(calling_message(conversation, i)) - 1
        if only_reads(call.name, call.arguments):
            earlier, share = seen.newest_gone(call, files, lines, request)
            if share >= MOSTLY and request not in timeline.unknown:
                path = next((path for name, path in files.items() if seen.reads(name, earlier)), "")
                fetch, since = fetch_of(timeline, [i]), gone.item(earlier)
                brought = round(share * fetch.results)
                yield CallAgain(request, i, earlier, since, call.name, path, fetch.calls, brought)
            seen.add(i, call, files, lines)
        elif may_change_files(call.name, call.arguments):
            seen.forget(files, request)


class _SeenResults:
    """The results of calls that only read, by the call and by the names of its files."""

    def __init__(self, gone: np.ndarray):
        self._gone = gone
        self._of: dict[tuple[str, ...], list[int]] = {}
        self._lines: dict[int, frozenset[str]] = {}

    def add(self, result: int, call: ToolCall, files: Collection[str], lines: frozenset[str]) -> None:
        """Take one more, with its lines."""
        self._lines[result] = lines
        if not files:
            self._of.setdefault(NO_FILE, []).append(result)
        for key in _keys(call, files):
            self._of.setdefault(key, []).append(result)

    def forget(self, files: Iterable[str], request: int) -> None:
        """Forget gone results about these files, which have changed now, and about no file."""
        for result in (result for key in (NO_FILE, *((name,) for name in files)) for result in self._of.get(key, ())):
            if self._gone[result] <= request:
                self._lines[result] = frozenset()

    def reads(self, name: str, result: int) -> bool:
        """Tell whether a result is of a file of that name."""
        return result in self._of.get((name,), ())

    def newest_gone(
        self, call: ToolCall, files: Iterable[str], lines: frozenset[str], request: int
    ) -> tuple[int, float]:
        """The newest result that said any of the lines and was gone; the share of them that only such ones said."""
        known = sorted({result for key in _keys(call, files) for result in self._of.get(key, ())})
        gone = [i for i in known if self._gone[i] <= request and not lines.isdisjoint(self._lines[i])]
        if not gone:
            return -1, 0.0
        held = (self._lines[i] for i in known if self._gone[i] > request)
        again = lines & frozenset[str]().union(*(self._lines[i] for i in gone))
        return gone[-1], len(again.difference(*held)) / len(lines)


def _keys(call: ToolCall, files: Iterable[str]) -> Iterator[tuple[str, ...]]:
    """The call with its arguments, whatever their order and spacing, and each of its files."""
    yield (call.name, *(f"{path}={' '.join(value.split())}" for path, value in sorted(argument_values(call))))
    yield from ((name,) for name in files)


def _files_in(call: ToolCall) -> dict[str, str]:
    """The files that a call names, also in a command: each name without its folders, and the path as it stands."""
    found = dict[str, str]()
    for _, value in argument_values(call):
        for path in (value, *tokens_of(value)) if len(value) <= LONGEST else ():
            if is_file(path) and not is_folder(path):
                found.setdefault(PurePath(path.replace("\\", "/")).name, path)
    return found


def _telling_lines(text: str) -> frozenset[str]:
    """The lines that say something, without the numbers that a reading tool puts before them."""
    lines = (LINE_NUMBER.sub("", line.strip(), count=1) for line in without_reminders(text).splitlines())
    return frozenset(line for line in lines if SAYS_SOMETHING.search(line))
