"""What a request sends otherwise than the one before: messages that are the same, gone, or new, in their order."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Any, Literal

MOST = 2_000  # messages compared one by one; where more lie between the ends that are alike, all of them changed
Record = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Run:
    """Messages in a row with the same fate. Those removed are the former request's, the others this one's.

    `first` is the place of the first of them (from 0) in the request they are of.
    """

    kind: Literal["same", "removed", "added"]
    first: int
    records: Sequence[Record]


def request_changes(before: Sequence[Record], now: Sequence[Record]) -> tuple[Run, ...]:
    """The runs from the first message to the last; what is removed comes before what is added in its place."""
    old, new = [_key(record) for record in before], [_key(record) for record in now]
    start = _alike(old, new)
    end = _alike(old[start:][::-1], new[start:][::-1])
    runs = [Run("same", 0, now[:start])]
    for kind, i, j in _between(old[start : len(old) - end], new[start : len(new) - end]):
        records, (first, stop) = (before, i) if kind == "removed" else (now, j)
        runs.append(Run(kind, start + first, records[start + first : start + stop]))
    runs.append(Run("same", len(now) - end, now[len(now) - end :]))
    return tuple(run for run in runs if run.records)


def shared_beginning(runs: Sequence[Run]) -> int:
    """The number of messages at the beginning that a cache still holds from the request before."""
    return len(runs[0].records) if runs and runs[0].kind == "same" and not runs[0].first else 0


def _key(record: Record) -> str:
    return json.dumps(record, sort_keys=True, default=str)


def _alike(old: Sequence[str], new: Sequence[str]) -> int:
    """The number of equal items at the beginning of both."""
    return next((i for i, (a, b) in enumerate(zip(old, new, strict=False)) if a != b), min(len(old), len(new)))


def _between(
    old: Sequence[str], new: Sequence[str]
) -> Iterator[tuple[Literal["same", "removed", "added"], tuple[int, int], tuple[int, int]]]:
    if len(old) + len(new) > MOST:
        yield "removed", (0, len(old)), (0, 0)
        yield "added", (0, 0), (0, len(new))
        return
    for kind, a, b, c, d in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if kind == "equal":
            yield "same", (a, b), (c, d)
            continue
        yield "removed", (a, b), (c, d)
        yield "added", (a, b), (c, d)
