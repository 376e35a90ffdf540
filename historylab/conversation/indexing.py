"""How columns are made, and carried on: a longer conversation's of its beginning's and what is new.

A whole conversation is nothing said, followed by all its messages.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from historylab.conversation.columns import ASSISTANT, NEVER, OTHER, ROLE_CODES, SYSTEM, TOOL, USER, Columns
from historylab.conversation.growing import Growing, GrowingArray
from historylab.conversation.kept_columns import (
    arrays_up_to,
    interrupted,
    last_to_speak,
    led_arrays,
    requests_up_to,
    waiting_calls,
)

if TYPE_CHECKING:
    from historylab.conversation.conversation import Conversation
    from historylab.conversation.message import Message

NONE = np.zeros(0, np.int64)


def index_messages(messages: Sequence[Message]) -> Columns:
    """Index `messages`, in linear time."""
    return NOTHING_SAID.of(messages).columns


@dataclass(slots=True)
class _Blocks:
    """The blocks of new messages, and what becomes of those begun before.

    A result belongs to the latest call of its id that is still unanswered, however far back; a second result
    for one call is an orphan, because no API accepts it.
    """

    begun: int  # blocks before
    open_calls: dict[str, tuple[int, ...]]  # call id → blocks waiting for it, the latest last
    missing: dict[int, int]  # block → results it still waits for
    waiting: int | None  # the newest block, if it waits for results and nothing but results followed it
    contiguous: bool = True
    block: list[int] = field(default_factory=list)  # of each message
    first: list[int] = field(default_factory=list)  # of each block that they begin
    orphans: list[int] = field(default_factory=list)
    doubtful: list[int] = field(default_factory=list)
    last: dict[int, int] = field(default_factory=dict)  # of those that results joined
    answered_at: dict[int, int] = field(default_factory=dict)  # of those with calls

    def read(self, start: int, messages: Sequence[Message]) -> _Blocks:
        """Read `messages`, the first of which is message `start`."""
        block, first, begun = self.block, self.first, self.begun
        for i, message in enumerate(messages, start):
            role, calls = message.role, message.tool_calls
            asking = self.open_calls.get(message.tool_call_id or "") if role == "tool" else None
            home = asking[-1] if asking else begun + len(first)
            if self.waiting is not None and self.waiting != home:
                self.doubtful.append(self.waiting)
                self.waiting = None
            block.append(home)
            if asking:
                self._answer(i, home, message.tool_call_id or "", asking[:-1])
                continue
            first.append(i)
            if role == "tool":
                self.orphans.append(home)
                self.doubtful.append(home)
            if calls:
                self._call(home, message)
        return self

    def _call(self, home: int, message: Message) -> None:
        self.missing[home], self.answered_at[home] = len(message.tool_calls), NEVER
        for call in message.tool_calls:
            self.open_calls[call.id] = (*self.open_calls.get(call.id, ()), home)
        if message.role != "tool":
            self.waiting = home

    def _answer(self, i: int, home: int, call: str, others: tuple[int, ...]) -> None:
        """The last of the blocks waiting for that call has it answered by message `i`; the `others` go on waiting."""
        self.contiguous &= home == self.begun + len(self.first) - 1
        self.last[home] = i
        self.missing[home] -= 1
        if not self.missing[home]:
            del self.missing[home]
            self.waiting, self.answered_at[home] = None, i + 1
        if others:
            self.open_calls[call] = others
        else:
            del self.open_calls[call]


class ColumnsIndex(Growing):
    """Columns that can be carried on, and what that takes: which calls still wait, and who spoke last."""

    __slots__ = ("_arrays", "_asked", "_missing", "_open_calls", "_spoke", "_waiting", "columns")

    def __init__(self, arrays: Mapping[str, GrowingArray], asked: GrowingArray, spoke: int, read: _Blocks):
        self._arrays, self._asked, self._spoke = arrays, asked, spoke  # `_asked`: `requests` without the next one
        self._open_calls, self._missing, self._waiting = read.open_calls, read.missing, read.waiting
        self.columns = _columns(arrays, read)

    def followed_by(self, conversation: Conversation, start: int) -> ColumnsIndex:
        return self.of(conversation[start:])

    def of(self, messages: Sequence[Message]) -> ColumnsIndex:
        """The index of what was said so far and these messages."""
        if not messages:
            return self
        known, n = self.columns, len(self.columns.role)
        open_calls, missing, begun = dict(self._open_calls), dict(self._missing), len(known.block_first)
        read = _Blocks(begun, open_calls, missing, self._waiting, known.contiguous).read(n, messages)
        codes = [ROLE_CODES.get(m.role, OTHER) for m in messages]
        pins = [i for i, message in enumerate(messages, n) if message.pinned]
        stand_ins = [i for i, message in enumerate(messages, n) if message.replaces]
        requests, spoke = _requests(codes, n, frozenset(stand_ins), self._spoke)
        asked, arrays = self._asked_after(requests), dict(self._arrays)
        arrays["requests"] = asked if codes[-1] == ASSISTANT else asked.followed_by([n + len(codes)])
        last, answered_at = np.array(read.first, np.int64), np.zeros(len(read.first), np.int64)
        earlier = _settle(last, read.last, begun), _settle(answered_at, read.answered_at, begun)
        new = {
            "settled": (last, answered_at), "doubtful": read.doubtful, "pins": pins, "stand_ins": stand_ins,
            **self._rows(codes, read),
        }  # fmt: skip
        for name, values in new.items():
            if more := len(values[0] if isinstance(values, tuple) else values):
                arrays[name] = arrays[name].followed_by(values, more)
        for row, settled in enumerate(earlier):
            _change(arrays, "settled", row, settled)
        _change(arrays, "of_message", 2, {j: i for i in stand_ins for j in messages[i - n].replaces if 0 <= j < i})
        return ColumnsIndex(arrays, asked, spoke, read)

    def beginning(self, conversation: Conversation, size: int) -> ColumnsIndex | None:
        known = self.columns
        if len(known.stand_ins) and known.stand_ins.item(-1) >= size:
            return None  # another may have stood for the same message before
        waiting = waiting_calls(conversation, known, size)
        open_calls: dict[str, tuple[int, ...]] = {}
        for home, ids in waiting.items():
            for call in ids:
                open_calls[call] = (*open_calls.get(call, ()), home)
        newest = known.blocks_before.item(size) - 1
        alone = newest in waiting and not known.orphan[newest] and not interrupted(known, newest, size)
        contiguous = known.contiguous or bool((np.diff(known.block[:size]) >= 0).all())
        arrays = arrays_up_to(size, known, self._arrays)
        asked, arrays["requests"] = requests_up_to(size, known, self._asked)
        missing = {home: len(ids) for home, ids in waiting.items()}
        read = _Blocks(0, open_calls, missing, newest if alone else None, contiguous)
        return ColumnsIndex(arrays, asked, last_to_speak(known, size), read)

    def with_leading(self, conversation: Conversation, before: int, now: int) -> ColumnsIndex | None:
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
        return ColumnsIndex(arrays, asked, self._spoke, _Blocks(0, open_calls, missing, waiting, known.contiguous))

    def _rows(self, codes: Sequence[int], read: _Blocks) -> dict[str, Any]:
        """The new entries of the other arrays, under their names; of those with rows, one after the other."""
        n, role = len(self.columns.role), np.array(codes, np.uint8)
        block, first = np.array(read.block), np.array(read.first, np.int64)
        opening, turns, users = role[first - n], self.columns.users_before[-1:], NONE
        if USER in codes:
            turns, users = turns + np.cumsum(role == USER), np.flatnonzero(role == USER)
        begun_by = block + 1 if read.contiguous else np.maximum.accumulate(np.maximum(block + 1, read.begun))
        orphan = (
            np.isin(read.first, [read.first[home - read.begun] for home in read.orphans]) if read.orphans else False
        )
        return {
            "role": role,
            "of_message": (block, turns - 1, NEVER),
            "before": (begun_by, turns),
            "of_block": (first, turns[first - n if len(users) else 0] - 1),
            "opening": (opening, orphan, opening == SYSTEM),
            "users": (users + n, block[users]),
            "results": np.flatnonzero(role == TOOL) + n if TOOL in codes else NONE,
        }

    def _asked_after(self, requests: Sequence[int]) -> GrowingArray:
        """The requests that were answered, with these; the one that was to be next is mostly the first of them."""
        foreseen = self._arrays["requests"]
        if requests and foreseen.size > self._asked.size and foreseen.array[-1] == requests[0]:
            return foreseen.followed_by(requests[1:])
        return self._asked.followed_by(requests)


def _settle(of_new: np.ndarray, found: Mapping[int, int], begun: int) -> Mapping[int, int]:
    """Write what was found of new blocks, after `begun` others; what was found of these."""
    earlier = {block: number for block, number in found.items() if block < begun} if begun else {}
    new = {block: number for block, number in found.items() if block >= begun} if earlier else found
    if new:
        of_new[np.array(list(new)) - begun] = list(new.values())
    return earlier


def _change(arrays: dict[str, GrowingArray], name: str, row: int, changed: Mapping[int, int]) -> None:
    if changed:
        arrays[name] = arrays[name].changed((row, list(changed)), list(changed.values()))


def _requests(codes: Sequence[int], start: int, replacing: Collection[int], spoke: int) -> tuple[list[int], int]:
    """History lengths at which messages answer a request, and who spoke last; see "request" in docs/architecture.md.

    System messages are skipped, so one between question and answer (a status update, a reminder) doesn't hide the
    request; and what only replaces earlier messages, as no model was asked for it.
    """
    requests = []
    for i, role in enumerate(codes, start):
        if role == SYSTEM or i in replacing:
            continue
        if role == ASSISTANT and spoke in (USER, TOOL):
            requests.append(i)
        spoke = role
    return requests, spoke


def _columns(arrays: Mapping[str, GrowingArray], read: _Blocks) -> Columns:
    of_message, of_block, before = arrays["of_message"].array, arrays["of_block"].array, arrays["before"].array
    settled, opening, users = arrays["settled"].array, arrays["opening"].array, arrays["users"].array
    doubtful = arrays["doubtful"].array
    return Columns(
        role=arrays["role"].array,
        block=of_message[0],
        turn=of_message[1],
        block_first=of_block[0],
        block_last=settled[0],
        block_role=opening[0],
        block_turn=of_block[1],
        answered_at=settled[1],
        orphan=opening[1].view(bool),
        system=opening[2].view(bool),
        users=users[0],
        user_blocks=users[1],
        results=arrays["results"].array,
        requests=arrays["requests"].array,
        blocks_before=before[0],
        users_before=before[1],
        contiguous=read.contiguous,
        clean=not len(doubtful) and not read.missing,
        doubtful=doubtful,
        pins=arrays["pins"].array,
        stand_ins=arrays["stand_ins"].array,
        replaced_by=of_message[2],
    )


def _nothing_said() -> ColumnsIndex:
    rows = {"of_message": 3, "before": 2, "of_block": 2, "settled": 2, "users": 2}
    arrays = {name: GrowingArray(np.zeros((count, int(name == "before")), np.int64)) for name, count in rows.items()}
    arrays |= {name: GrowingArray(NONE) for name in ("results", "requests", "doubtful", "pins", "stand_ins")}
    arrays |= {"role": GrowingArray(np.zeros(0, np.uint8)), "opening": GrowingArray(np.zeros((3, 0), np.uint8))}
    return ColumnsIndex(arrays, arrays["requests"], OTHER, _Blocks(0, {}, {}, None))


NOTHING_SAID = _nothing_said()
"""The index of no messages."""
