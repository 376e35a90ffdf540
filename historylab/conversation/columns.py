"""The numpy index of a conversation, on which every stage works instead of lists of message objects.

Two levels: *messages* (role, block, turn) and *blocks* (an assistant message with tool calls together with all its
results; any other message alone). Decisions are made per block, so a call and its results cannot be parted.

A longer conversation's index is made of its beginning's and the new messages (`ColumnsIndex`); a whole one is nothing,
followed by all of them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any

import numpy as np

from historylab.conversation.growing import Growing, GrowingArray

if TYPE_CHECKING:
    from historylab.conversation.conversation import Conversation
    from historylab.conversation.message import Message

SYSTEM, USER, ASSISTANT, TOOL, OTHER = range(5)
ROLE_CODES = {"system": SYSTEM, "user": USER, "assistant": ASSISTANT, "tool": TOOL}
NEVER = np.iinfo(np.int64).max


@dataclass(frozen=True, slots=True, eq=False)
class Columns:
    """Read-only arrays. Lengths: n messages, b blocks, r requests, u user messages, s that stand for earlier ones."""

    role: np.ndarray  # uint8[n]
    block: np.ndarray  # int64[n], in order of each block's first message
    turn: np.ndarray  # int64[n], -1 before the first user message
    block_first: np.ndarray  # int64[b], index of the first message
    block_last: np.ndarray  # int64[b], index of the last message
    block_role: np.ndarray  # uint8[b], role of the first message
    block_turn: np.ndarray  # int64[b]
    answered_at: np.ndarray  # int64[b], history length from which all its calls have results; NEVER if they have not
    orphan: np.ndarray  # bool[b], a tool result without its call
    system: np.ndarray  # bool[b]
    users: np.ndarray  # int64[u], message indices
    user_blocks: np.ndarray  # int64[u]
    requests: np.ndarray  # int64[r], history lengths at which a model is called
    blocks_before: np.ndarray  # int64[n + 1], blocks begun within the first k messages
    users_before: np.ndarray  # int64[n + 1], user messages among the first k
    contiguous: bool  # no block is interrupted by a message of another
    clean: bool  # no orphan result and no unanswered call, and no block is interrupted
    doubtful: np.ndarray  # int64[d], blocks an API may refuse: orphans, and calls that others followed unanswered
    pins: np.ndarray  # int64[p], message indices the user pinned
    stand_ins: np.ndarray  # int64[s], indices of messages that replace earlier ones
    replaced_by: np.ndarray  # int64[n], index of the message that replaces it; NEVER if none does

    def first_request_after(self, message: int) -> int:
        """The first request (from 0) that has this message in its history; r if none does."""
        return int(self.requests.searchsorted(message, side="right"))

    def refused(self, size: int) -> np.ndarray:
        """int64: the blocks that an API would refuse in a history of the first `size` messages, ascending.

        Results without a call, and calls without all results unless nothing but their results follows. Only `doubtful`
        blocks are looked at: there are none in an ordinary conversation, while its tools run or not.
        """
        if not len(self.doubtful) or not size:
            return self.doubtful[:0]
        blocks = self.blocks_before.item(size)
        asked = self.doubtful[: self.doubtful.searchsorted(blocks)]
        unanswered = self.answered_at[asked] > size
        if self.block.item(size - 1) == blocks - 1:
            unanswered &= asked != blocks - 1
        found: np.ndarray = asked[unanswered | self.orphan[asked]]
        return found


def index_messages(messages: Sequence[Message]) -> Columns:
    """Index `messages`, in linear time."""
    return NOTHING_SAID.of(messages).columns


@dataclass(slots=True)
class _Reading:
    """The blocks of new messages: lists for the blocks they begin, and what becomes of those begun before.

    A result belongs to the latest call of its id that is still unanswered, however far back; a second result
    for one call is an orphan, because no API accepts it.
    """

    begun: int  # blocks before
    open_calls: dict[str, tuple[int, ...]]  # call id → blocks waiting for it, the latest last
    missing: dict[int, int]  # block → results it still waits for
    waiting: int | None  # the newest block, if it waits for results and nothing but results followed it
    block: list[int] = field(default_factory=list)
    first: list[int] = field(default_factory=list)
    answered_at: list[int] = field(default_factory=list)
    orphan: list[bool] = field(default_factory=list)
    doubtful: list[int] = field(default_factory=list)
    last: list[int] = field(default_factory=list)
    earlier_last: dict[int, int] = field(default_factory=dict)  # of blocks begun before
    earlier_answered_at: dict[int, int] = field(default_factory=dict)

    def read(self, start: int, messages: Sequence[Message]) -> _Reading:
        """Read `messages`, the first of which is message `start`."""
        block, first, last, answered_at, orphan = self.block, self.first, self.last, self.answered_at, self.orphan
        for i, message in enumerate(messages, start):
            is_result = message.role == "tool"
            asking = self.open_calls.get(message.tool_call_id or "") if is_result else None
            home = asking[-1] if asking else self.begun + len(first)
            if self.waiting is not None and self.waiting != home:
                self.doubtful.append(self.waiting)
                self.waiting = None
            block.append(home)
            if asking:
                self._answer(i, home, message.tool_call_id or "", asking[:-1])
                continue
            first.append(i)
            last.append(i)
            answered_at.append(NEVER if message.tool_calls else 0)
            orphan.append(is_result)
            if is_result:
                self.doubtful.append(home)
            if message.tool_calls:
                self._call(home, message)
        return self

    def _call(self, home: int, message: Message) -> None:
        self.missing[home] = len(message.tool_calls)
        for call in message.tool_calls:
            self.open_calls[call.id] = (*self.open_calls.get(call.id, ()), home)
        if message.role != "tool":
            self.waiting = home

    def _answer(self, i: int, home: int, call: str, others: tuple[int, ...]) -> None:
        """The last of the blocks waiting for that call has it answered by message `i`; the `others` go on waiting."""
        new = home - self.begun
        if new < 0:
            self.earlier_last[home] = i
        else:
            self.last[new] = i
        self.missing[home] -= 1
        if not self.missing[home]:
            del self.missing[home]
            self.waiting = None
            if new < 0:
                self.earlier_answered_at[home] = i + 1
            else:
                self.answered_at[new] = i + 1
        if others:
            self.open_calls[call] = others
        else:
            del self.open_calls[call]


_TYPES: Mapping[str, type] = {
    **dict.fromkeys((f.name for f in fields(Columns) if f.name not in ("contiguous", "clean")), np.int64),
    "role": np.uint8, "block_role": np.uint8, "orphan": np.bool_, "system": np.bool_,
}  # fmt: skip


class ColumnsIndex(Growing):
    """Columns that can be carried on, and what that takes: which calls still wait, and who spoke last."""

    __slots__ = ("_arrays", "_asked", "_missing", "_open_calls", "_spoke", "_waiting", "columns")

    def __init__(
        self,
        arrays: Mapping[str, GrowingArray],
        asked: GrowingArray,
        spoke: int,
        open_calls: Mapping[str, tuple[int, ...]],
        missing: Mapping[int, int],
        waiting: int | None,
        contiguous: bool,
    ):
        self._arrays, self._asked, self._spoke = arrays, asked, spoke  # `_asked`: `requests` without the next one
        self._open_calls, self._missing, self._waiting = open_calls, missing, waiting
        clean = contiguous and not missing and not len(arrays["doubtful"])
        views = {name: grown.array for name, grown in arrays.items()}
        self.columns = Columns(**views, contiguous=contiguous, clean=clean)

    def followed_by(self, conversation: Conversation, start: int) -> ColumnsIndex:
        return self.of(conversation[start:])

    def of(self, messages: Sequence[Message]) -> ColumnsIndex:
        """The index of what was said so far and these messages."""
        if not messages:
            return self
        before, n, k, b = self.columns, len(self.columns.role), len(messages), len(self.columns.block_first)
        read = _Reading(b, dict(self._open_calls), dict(self._missing), self._waiting).read(n, messages)
        role = np.fromiter((ROLE_CODES.get(m.role, OTHER) for m in messages), np.uint8, k)
        block, first = np.array(read.block, np.int64), np.array(read.first, np.int64)
        users = np.flatnonzero(role == USER)
        users_before = before.users_before[-1] + np.cumsum(role == USER)
        stand_ins = np.array([i for i, message in enumerate(messages) if message.replaces], np.int64)
        new: dict[str, Any] = {
            "role": role,
            "block": block,
            "turn": users_before - 1,
            "block_first": first,
            "block_last": read.last,
            "block_role": role[first - n],
            "block_turn": users_before[first - n] - 1,
            "answered_at": read.answered_at,
            "orphan": read.orphan,
            "system": role[first - n] == SYSTEM,
            "users": users + n,
            "user_blocks": block[users],
            "blocks_before": np.maximum.accumulate(np.maximum(block + 1, b)),
            "users_before": users_before,
            "doubtful": read.doubtful,
            "pins": [i for i, message in enumerate(messages, n) if message.pinned],
            "stand_ins": stand_ins + n,
            "replaced_by": np.full(k, NEVER),
        }
        arrays = {name: self._arrays[name].followed_by(values) for name, values in new.items()}
        replaced = {j: i + n for i in stand_ins.tolist() for j in messages[i].replaces if 0 <= j < i + n}
        for name, changed in (
            ("block_last", read.earlier_last),
            ("answered_at", read.earlier_answered_at),
            ("replaced_by", replaced),
        ):
            if changed:
                arrays[name] = arrays[name].changed(list(changed), list(changed.values()))
        said = role != SYSTEM
        said[stand_ins] = False
        asked, spoke = self._asked_after(role, np.flatnonzero(said))
        arrays["requests"] = asked if role[-1] == ASSISTANT else asked.followed_by([n + k])
        contiguous = before.contiguous and bool((np.diff(block, prepend=before.block[-1:]) >= 0).all())
        return ColumnsIndex(arrays, asked, spoke, read.open_calls, read.missing, read.waiting, contiguous)

    def _asked_after(self, role: np.ndarray, spoken: np.ndarray) -> tuple[GrowingArray, int]:
        """History lengths at which the model was called before these messages or among them, and who spoke last.

        See "request" in docs/architecture.md. `role` is that of the new messages, `spoken` are those that count: system
        messages don't, so that one between question and answer (a status update, a reminder) doesn't hide the request;
        nor does what only replaces earlier messages, as no model was asked for it.
        """
        if not len(spoken):
            return self._asked, self._spoke
        after = role[spoken]
        before = np.concatenate(([self._spoke], after[:-1]))
        lengths = spoken[((before == USER) | (before == TOOL)) & (after == ASSISTANT)] + len(self.columns.role)
        foreseen = self._arrays["requests"]
        if len(lengths) and len(foreseen) > len(self._asked) and foreseen.array[-1] == lengths[0]:
            return foreseen.followed_by(lengths[1:]), int(after[-1])
        return self._asked.followed_by(lengths), int(after[-1])


_EMPTY = {name: GrowingArray(np.zeros(int(name.endswith("_before")), kind)) for name, kind in _TYPES.items()}
NOTHING_SAID = ColumnsIndex(_EMPTY, _EMPTY["requests"], OTHER, {}, {}, None, True)
"""The index of no messages."""
