"""The messages of a plan as Anthropic's API takes them: roles in alternation, results first in the user's turn.

System messages among them are placed afterwards, by `system_places`.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from historylab.conversation.message import Message
from historylab.formats.base import Losses
from historylab.formats.messages.anthropic_blocks import (
    CALLS,
    RESULT,
    TOOL_CHANGES,
    content_of,
    is_result,
    text_block,
    to_blocks,
)
from historylab.formats.messages.excerpt import Excerpt
from historylab.formats.messages.summary_marks import mark_summary
from historylab.formats.requests.anthropic_items import THOUGHTS, Block, is_apart, item_role, messages_as_sent, runs_in
from historylab.formats.requests.form import LEFT_OUT, Now, fields_of, in_runs, is_whole, parts_of, plain_copy
from historylab.formats.requests.system_places import Wanted, join_the_unplaced, system_places

MARKER = "cache_control"
OF_SYSTEM = (CLEAR_AT, EFFORT) = "clear_at", "output_config"
NEXT_TURN = "next_user_message"


@dataclass(slots=True)
class _Turn:
    """A message to send, made of blocks and fields; without any the caller's own `item`, number `place` of those given.

    Otherwise `item` is the one they end in. `said` are the plan's messages in it; it `differs` where other words are
    sent than theirs: a mark, a result that has no place for a shorter text, those of a turn that was joined.
    """

    role: str
    blocks: list[Block]
    item: Any = None
    place: int | None = None
    said: list[Message] = field(default_factory=list)
    differs: bool = False
    fields: Mapping[str, Any] = field(default_factory=dict)

    @property
    def is_new(self) -> bool:
        """Tell whether it isn't the caller's own item."""
        return bool(self.blocks or self.fields)

    @property
    def message(self) -> Any:
        """The caller's own object, or a new one."""
        if not self.is_new:
            return self.item
        return {"role": self.role, "content": content_of(self.blocks) if self.blocks else [], **self.fields}


def _turns(messages: Sequence[Message], now: Now) -> Iterator[_Turn]:
    for run in in_runs(messages):
        source = run[0].source
        if not (isinstance(source, Excerpt) and source.origin):
            role = "assistant" if run[0].role == "assistant" else "user"
            turn = _Turn(role, _new_blocks(run[0]))
        else:
            item, place = now.item(source.origin[0]), now.place(source.origin[0])
            role = item_role(item)
            turn = _Turn(role, [] if is_whole(run) else _kept_blocks(run, item), item, place)
            turn.fields = _own_fields(item) if turn.blocks and role == "system" else {}
        turn.said, turn.differs = run, turn.role != "system" and any(map(_differs, run))
        if turn.blocks or is_whole(run):
            yield turn


def _differs(message: Message) -> bool:
    """Whether it is sent in other words: a summary with its mark, a server's own result whole."""
    if message.role == "system":
        return True
    source = message.source
    return isinstance(source, Excerpt) and source.changed and "server_tool" in message.metadata


def _kept_blocks(messages: Sequence[Message], item: Any) -> list[Block]:
    """The blocks of an item that these messages are; while a call among them may be running, with all its thinking."""
    kept = {message.source.place: message for message in messages}
    blocks: list[Block] = []
    calling = any(message.tool_calls for message in messages)
    for place, run in enumerate(runs_in(item)[1]):
        message = kept.get(place)
        if message is None:
            blocks += [plain_copy(block) for block in run if calling and _is_thought(block)]
        elif message.source.changed:
            blocks += _changed_blocks(message, run)
        else:
            blocks += [text_block(block) if isinstance(block, str) else plain_copy(block) for block in run]
    return blocks


def _changed_blocks(message: Message, run: list[Any]) -> list[Block]:
    """The blocks of a run with another text. A server's own result has no place for one: it stays."""
    parts = message.source["content"]
    if run and is_result(run[0]):
        return [
            plain_copy(run[0]) if run[0]["type"] != RESULT else {**plain_copy(run[0]), "content": plain_copy(parts)}
        ]
    said = _to_blocks(parts)
    markers = [block[MARKER] for block in run if isinstance(block, dict) and MARKER in block and not is_apart(block)]
    if said and markers:
        said[-1] = {**said[-1], MARKER: plain_copy(markers[-1])}
    apart = [plain_copy(block) for block in run if isinstance(block, dict) and is_apart(block)]
    thoughts = [block for block in apart if _is_thought(block)]
    return [*thoughts, *said, *(block for block in apart if not _is_thought(block))]


