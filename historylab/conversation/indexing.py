"""How columns are made, and carried on: a longer conversation's of its beginning's and what is new.

A whole conversation is nothing said, followed by all its messages.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from historylab.conversation.column_arrays import (
    ANSWERED,
    LAST,
    REPLACED,
    arrays_up_to,
    is_interrupted,
    last_to_speak,
    led_arrays,
    requests_up_to,
    waiting_calls,
)
from historylab.conversation.columns import ASSISTANT, NEVER, OTHER, ROLE_CODES, SYSTEM, TOOL, USER, Columns
from historylab.conversation.growing import Growing, GrowingArray
from historylab.conversation.message import Message

ROWS = {
    "role": 1, "of_message": 5, "of_block": 4, "opening": 3, "users": 2, "results": 1, "doubtful": 1, "pins": 1,
    "stand_ins": 1, "shown": 1,
}  # fmt: skip
"""Array → its rows. `of_message` is one longer, for what holds before any message."""
BYTES = ("role", "opening")


@dataclass(slots=True)
class _Read:
    """What messages say, read one after another: the rows of the arrays, and what still waits for an answer.

    A result belongs to the latest call of its id that is still unanswered, however far back; a second result
    for one call is an orphan, because no API accepts it.
    """

    begun: int  # blocks before these messages
    turn: int
    spoke: int  # the role of the last one that asks or answers
    open_calls: dict[str, tuple[int, ...]]  # call id → blocks waiting for it, the latest last
    missing: dict[int, int]  # block → results it still waits for
    waiting: int | None  # the newest block, if it waits for results and nothing but results followed it
    contiguous: bool = True
    ended: bool = True  # nobody waits for an answer
    blocks: int = 0  # with those before
    role: list[int] = field(default_factory=list)
    of_message: list[int] = field(default_factory=list)  # five numbers each, one after the other
    of_block: list[int] = field(default_factory=list)  # four numbers each
    opening: list[int] = field(default_factory=list)  # three numbers each
    joined: dict[int, tuple[int, int | None]] = field(default_factory=dict)  # blocks before: last message, answered at
    users: list[int] = field(default_factory=list)  # two numbers each
    results: list[int] = field(default_factory=list)
    requests: list[int] = field(default_factory=list)
    doubtful: list[int] = field(default_factory=list)
    pins: list[int] = field(default_factory=list)
    stand_ins: list[int] = field(default_factory=list)
    shown: list[int] = field(default_factory=list)

    def read(self, start: int, messages: Sequence[Message]) -> _Read:
        """Read `messages`, the first of which is message `start`."""
        self.blocks = self.begun
        of_message = self.of_message
        for i, message in enumerate(messages, start):
            role = ROLE_CODES.get(message.role, OTHER)
            asking = self.open_calls.get(message.tool_call_id or "") if role == TOOL else None
            home = asking[-1] if asking else self.blocks
            if self.waiting is not None and self.waiting != home:
                self.doubtful.append(self.waiting)
                self.waiting = None
            if asking:
                self._answer(i, home, message.tool_call_id or "", asking[:-1])
            else:
                self._begin(i, role, message)
            self.role.append(role)
            of_message += (home, self.turn, NEVER, self.blocks, self.turn + 1)
            if role == TOOL:
                self.results.append(i)
            if message.pinned:
                self.pins.append(i)
            if message.metadata and message.shown_only:
                self.shown.append(i)
                if role == ASSISTANT and self.spoke in (USER, TOOL):  # it broke off: its request was made all the same
                    self.requests.append(i)
            else:
                self._ask(i, role, stands_in=bool(message.replaces))
        return self

    def _begin(self, i: int, role: int, message: Message) -> None:
        home = self.blocks
        if role == USER and not self._goes_along(message) and not message.shown_only:
            self.turn += 1
            self.users += (i, home)
        self.of_block += (i, self.turn, i, NEVER if message.tool_calls else 0)
        self.opening += (role, role == TOOL, role == SYSTEM)
        self.blocks += 1
        if role == TOOL:
            self.doubtful.append(home)
        if message.tool_calls:
            self.missing[home] = len(message.tool_calls)
            for call in message.tool_calls:
                self.open_calls[call.id] = (*self.open_calls.get(call.id, ()), home)
            if role != TOOL:
                self.waiting = home

    def _goes_along(self, message: Message) -> bool:
        """Tell whether a program put a user's message beside a prompt or results: it begins no turn of its own."""
        return self.turn >= 0 and self.spoke in (USER, TOOL) and bool(message.metadata.get("injected"))

    def _answer(self, i: int, home: int, call: str, others: tuple[int, ...]) -> None:
        """The last of the blocks waiting for that call has it answered by message `i`; the `others` go on waiting."""
        self.contiguous &= home == self.blocks - 1
        self.missing[home] -= 1
        if answered := not self.missing[home]:
            del self.missing[home]
            self.waiting = None
        place = ROWS["of_block"] * (home - self.begun)
        if place < 0:
            self.joined[home] = i, i + 1 if answered else None
        else:
            self.of_block[place + LAST] = i
            self.of_block[place + ANSWERED] = i + 1 if answered else NEVER
        if others:
            self.open_calls[call] = others
        else:
            del self.open_calls[call]

    def _ask(self, i: int, role: int, *, stands_in: bool) -> None:
        """Message `i` may answer a request, the history up to it; see "request" in `historylab.conversation`.

        System messages are skipped, so one between question and answer (a status update, a reminder) doesn't hide the
        request; and what only replaces earlier messages, as no model was asked for it.
        """
        self.ended = role == ASSISTANT
        if stands_in:
            self.stand_ins.append(i)
        elif role != SYSTEM:
            if role == ASSISTANT and self.spoke in (USER, TOOL):
                self.requests.append(i)
            self.spoke = role


