"""What a request sends otherwise than the one before: messages that are the same, changed, gone or new, in order."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from historylab.agent.text_changes import stretches

MOST = 2_000  # messages compared one by one; where more lie between the ends that are alike, all of them changed
NEAR = 8  # messages of the former request that a changed one is looked for among
LOOK_AT = 4_000  # characters of a message by which it is recognised
ALIKE = 0.5  # share of the words of the shorter one that both must have
Record = Mapping[str, Any]
Kind = Literal["same", "changed", "removed", "added"]


@dataclass(frozen=True, slots=True)
class Run:
    """Messages in a row with the same fate. Those removed are the former request's, the others this one's.

    `first` is the place of the first of them (from 0) in the request they are of. `before`: what changed ones were.
    """

    kind: Kind
    first: int
    records: Sequence[Record]
    before: Sequence[Record] = ()


def request_changes(before: Sequence[Record], now: Sequence[Record]) -> tuple[Run, ...]:
    """The runs from the first message to the last; what is removed comes before what is added in its place.

    A message counts as changed if it has the calls, or answers the call, of one that stood in its place, or has its
    role and most of its words.
    """
    old, new = [_key(record) for record in before], [_key(record) for record in now]
    runs = list[Run]()
    for a, b, c, d, same in stretches(old, new, MOST, autojunk=False):
        runs += [Run("same", c, now[c:d])] if same else _replacements(before[a:b], now[c:d], a, c)
    return tuple(run for run in runs if run.records)


def shared_beginning(runs: Sequence[Run]) -> int:
    """The number of messages at the beginning that a cache still holds from the request before."""
    return len(runs[0].records) if runs and runs[0].kind == "same" and not runs[0].first else 0


def _key(record: Record) -> str:
    return json.dumps(record, sort_keys=True, default=str)


def _replacements(old: Sequence[Record], new: Sequence[Record], first: int, place: int) -> Iterator[Run]:
    """The runs of a stretch in which no message is the same."""
    i = j = 0
    for k, n in [*_changed_places(old, new), (len(old), len(new))]:
        yield Run("removed", first + i, old[i:k])
        yield Run("added", place + j, new[j:n])
        yield Run("changed", place + n, new[n : n + 1], old[k : k + 1])
        i, j = k + 1, n + 1


def _changed_places(old: Sequence[Record], new: Sequence[Record]) -> Iterator[tuple[int, int]]:
    """The places of messages that became another, in their order."""
    if len(old) + len(new) > MOST:
        return
    next_old = 0
    for n, record in enumerate(new):
        near = range(next_old, min(next_old + NEAR, len(old)))
        if (k := next((k for k in near if _is_changed(old[k], record)), None)) is not None:
            yield k, n
            next_old = k + 1


def _is_changed(old: Record, new: Record) -> bool:
    """Whether it is one message with another text."""
    if old.get("role") != new.get("role") or _calls(old) != _calls(new):
        return False
    words, others = (set(str(record.get("content"))[:LOOK_AT].split()) for record in (old, new))
    return any(_calls(new)) or len(words & others) > ALIKE * min(len(words), len(others))


def _calls(record: Record) -> list[Any]:
    """The ids of the calls a message makes, or of the one it answers."""
    made = record.get("tool_calls")
    ids = [call.get("id") for call in made if isinstance(call, Mapping)] if isinstance(made, list | tuple) else []
    return [*ids, record.get("tool_call_id")]