def _new_blocks(message: Message) -> list[Block]:
    """The blocks of a message that is none of the caller's."""
    if message.role == "system":
        return [text_block(mark_summary(message.content))]
    parts = parts_of(message)
    calls = to_blocks(replace(message, content="") if message.role != "tool" else message, Losses())
    return [*_to_blocks(parts), *calls] if message.role != "tool" else calls


def _to_blocks(parts: Any) -> list[Block]:
    """A text or parts as blocks, without texts of nothing but white space, which the API refuses."""
    blocks = [text_block(parts)] if isinstance(parts, str) else [plain_copy(part) for part in parts]
    return [block for block in blocks if block.get("type") != "text" or block["text"].strip()]


def _is_thought(block: Any) -> bool:
    return isinstance(block, dict) and block.get("type") in THOUGHTS


def turns_to_items(messages: Sequence[Message], now: Now) -> list[Any]:
    """Messages as items; those that are sent otherwise than planned are noted."""
    items = []
    turns = list(_turns(messages, now))
    if not _are_all(turns, now):
        turns = _with_systems(*_in_alternation(turns, now), now)
    for turn in turns:
        items.append(item := turn.message)
        if turn.differs:
            now.otherwise(turn.said, messages_as_sent(item))
    return items


def _are_all(turns: Sequence[_Turn], now: Now) -> bool:
    """Tell whether these are the caller's own items, all of them: they stay as they were given."""
    return len(turns) == len(now.items) and all(not t.blocks and t.place == k for k, t in enumerate(turns))


def _in_alternation(turns: Sequence[_Turn], now: Now) -> tuple[list[_Turn], list[tuple[_Turn, int]]]:
    """The turns of both roles in alternation, the user's first and last; each system message, and the turn before it.

    What the caller gave in a row stays as it was given. Where the plan brought two of a role together they are joined;
    where it leaves an answer first or last, or thinking that must begin its turn, words of the user say so.
    """
    found: list[_Turn] = []
    systems: list[tuple[_Turn, int]] = []
    first = next(iter(now.items), None)
    last = next((item for item in reversed(now.items) if item_role(item) != "system"), None)
    gap = _Turn("user", [text_block(LEFT_OUT)], differs=True)
    for turn in turns:
        if turn.role == "system":
            systems.append((turn, len(found) - 1))
            continue
        before = found[-1] if found else None
        if before is None:
            found += [gap] if turn.role != "user" and turn.item is not first else []
        elif before.role == turn.role and not _were_together(before, turn, now):
            more = _blocks_of(turn)
            if not (more and _is_thought(more[0])):
                blocks, said = _results_first([*_blocks_of(before), *more]), [*before.said, *turn.said]
                found[-1] = _Turn(turn.role, blocks, turn.item, turn.place, said, differs=True)
                continue
            found.append(gap)
        found.append(turn)
    if found and found[-1].role != "user" and found[-1].item is not last:
        found.append(gap)
    return found, systems


def _were_together(before: _Turn, turn: _Turn, now: Now) -> bool:
    """Tell whether the caller gave them in a row, but for system messages."""
    if before.blocks or turn.blocks or before.place is None or turn.place is None or turn.place <= before.place:
        return False
    return all(item_role(item) == "system" for item in now.items[before.place + 1 : turn.place])


def _with_systems(turns: list[_Turn], systems: Sequence[tuple[_Turn, int]], now: Now) -> list[_Turn]:
    """The turns with the system messages where the API takes them; texts without a place go to a body's system field.

    A list has none: there they are joined to the next one, as those that change tools are in a body. What sets no more
    than the effort may stand anywhere; the newest of several in a row counts.
    """
    if not systems or not turns:
        now.moved += [blocks for turn, _ in systems if (blocks := _blocks_of(turn))]
        return turns
    follows = [turn.role == "assistant" for turn in turns[1:]] + [True]
    free = [k for k, turn in enumerate(turns) if follows[k] and _may_be_followed_by_system(turn)]
    said: list[tuple[_Turn, int]] = []
    efforts: list[tuple[_Turn, int]] = []
    wanted: list[Wanted] = []
    for turn, k in systems:
        own = k in free and turn.place is not None and turns[k].place == turn.place - 1
        shown = turn if own else _still_shown(turn, now)
        if _blocks_of(shown):
            said.append((shown, k))
            wanted.append(Wanted(bisect_left(free, k), own))
        elif shown.said:
            efforts.append((shown, k))
    placed = dict[int, _Turn]()
    for (turn, k), place in zip(said, _places(said, wanted, len(free), now), strict=True):
        if place is None:
            now.moved.append(_blocks_of(turn))
            if effort := _fields_of(turn).get(EFFORT):
                efforts.append((_Turn("system", [], turn.item, turn.place, fields={EFFORT: effort}), k))
        else:
            former = placed.get(free[place])
            placed[free[place]] = turn if former is None else _join(former, turn, now)
    sets_effort = _last_of_each(efforts, now)
    found: list[_Turn] = []
    for k, turn in enumerate(turns):
        behind = [each for each in (placed.get(k), sets_effort.get(k)) if each is not None]
        found += [turn, *sorted(behind, key=lambda each: each.place or 0)]
    return found