class ColumnsIndex(Growing[Sequence[Message]]):
    """Columns that can be carried on, and what that takes: which calls still wait, and who spoke last."""

    __slots__ = ("_arrays", "_asked", "_missing", "_open_calls", "_spoke", "_waiting", "columns")

    def __init__(self, arrays: Mapping[str, GrowingArray], asked: GrowingArray, read: _Read):
        self._arrays, self._asked, self._spoke = arrays, asked, read.spoke  # `_asked`: `requests` without the next one
        self._open_calls, self._missing, self._waiting = read.open_calls, read.missing, read.waiting
        self.columns = _columns(arrays, read)

    def followed_by(self, conversation: Sequence[Message], start: int) -> ColumnsIndex:
        messages, known, open_calls, missing = conversation[start:], self.columns, self._open_calls, self._missing
        begun, turn = len(known.block_first), known.users_before.item(start) - 1
        read = _Read(begun, turn, self._spoke, dict(open_calls), dict(missing), self._waiting, known.contiguous)
        read.ended = self._asked.size == self._arrays["requests"].size
        read.read(start, messages)
        asked, arrays = self._asked_after(read.requests), dict(self._arrays)
        arrays["requests"] = asked if read.ended else asked.followed_by([len(conversation)])
        for name, count in ROWS.items():
            if numbers := getattr(read, name):
                arrays[name] = arrays[name].followed_by(
                    np.array(numbers).reshape(-1, count).T if count > 1 else numbers
                )
        if read.joined:
            arrays["of_block"] = arrays["of_block"].changed(*_entries(read.joined))
        if replaced := {j: i for i in read.stand_ins for j in conversation[i].replaces if 0 <= j < i}:
            places = [j + 1 for j in replaced]
            arrays["of_message"] = arrays["of_message"].changed((REPLACED, places), list(replaced.values()))
        return ColumnsIndex(arrays, asked, read)

    def beginning(self, conversation: Sequence[Message], size: int) -> ColumnsIndex | None:
        known = self.columns
        if len(known.stand_ins) and known.stand_ins.item(-1) >= size:
            return None  # another may have stood for the same message before
        waiting = waiting_calls(conversation, known, size)
        open_calls: dict[str, tuple[int, ...]] = {}
        for home, ids in waiting.items():
            for call in ids:
                open_calls[call] = (*open_calls.get(call, ()), home)
        newest = known.blocks_before.item(size) - 1
        alone = newest in waiting and not known.orphan[newest] and not is_interrupted(known, newest, size)
        contiguous = known.contiguous or bool((np.diff(known.block[:size]) >= 0).all())
        arrays = arrays_up_to(size, known, self._arrays)
        asked, arrays["requests"] = requests_up_to(size, known, self._asked)
        missing, spoke = {home: len(ids) for home, ids in waiting.items()}, last_to_speak(known, size)
        read = _Read(0, 0, spoke, open_calls, missing, newest if alone else None, contiguous)
        return ColumnsIndex(arrays, asked, read)

    def with_leading(self, conversation: Sequence[Message], before: int, now: int) -> ColumnsIndex | None:
        known, more = self.columns, now - before
        if before == len(known.role) or (more and len(known.stand_ins)):
            return None
        arrays, asked = dict(self._arrays), self._asked
        open_calls, missing, waiting = self._open_calls, self._missing, self._waiting
        if more:
            arrays, asked = led_arrays(before, now, arrays), GrowingArray(asked.array + more)
            open_calls = {call: tuple(home + more for home in homes) for call, homes in open_calls.items()}
            missing = {home + more: count for home, count in missing.items()}
            waiting = None if waiting is None else waiting + more
        pins = [i for i in range(now) if conversation[i].pinned]
        arrays["pins"] = GrowingArray(np.append(np.array(pins, np.int64), known.pins[known.pins >= before] + more))
        return ColumnsIndex(arrays, asked, _Read(0, 0, self._spoke, open_calls, missing, waiting, known.contiguous))

    def _asked_after(self, requests: Sequence[int]) -> GrowingArray:
        """The requests that were answered, with these; the one that was to be next is mostly the first of them."""
        foreseen = self._arrays["requests"]
        if requests and foreseen.size > self._asked.size and foreseen.array.item(-1) == requests[0]:
            return foreseen.followed_by(requests[1:])
        return self._asked.followed_by(requests)


