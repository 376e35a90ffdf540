"""The journal of a sweep: its rows on disk, a line each, written as they come; the same sweep goes on from there.

It lies beside the table, which is made from it. A row is found again by what it was measured from: its source as it is
now (a file's size and time of change, or a conversation's content), the settings that have an effect, prices,
questions, must-remember messages, and this code. Anything else is measured anew; rows of other sweeps stay there.
"""

from __future__ import annotations

import hashlib
import json
import os
import secrets
from array import array
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from time import monotonic
from typing import Any, BinaryIO

import numpy as np

from historylab.conversation.conversation import Conversation
from historylab.errors import HistoryLabError
from historylab.pricing import prices_of
from historylab.settings.model import Settings
from historylab.tuning.corpus import Source
from historylab.tuning.jobs import Done, Job, Part
from historylab.tuning.lanes import effective_key
from historylab.tuning.replayed import AS_SENT

ENDING = ".journal"
HEAD = {"historylab": "rows of a sweep as they were measured; without this file the next one measures all of them"}
MOST_CONVERSATIONS = 2**31  # of a source; a line that says more was not written here
SECONDS_BETWEEN_SYNCS = 5.0  # the work that a loss of power may cost

Lines = dict[tuple[int, int], int]
"""Conversation and settings → where the line with their row begins."""


class Journal:
    """The rows of a job over the `found` sources: those on disk, and those that are added. Held is only where they are.

    Open it with `with`. `torn` counts the lines that can't be read: a killed process or a loss of power may leave one.
    """

    def __init__(self, path: str, found: Sequence[Source], job: Job):
        self.path, self.torn, self._found, self._synced = path, 0, found, monotonic()
        self._of = [_digest(_identity(source)) for source in found]
        self._under = [_digest(_measured_under(job, c)) for c in range(len(job.candidates))]
        self._sources, self._settings = _number_names(self._of), _number_names(self._under)
        self._index = tuple(array("q") for _ in range(4))  # per line: source, conversation, settings, where it begins
        self._about: dict[int, tuple[int, int]] = {}  # source → how many conversations, and remarks on reading them
        self._last: set[tuple[int, int, int]] = set()  # the lines of the conversation at work
        try:
            self._file = open(path, "ab", buffering=0)  # noqa: SIM115 (__exit__ closes it)
            self._read()
        except OSError as problem:
            raise self._unusable(problem) from None

    # -- on disk

    def _read(self) -> None:
        at, line = 0, b""
        with open(self.path, "rb") as lines:
            for line in lines:
                entry = _value(line)
                if not at and entry != HEAD:
                    raise HistoryLabError(f"{self.path} is no journal of a sweep; move it, or name another table")
                self.torn += at > 0 and not self._take_up(entry, at)
                at += len(line)
        if not at:
            self._append(HEAD)
        elif not line.endswith(b"\n"):
            self._file.write(b"\n")

    def _take_up(self, entry: Any, at: int) -> bool:
        """Note where a row begins, if it is one of ours. Returns whether it could be read."""
        try:
            source, settings = self._sources.get(entry["of"]), self._settings.get(entry["under"])
            conversation, about = int(entry["conversation"]), (int(entry["many"]), int(entry["remarks"]))
        except (TypeError, KeyError, ValueError, OverflowError):
            return False
        if not isinstance(entry.get("row"), dict) or not 0 <= conversation < about[0] < MOST_CONVERSATIONS:
            return False
        if source is not None and settings is not None:
            self._note(source, conversation, settings, at, about)
        return True

    def _note(self, source: int, conversation: int, settings: int, at: int, about: tuple[int, int]) -> None:
        self._about[source] = about
        for column, value in zip(self._index, (source, conversation, settings, at), strict=True):
            column.append(value)

    def add(self, done: Done) -> None:
        """Write a row. Candidates that differ in nothing that has an effect have one line."""
        of, under = self._of[done.source], self._under[done.candidate]
        key = (self._sources[of], done.conversation, self._settings[under])
        if key in self._last:
            return
        self._last = {other for other in self._last if other[:2] == key[:2]} | {key}
        about = {"many": done.many, "remarks": done.remarks}
        entry = {"of": of, "conversation": done.conversation, "under": under, **about, "row": done.row}
        self._note(*key, self._append(entry), (done.many, done.remarks))

    def _append(self, entry: Any) -> int:
        """Write a line at once, so that it outlives this process. Returns where it begins."""
        line = json.dumps(entry).encode() + b"\n"
        try:
            written = self._file.write(line)
            if monotonic() - self._synced > SECONDS_BETWEEN_SYNCS:
                self._sync()
        except OSError as problem:
            raise self._unusable(problem) from None
        if written != len(line):
            raise HistoryLabError(f"{self.path} can't be written: no space is left")
        return self._file.tell() - len(line)

    def _sync(self) -> None:
        os.fsync(self._file)
        self._synced = monotonic()

    def __enter__(self) -> Journal:
        return self

    def __exit__(self, *_: object) -> None:
        with self._file:
            self._sync()

    def _unusable(self, problem: OSError) -> HistoryLabError:
        return HistoryLabError(f"{self.path} can't be written: {problem.strerror or problem}")

    # -- what is there

    def todo(self) -> list[Part]:
        """What is still to be measured."""
        every, parts = range(len(self._under)), []
        for number, (source, lines) in enumerate(zip(self._found, self._lines(), strict=True)):
            many = range((self.about(number) or (0, 0))[0])
            there = {(k, c) for k in many for c in every if (k, self._settings[self._under[c]]) in lines}
            lacking = tuple(c for c in every if not lines or any((k, c) not in there for k in many))
            if lacking:
                partly = frozenset((k, c) for k, c in there if c in lacking)
                parts.append(Part(number, source, lacking, partly))
        return parts

    def rows(self) -> Iterator[Done]:
        """Every row, by source, conversation and candidate."""
        with open(self.path, "rb") as file:
            for number, lines in enumerate(self._lines()):
                for k in sorted({conversation for conversation, _ in lines}):
                    yield from self._rows(file, number, k, lines)

    def _rows(self, file: BinaryIO, number: int, conversation: int, lines: Lines) -> Iterator[Done]:
        read: dict[int, Any] = {}
        for candidate, under in enumerate(self._under):
            settings = self._settings[under]
            if (at := lines.get((conversation, settings))) is None:
                continue
            if settings not in read:
                file.seek(at)
                read[settings] = json.loads(file.readline())
            entry = read[settings]
            yield Done(number, conversation, candidate, entry["many"], dict(entry["row"]), entry["remarks"])

    def _lines(self) -> Iterator[Lines]:
        """The lines of each source in turn."""
        of, conversation, settings, at = (np.array(column, np.int64) for column in self._index)
        order = np.argsort(of, kind="stable")
        bounds = np.searchsorted(of[order], np.arange(len(self._sources) + 1))
        for name in self._of:
            n = self._sources[name]
            mine = order[bounds[n] : bounds[n + 1]]
            pairs = zip(conversation[mine].tolist(), settings[mine].tolist(), strict=True)
            yield dict(zip(pairs, at[mine].tolist(), strict=True))

    def about(self, number: int) -> tuple[int, int] | None:
        """How many conversations a source has, and remarks on reading it; None if nothing of it has been measured."""
        return self._about.get(self._sources[self._of[number]])


