"""Thirty turns as an application sends them: parallel tool calls, images, system updates, alone or in a room."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

TURNS = 30
PICTURE = "data:image/gif;base64,R0lGODlhAQABAAAAACH5BAEKAAEALAAAAAABAAEAAAICTAEAOw=="
PEOPLE = ("ann", "ben", "cleo")
AGENTS = ("moss", "fern")

Record = dict[str, Any]


def thirty_turns(room: bool = False) -> list[Record]:
    """The whole conversation as Chat Completions dicts, ending in an answer; the same at every call.

    In a `room` three people and two agents talk, by `name`; calls are `moss`'s.
    """
    messages: list[Record] = [{"role": "system", "content": "You look after the ferries. Be brief."}]
    for turn in range(TURNS):
        messages += _turn(turn, room)
    return messages


def requests_of(messages: Sequence[Record]) -> Iterator[tuple[list[Record], Record]]:
    """What an application calls the model with, in order: the whole history so far, and the answer that followed."""
    said = [m for m in messages if m["role"] != "system"]
    before = {id(after): first["role"] for first, after in pairwise(said)}
    for at, message in enumerate(messages):
        if message["role"] == "assistant" and before.get(id(message)) in ("user", "tool"):
            yield list(messages[:at]), message


def _turn(turn: int, room: bool) -> Iterator[Record]:
    if turn % 5 == 4:
        yield {"role": "system", "content": f"Update {turn}: the tide turns at {turn % 12}:15."}
    yield _by(PEOPLE[turn % 3], _question(turn), room)
    if turn % 9 == 5:
        yield {"role": "system", "content": f"Reminder {turn}: quote fares in euros."}
    if room and turn % 6 == 1:
        yield _by("fern", {"role": "assistant", "content": f"Pier {turn} is mine, I think."}, room)
        yield _by(PEOPLE[turn % 3], {"role": "user", "content": f"Then moss, what about pier {turn}?"}, room)
    for round_ in range(turn % 3):
        yield from _tools(turn, round_, room)
    answer = f"Ferry F-{100 + turn} leaves pier {turn} at {6 + turn % 12}:30, berth {turn * 7}. " * (1 + turn % 4)
    yield _by("moss", {"role": "assistant", "content": answer.strip()}, room)


def _question(turn: int) -> Record:
    text = f"Question {turn}: when does ferry F-{100 + turn} leave? " + f"My booking is B{turn * 31}. " * (turn % 5)
    if turn % 8 != 2:
        return {"role": "user", "content": text.strip()}
    picture = {"type": "image_url", "image_url": {"url": PICTURE, "detail": "low"}}
    return {"role": "user", "content": [{"type": "text", "text": text.strip()}, picture]}


def _tools(turn: int, round_: int, room: bool) -> Iterator[Record]:
    """One round: up to three parallel calls and their results, of a few words or of a few hundred."""
    ids = [f"call_{turn}_{round_}_{k}" for k in range(1 + (turn + round_) % 3)]
    asked = [{"ferry": f"F-{100 + turn}", "day": k, "note": "Käse & “tea”"} for k in range(len(ids))]
    calls = [
        {"id": id_, "type": "function", "function": {"name": "timetable", "arguments": json.dumps(arguments)}}
        for id_, arguments in zip(ids, asked, strict=True)
    ]
    content = "Let me look that up." if turn % 4 == 1 else None
    yield _by("moss", {"role": "assistant", "content": content, "tool_calls": calls}, room)
    for k, id_ in enumerate(ids):
        rows = 60 if (turn + k) % 4 == 0 else 2
        text = "\n".join(f"{row % 24}:{row % 60:02} pier {turn} /tides/{turn}/{k}/{row}.csv" for row in range(rows))
        yield {"role": "tool", "tool_call_id": id_, "content": text}
    if (turn + round_) % 7 == 3:
        yield {"role": "system", "content": f"Status {turn}: {turn * 100} tokens used."}


def _by(name: str, message: Record, room: bool) -> Record:
    return {**message, "name": name} if room else message
