"""What columns become when a conversation ends earlier, or begins with other system messages: no message is read again.

The arrays are those of `ColumnsIndex`, by its names.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from historylab.conversation.columns import ASSISTANT, NEVER, OTHER, SYSTEM, Columns
from historylab.conversation.growing import GrowingArray
from historylab.conversation.message import Message

Arrays = dict[str, GrowingArray]
REPLACED = 2  # the row of `of_message` with what stands for a message
LAST, ANSWERED = 2, 3  # rows of `of_block`: its last message, and from where all its calls have results
SYSTEMS = np.array([[SYSTEM], [False], [True]], np.uint8)  # a system message's role, that it is no orphan, but a system


def arrays_up_to(size: int, columns: Columns, arrays: Mapping[str, GrowingArray]) -> Arrays:
    """The arrays of the first `size` messages, which none of the later ones replaces."""
    blocks, users = columns.blocks_before.item(size), columns.users_before.item(size)
    cut = {
        "role": size, "of_message": size + 1, "of_block": blocks, "opening": blocks, "users": users,
    }  # fmt: skip
    cut |= {name: int(arrays[name].array.searchsorted(size)) for name in ("results", "pins", "stand_ins", "shown")}
    kept = {name: arrays[name].beginning(count) for name, count in cut.items()}
    of_block = kept["of_block"].array
    last, answered_at = of_block[LAST], of_block[ANSWERED]
    reaching = np.flatnonzero(last >= size)
    if len(reaching):
        ends = [_last_of(columns.block[:size], home) for home in reaching.tolist()]
        kept["of_block"] = kept["of_block"].changed((LAST, reaching), ends)
    unanswered = np.flatnonzero((answered_at > size) & (answered_at < NEVER))
    if len(unanswered):
        kept["of_block"] = kept["of_block"].changed((ANSWERED, unanswered), NEVER)
    doubtful = int(columns.doubtful.searchsorted(blocks))
    if doubtful and columns.doubtful.item(doubtful - 1) == blocks - 1 and not columns.orphan[blocks - 1]:
        doubtful -= int(not is_interrupted(columns, blocks - 1, size))  # what came between comes later
    kept["doubtful"] = arrays["doubtful"].beginning(doubtful)
    return kept


def is_interrupted(columns: Columns, block: int, size: int) -> bool:
    """Whether the first `size` messages have one of another block after the first of this one."""
    return bool((columns.block[columns.block_first.item(block) : size] != block).any())


def _last_of(block: np.ndarray, home: int) -> int:
    return int(np.flatnonzero(block == home)[-1])


def waiting_calls(messages: Sequence[Message], columns: Columns, size: int) -> dict[int, list[str]]:
    """The ids of calls without a result, by block, if the first `size` messages are all there is."""
    answered_at = columns.answered_at[: columns.blocks_before.item(size)]
    waiting = {}
    for home in np.flatnonzero(answered_at > size).tolist():
        first = columns.block_first.item(home)
        waiting[home] = [call.id for call in messages[first].tool_calls]
        for i in (np.flatnonzero(columns.block[first + 1 : size] == home) + first + 1).tolist():
            waiting[home].remove(messages[i].tool_call_id or "")
    return waiting


def last_to_speak(columns: Columns, size: int) -> int:
    """The role of the last of the first `size` messages that is sent, is no system message and stands for no others."""
    silent = frozenset((*columns.stand_ins.tolist(), *columns.shown.tolist()))
    spoke = (columns.role.item(i) for i in range(size - 1, -1, -1) if i not in silent)
    return next((role for role in spoke if role != SYSTEM), OTHER)


def requests_up_to(size: int, columns: Columns, asked: GrowingArray) -> tuple[GrowingArray, GrowingArray]:
    """Those of the first `size` messages that were answered, and all with the next."""
    answered = asked.beginning(int(asked.array.searchsorted(size)))
    said = size
    for i in reversed(columns.shown_before(size).tolist()):
        said -= i == said - 1
    ended = not said or columns.role[said - 1] == ASSISTANT
    return answered, answered if ended else answered.followed_by([size])


def led_arrays(before: int, now: int, arrays: Mapping[str, GrowingArray]) -> Arrays:
    """The arrays with `now` leading system messages in place of `before`; none of the messages replaces others."""
    more, old = now - before, {name: grown.array for name, grown in arrays.items()}
    block, turn, _, begun, turns = old["of_message"][:, before + 1 :]
    first, block_turn, last, answered_at = old["of_block"][:, before:]
    answered_at = answered_at + more * ((answered_at > 0) & (answered_at < NEVER))
    leading, untold, none = np.arange(now), np.full(now, -1), np.zeros(now, np.int64)
    before_any = np.zeros((5, 1), np.int64)
    new = {
        "role": np.append(np.full(now, SYSTEM, np.uint8), old["role"][before:]),
        "of_message": np.hstack(
            (
                before_any,
                (leading, untold, none + NEVER, leading + 1, none),
                (block + more, turn, np.full(len(block), NEVER), begun + more, turns),
            )
        ),
        "of_block": np.hstack(((leading, untold, leading, none), (first + more, block_turn, last + more, answered_at))),
        "opening": np.hstack((SYSTEMS.repeat(now, 1), old["opening"][:, before:])),
        **{name: old[name] + more for name in ("users", "results", "doubtful", "requests", "shown")},
    }
    return {**arrays, **{name: GrowingArray(values) for name, values in new.items()}}