# -- what a row was measured from


def _number_names(names: Sequence[str]) -> dict[str, int]:
    """Each name once, in order, with its number."""
    return {name: n for n, name in enumerate(dict.fromkeys(names))}


def _identity(source: Source) -> Any:
    if isinstance(source, Conversation):
        return source.digest, source.title, [dict(source.metadata), *(dict(m.metadata) for m in source)]
    unseen = "" if any(source.stamp) else secrets.token_hex()  # only workers can see whether it has changed
    return source.path, source.start, source.stop, source.stamp, repr(source.shape), unseen


def _measured_under(job: Job, candidate: int) -> Any:
    lane, options, beside = job.candidates[candidate], job.options, AS_SENT in job.candidates
    prices = options.prices or (prices_of(lane.model) if isinstance(lane, Settings) else None)
    return effective_key(lane), repr(options), repr(prices), beside, _code()


@cache
def _code() -> str:
    """A digest of this package: another version measures anew."""
    package = Path(__file__).parents[1]
    hasher = hashlib.blake2b(digest_size=12)
    for path in sorted(package.rglob("*.py")):
        hasher.update(path.read_bytes())
    return hasher.hexdigest()


def _digest(value: Any) -> str:
    return hashlib.blake2b(repr(value).encode("utf-8", "backslashreplace"), digest_size=12).hexdigest()


def _value(line: bytes) -> Any:
    """The JSON value of a line; None if it is none."""
    try:
        return json.loads(line)
    except (ValueError, RecursionError):
        return None
