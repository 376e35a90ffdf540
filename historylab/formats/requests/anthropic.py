"""Anthropic Messages: results in the user's next message, the system prompt beside the messages of a body."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from historylab.conversation.message import Message
from historylab.errors import LoadError
from historylab.formats.base import EMPTY_VALUES, Losses, kind_of
from historylab.formats.messages.anthropic_blocks import CALLS, RESULT, is_result, read_run, runs_of, text_of, to_blocks
from historylab.formats.messages.excerpt import Excerpt
from historylab.formats.requests.form import (
    LEFT_OUT,
    MARKER,
    STRICT,
    Form,
    Now,
    Request,
    fields_of,
    in_runs,
    is_whole,
    parts_of,
    plain,
)
from historylab.formats.requests.marks import marked, unmarked

ROLES = ("user", "assistant")
THOUGHTS = ("thinking", "redacted_thinking")
Block = dict[str, Any]


class Anthropic(Form):
    """Messages as Anthropic's Messages API takes them.

    Each result in a user's message is a message of its own, and so is a summary of ours, which a list, having no system
    field, holds in a user's message. Thinking is in the metadata of the answer it led to.
    """

    name = "anthropic"
    provider = "anthropic"
    field = "messages"
    system_field = "system"

    def open(self, given: Any, sure: bool) -> Request:
        request = super().open(given, sure)
        prompt = given.get(self.system_field) if isinstance(given, Mapping) else None
        if prompt in EMPTY_VALUES:
            return request
        if not isinstance(prompt, str | list | tuple):
            raise LoadError(f"{self.system_field} is {kind_of(prompt)}, not text or a list of text blocks")
        blocks = [_block(part) for part in ([prompt] if isinstance(prompt, str) else prompt)]
        said = [read_run("system", [block], self.system_field, STRICT) for block in blocks]
        fields = [{"role": "system", "content": message.content} for message in said]
        systems = (
            replace(m, source=Excerpt(f, (), k, len(said))) for k, (m, f) in enumerate(zip(said, fields, strict=True))
        )
        return replace(request, systems=tuple(systems))

    def one(self, item: Any) -> tuple[Message, ...]:
        role, runs = _runs(item)
        return tuple([_message(item, role, run, place, len(runs)) for place, run in enumerate(runs)])

    def items_of(self, messages: Sequence[Message], now: Now) -> list[Any]:
        said = [m for m in messages if not (now.request.whole and _beside(m))]
        turns = _alternating(_turns(said, now), now.items)
        return [{"role": turn.role, "content": _content(turn.blocks)} if turn.blocks else turn.item for turn in turns]

    def with_systems(self, body: dict[str, Any], messages: Sequence[Message], request: Request) -> dict[str, Any]:
        chosen = [message for message in messages if _beside(message)]
        if tuple(chosen) == request.systems:
            return body
        prompt = body.pop(self.system_field, None)
        blocks = [_text(prompt)] if isinstance(prompt, str) else list(prompt or ())
        given = dict(zip(request.systems, blocks, strict=True)) if request.systems else {}
        written = [given.get(message) or _text(message.content) for message in chosen]
        return {**body, self.system_field: written} if written else body


@dataclass(slots=True)
class _Turn:
    """A message to send, made of blocks; without any, the caller's own `item`, number `place` of those given.

    If there are blocks, `item` is the one they end in.
    """

    role: str
    blocks: list[Block]
    item: Any = None
    place: int | None = None


def _runs(item: Any) -> tuple[str, list[list[Any]]]:
    """The role of an item, and the blocks of each message in it."""
    fields = fields_of(item)
    role, content = fields.get("role"), fields.get("content")
    if role not in ROLES:
        raise LoadError("no role" if not role else f"a role {str(role)[:40]!r}, which this API doesn't have")
    if isinstance(content, str):
        return role, [[content]]
    if not isinstance(content, list | tuple):
        raise LoadError(f"content is {kind_of(content)}, not text or a list of blocks")
    runs: list[list[Any]] = []
    for run in runs_of(role, [_block(block) for block in content]):
        runs += _by_summary(run) if role == "user" else [run]
    return role, runs


def _by_summary(run: list[Any]) -> Iterator[list[Any]]:
    """A run of a user's, in which each summary of ours is one by itself."""
    said: list[Any] = []
    for block in run:
        if _summary(block) is None:
            said.append(block)
            continue
        if said:
            yield said
            said = []
        yield [block]
    if said or not run:
        yield said


def _summary(block: Any) -> str | None:
    text = block if isinstance(block, str) else block.get("text")
    return unmarked(text) if isinstance(text, str) else None


def _block(given: Any) -> Any:
    """A block as dicts; a text as it is."""
    if isinstance(given, str):
        return given
    block = fields_of(given)
    content = block.get("content")
    if isinstance(content, list | tuple) and any(type(part) not in (dict, str) for part in content):
        return {**block, "content": [part if isinstance(part, str) else fields_of(part) for part in content]}
    return block


def _message(item: Any, role: str, run: list[Any], place: int, of: int) -> Message:
    summary = _summary(run[0]) if role == "user" and len(run) == 1 else None
    if summary is not None:
        return Message("system", summary, source=Excerpt({"role": "system", "content": summary}, (item,), place, of))
    message = read_run(role, run, "", STRICT)
    fields: dict[str, Any] = {"role": message.role}
    if message.role == "tool":
        fields |= {"tool_call_id": message.tool_call_id, "content": run[0].get("content") or ""}
    else:
        fields["content"] = run[0] if run == [message.content] else _said(run)
    if calls := message.tool_calls:
        functions = [{"name": call.name, "arguments": call.arguments} for call in calls]
        fields["tool_calls"] = [
            {"id": call.id, "type": "function", "function": function}
            for call, function in zip(calls, functions, strict=True)
        ]
    return replace(message, source=Excerpt(fields, (item,), place, of))