def _last_of_each(efforts: Sequence[tuple[_Turn, int]], now: Now) -> dict[int, _Turn]:
    """The newest of the messages that set the effort behind each turn; none stands before the first turn."""
    newest: dict[int, _Turn] = {}
    for turn, k in sorted(efforts, key=lambda effort: effort[0].place or 0):
        if former := newest.get(max(k, 0)):
            now.otherwise(former.said, [])
        newest[max(k, 0)] = turn
    return newest


def _places(said: Sequence[tuple[_Turn, int]], wanted: Sequence[Wanted], places: int, now: Now) -> Sequence[int | None]:
    """The places of system messages; None for a text of a body's that has none."""
    found = system_places(wanted, places)
    joined = join_the_unplaced(found, places) if places else found
    if not now.request.whole:
        return joined
    return [
        other if own is None and any(block.get("type") in TOOL_CHANGES for block in _blocks_of(turn)) else own
        for (turn, _), own, other in zip(said, found, joined, strict=True)
    ]


def _join(former: _Turn, turn: _Turn, now: Now) -> _Turn:
    """Two system messages as one. A text that is shown for a turn only stays so if both are."""
    former, turn = _still_shown(former, now), _still_shown(turn, now)
    before, after = _fields_of(former), _fields_of(turn)
    fields = {**before, **after}
    if before.get(CLEAR_AT) != after.get(CLEAR_AT):
        fields.pop(CLEAR_AT)
    blocks, said = [*_blocks_of(former), *_blocks_of(turn)], [*former.said, *turn.said]
    return _Turn("system", blocks, turn.item, turn.place, said, differs=True, fields=fields)


def _still_shown(turn: _Turn, now: Now) -> _Turn:
    """A system message that loses its place, without a text that the model was shown up to the next user's turn only.

    Behind another turn it would be shown again.
    """
    fields = _fields_of(turn)
    later = now.items[turn.place + 1 :] if turn.place is not None else ()
    if fields.get(CLEAR_AT) != NEXT_TURN or not any(item_role(item) == "user" for item in later):
        return turn
    left = [block for block in _blocks_of(turn) if block.get("type") in TOOL_CHANGES]
    rest = {name: value for name, value in fields.items() if name != CLEAR_AT}
    if left or rest:
        return _Turn("system", left, turn.item, turn.place, turn.said, differs=True, fields=rest)
    now.otherwise(turn.said, [])
    return _Turn("system", [], {"content": []}, turn.place)


def _may_be_followed_by_system(turn: _Turn) -> bool:
    """Tell whether a system message may follow it: a user's turn, or one that ends in a call the server answers."""
    if turn.role == "user":
        return True
    last = _blocks_of(turn)[-1:]
    return bool(last) and last[0].get("type") in CALLS and last[0]["type"] != "tool_use"


def _blocks_of(turn: _Turn) -> list[Block]:
    if turn.is_new:
        return turn.blocks
    content = plain_copy(fields_of(turn.item).get("content") or [])
    blocks = [content] if isinstance(content, str) else content
    return [text_block(block) if isinstance(block, str) else block for block in blocks]


def _fields_of(turn: _Turn) -> Mapping[str, Any]:
    """The fields of a system message beside its content."""
    return turn.fields if turn.is_new else _own_fields(turn.item)


def _own_fields(item: Any) -> dict[str, Any]:
    fields = fields_of(item)
    return {name: plain_copy(fields[name]) for name in OF_SYSTEM if fields.get(name)}


def _results_first(blocks: list[Block]) -> list[Block]:
    return sorted(blocks, key=lambda block: not is_result(block)) if blocks and not _is_call(blocks) else blocks


def _is_call(blocks: list[Block]) -> bool:
    return any(block.get("type") in CALLS for block in blocks)