def _entries(joined: Mapping[int, tuple[int, int | None]]) -> tuple[tuple[list[int], list[int]], list[int]]:
    """Where blocks that results joined are changed, by row and place, and to what."""
    rows, places, values = list[int](), list[int](), list[int]()
    for block, (last, answered_at) in joined.items():
        for row, value in ((LAST, last), (ANSWERED, NEVER if answered_at is None else answered_at)):
            rows.append(row)
            places.append(block)
            values.append(value)
    return (rows, places), values


def _columns(arrays: Mapping[str, GrowingArray], read: _Read) -> Columns:
    of_message, of_block, opening = arrays["of_message"].array, arrays["of_block"].array, arrays["opening"].array
    users, doubtful = arrays["users"].array, arrays["doubtful"].array
    return Columns(
        role=arrays["role"].array,
        block=of_message[0, 1:],
        turn=of_message[1, 1:],
        block_first=of_block[0],
        block_last=of_block[LAST],
        block_role=opening[0],
        block_turn=of_block[1],
        answered_at=of_block[ANSWERED],
        orphan=opening[1].view(bool),
        system=opening[2].view(bool),
        users=users[0],
        user_blocks=users[1],
        results=arrays["results"].array,
        requests=arrays["requests"].array,
        blocks_before=of_message[3],
        users_before=of_message[4],
        contiguous=read.contiguous,
        clean=not len(doubtful) and not read.missing,
        doubtful=doubtful,
        pins=arrays["pins"].array,
        stand_ins=arrays["stand_ins"].array,
        shown=arrays["shown"].array,
        replaced_by=of_message[REPLACED, 1:],
    )


def _nothing_said() -> ColumnsIndex:
    arrays = {
        name: GrowingArray(np.zeros((count, 0) if count > 1 else 0, np.uint8 if name in BYTES else np.int64))
        for name, count in ROWS.items()
    }
    arrays["of_message"] = GrowingArray(np.zeros((ROWS["of_message"], 1), np.int64))
    arrays["requests"] = GrowingArray(np.zeros(0, np.int64))
    return ColumnsIndex(arrays, arrays["requests"], _Read(0, -1, OTHER, {}, {}, None))


NOTHING_SAID = _nothing_said()
"""The index of no messages."""