def _said(run: list[Any]) -> list[Block]:
    """What is said in a run: its texts and media."""
    texts = [(block, text_of(block)) for block in run if isinstance(block, str) or not _is_apart(block)]
    return [block if text is None else _text(text) for block, text in texts]


def _is_apart(block: Block) -> bool:
    return block.get("type") in (*CALLS, *THOUGHTS)


def _beside(message: Message) -> bool:
    """Whether a message belongs beside the others: a system message that is none of the caller's items."""
    return message.role == "system" and not (isinstance(message.source, Excerpt) and message.source.origin)


def _turns(messages: Sequence[Message], now: Now) -> Iterator[_Turn]:
    for run in in_runs(messages):
        source = run[0].source
        if not (isinstance(source, Excerpt) and source.origin):
            role = "assistant" if run[0].role == "assistant" else "user"
            turn = _Turn(role, _new_blocks(run[0]))
        else:
            item, place = now.item(source.origin[0]), now.place(source.origin[0])
            role = fields_of(item)["role"]
            turn = _Turn(role, [] if is_whole(run) else _kept(run, item), item, place)
        if turn.blocks or is_whole(run):
            yield turn


def _kept(messages: Sequence[Message], item: Any) -> list[Block]:
    """The blocks of an item that these messages are; while a call among them may be running, with all its thinking."""
    kept = {message.source.place: message for message in messages}
    blocks: list[Block] = []
    calling = any(message.tool_calls for message in messages)
    for place, run in enumerate(_runs(item)[1]):
        message = kept.get(place)
        if message is None:
            blocks += [plain(block) for block in run if calling and _is_thought(block)]
        elif message.source.changed:
            blocks += _changed(message, run)
        else:
            blocks += [_text(block) if isinstance(block, str) else plain(block) for block in run]
    return blocks


def _changed(message: Message, run: list[Any]) -> list[Block]:
    """The blocks of a run with another text. A server's own result has no place for one: it stays."""
    parts = message.source["content"]
    if run and is_result(run[0]):
        return [plain(run[0]) if run[0]["type"] != RESULT else {**plain(run[0]), "content": plain(parts)}]
    said = _spoken(parts)
    markers = [block[MARKER] for block in run if isinstance(block, dict) and MARKER in block and not _is_apart(block)]
    if said and markers:
        said[-1] = {**said[-1], MARKER: plain(markers[-1])}
    apart = [plain(block) for block in run if isinstance(block, dict) and _is_apart(block)]
    thoughts = [block for block in apart if _is_thought(block)]
    return [*thoughts, *said, *(block for block in apart if not _is_thought(block))]


def _new_blocks(message: Message) -> list[Block]:
    """The blocks of a message that is none of the caller's."""
    if message.role == "system":
        return [_text(marked(message.content))]
    parts = parts_of(message)
    calls = to_blocks(replace(message, content="") if message.role != "tool" else message, Losses())
    return [*_spoken(parts), *calls] if message.role != "tool" else calls


def _spoken(parts: Any) -> list[Block]:
    """A text or parts as blocks, without texts of nothing but white space, which the API refuses."""
    blocks = [_text(parts)] if isinstance(parts, str) else [plain(part) for part in parts]
    return [block for block in blocks if block.get("type") != "text" or block["text"].strip()]


def _is_thought(block: Any) -> bool:
    return isinstance(block, dict) and block.get("type") in THOUGHTS


def _alternating(turns: Iterator[_Turn], items: Sequence[Any]) -> list[_Turn]:
    """Turns of both roles in alternation, the user's first and last.

    What the caller gave in a row stays as it was given. Where the plan brought two of a role together they are joined;
    where it leaves an answer first or last, or thinking that must begin its turn, words of the user say so.
    """
    found: list[_Turn] = []
    gap = _Turn("user", [_text(LEFT_OUT)])
    for turn in turns:
        before = found[-1] if found else None
        if before is None:
            found += [gap] if turn.role != "user" and turn.item is not next(iter(items), gap) else []
        elif before.role == turn.role and not _were_together(before, turn):
            more = _blocks_of(turn)
            if not (more and _is_thought(more[0])):
                found[-1] = _Turn(turn.role, _results_first([*_blocks_of(before), *more]), turn.item, turn.place)
                continue
            found.append(gap)
        found.append(turn)
    if found and found[-1].role != "user" and found[-1].item is not items[-1]:
        found.append(gap)
    return found


def _were_together(before: _Turn, turn: _Turn) -> bool:
    if before.blocks or turn.blocks or before.place is None:
        return False
    return turn.place == before.place + 1


def _blocks_of(turn: _Turn) -> list[Block]:
    if turn.blocks:
        return turn.blocks
    content = plain(fields_of(turn.item)["content"])
    return [_text(content)] if isinstance(content, str) else content


def _results_first(blocks: list[Block]) -> list[Block]:
    return sorted(blocks, key=lambda block: not is_result(block)) if blocks and not _is_call(blocks) else blocks


def _is_call(blocks: list[Block]) -> bool:
    return any(block.get("type") in CALLS for block in blocks)


def _content(blocks: list[Block]) -> str | list[Block]:
    """The blocks; a single text as such."""
    alone = blocks[0] if len(blocks) == 1 and blocks[0].keys() == {"type", "text"} else None
    return alone["text"] if alone else blocks


def _text(text: str) -> Block:
    return {"type": "text", "text": text}
