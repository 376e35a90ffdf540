"""OpenAI Responses: items, of which those that a model made in a row are one turn; instructions beside them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import groupby
from typing import Any

from historylab.conversation.columns import ROLE_CODES
from historylab.conversation.message import Message
from historylab.errors import LoadError
from historylab.formats.base import kind_of
from historylab.formats.messages.excerpt import Excerpt
from historylab.formats.messages.responses_items import (
    CALLS,
    HOSTED,
    REFERENCE,
    RESULTS,
    join_assistant_messages,
    may_call,
    read_item,
    to_items,
    with_referenced_calls,
)
from historylab.formats.messages.summary_marks import with_summaries, without_summary
from historylab.formats.requests.form import (
    STRICT,
    Form,
    Group,
    IsSummary,
    Now,
    Request,
    call_records,
    fields_of,
    in_runs,
    is_beside,
    is_whole,
    parts_of,
    plain_copy,
)

ELSEWHERE = {
    "previous_response_id": "earlier items are with the provider, as previous_response_id says",
    "conversation": "earlier items are with the provider, in the conversation named",
}
MODELS = ("reasoning", REFERENCE, "mcp_list_tools", "mcp_approval_request")
"""Types of items that a model's turn holds, beside its messages and calls."""
Item = dict[str, Any]


class Responses(Form):
    """Items as OpenAI's Responses API takes and returns them.

    The items of a model's turn (reasoning, text, calls) are one message and go together; an item of the user, a system
    or developer message and the result of a call are each a message of their own. An item that is only referred to is
    one of a model's: it goes with its turn, and has the results right after it where no other call does.
    """

    name = "responses"
    provider = "openai"
    field = "input"
    system_field = "instructions"

    def open(self, given: Any, sure: bool, is_summary: IsSummary) -> Request:
        if not isinstance(given, Mapping):
            return super().open(given, sure, is_summary)
        for field, why in ELSEWHERE.items():
            if given.get(field):
                raise LoadError(f"{why}: give the whole history as {self.field}, without {field}")
        held, prompt = given.get(self.field), given.get(self.system_field)
        if prompt and not isinstance(prompt, str):
            raise LoadError(f"{self.system_field} is {kind_of(prompt)}, not text")
        said = [{"role": "user", "content": held}] if isinstance(held, str) else held
        request = super().open({**given, self.field: said}, sure, is_summary)
        texts = [text for text in without_summary(prompt or "") if text]
        systems = (
            Message("system", text, source=Excerpt({"role": "system", "content": text}, (), k, len(texts)))
            for k, text in enumerate(texts)
        )
        return replace(request, given=given, systems=tuple(systems))

    def group(self, items: Sequence[Any], start: int) -> Group:
        found, count = self.at(items, start), 1
        if not _is_models(items[start]):
            return 1, found
        while start + count < len(items) and _is_models(items[start + count]):
            found += self.at(items, start + count)
            count += 1
        turn, results = join_assistant_messages(list(found)), tuple[Message, ...]()
        if any(map(may_call, turn)):
            for place in range(start + count, len(items)):
                if not _is_result(items[place]):
                    break
                results += self.at(items, place)
            turn = with_referenced_calls([*turn, *results])[: len(turn)]
        return count + len(results), _with_origin(turn, tuple(items[start : start + count])) + results

    def one(self, item: Any) -> tuple[Message, ...]:
        return _with_origin(_read(item), (item,))

    def items_of(self, messages: Sequence[Message], now: Now) -> list[Any]:
        beside = now.request.whole and bool(now.request.systems)
        said = [m for m in messages if not (beside and is_beside(m))]
        for role, row in groupby(said, lambda message: message.role):
            turns = list(row) if role == "assistant" else []
            if len(turns) > 1:  # the plan brought them together: they are one now
                now.otherwise(turns, join_assistant_messages(turns))
        return [item for run in in_runs(said) for item in _items(run, now)]

    def with_systems(self, body: dict[str, Any], messages: Sequence[Message], now: Now) -> dict[str, Any]:
        systems, chosen = now.request.systems, [message for message in messages if is_beside(message)]
        if not systems:
            return body
        own = systems[0] if without_summary(body[self.system_field])[0] else None
        kept = next((m for m in chosen if m == own), None)
        others = [m for m in chosen if m is not kept]
        text = kept.content if kept else ""
        whole = with_summaries(text, [m.content for m in others])
        if others:
            now.otherwise(others, [Message("system", whole.removeprefix(text))])
        if tuple(chosen) == systems:
            return body
        without = {name: value for name, value in body.items() if name != self.system_field}
        return {**without, self.system_field: whole} if whole else without


def _read(item: Any) -> list[Message]:
    """The messages of an item. A server's list of its tools says nothing; an approval answers the request for it."""
    fields = fields_of(item)
    match fields.get("type"):
        case "mcp_list_tools":
            return [Message("assistant")]
        case "mcp_approval_request":
            fields = {**fields, "type": "function_call", "call_id": fields.get("id")}
        case "mcp_approval_response":
            answer = "approved" if fields.get("approve") is True else "refused"
            said = f"{answer}: {fields['reason']}" if fields.get("reason") else answer
            fields = {"type": "function_call_output", "call_id": fields.get("approval_request_id"), "output": said}
    for name in ("content", "output"):
        if isinstance(parts := fields.get(name), list) and any(type(part) is not dict for part in parts):  # an SDK's
            fields = {**fields, name: plain_copy(parts)}
    return read_item(fields, "", STRICT)


def _with_origin(messages: list[Message], items: tuple[Any, ...]) -> tuple[Message, ...]:
    count = len(messages)
    return tuple(
        [replace(m, source=Excerpt(_fields(m, items), items, place, count)) for place, m in enumerate(messages)]
    )


def _is_models(item: Any) -> bool:
    """Whether a model made an item: of those in a row, the API wants reasoning and what followed it together."""
    try:
        fields = fields_of(item)
    except LoadError:
        return False
    kind = fields.get("type", "message")
    if not isinstance(kind, str):
        return False
    return fields.get("role") == "assistant" or kind in MODELS or kind in CALLS or kind in HOSTED


def _is_result(item: Any) -> bool:
    """Tell whether it is the result of a call, by itself."""
    try:
        return fields_of(item).get("type") in RESULTS
    except LoadError:
        return False


def _fields(message: Message, items: tuple[Any, ...]) -> dict[str, Any]:
    """A message as Chat Completions would have it."""
    fields: dict[str, Any] = {"role": message.metadata.get("role", message.role)}
    if message.role == "tool":
        fields["tool_call_id"] = message.tool_call_id
    held = fields_of(items[0]) if len(items) == 1 else {}
    content = held.get("content", held.get("output"))
    fields["content"] = content if isinstance(content, str | list) and message.media else message.content
    if message.tool_calls:
        fields["tool_calls"] = call_records(message)
    return fields


def _items(run: list[Message], now: Now) -> Iterator[Any]:
    source = run[0].source
    if not (isinstance(source, Excerpt) and source.origin):
        yield from _new_items(run[0])
        return
    items = [now.item(item) for item in source.origin]
    if not is_whole(run) and any(fields_of(item).get("type") == REFERENCE for item in items):
        now.otherwise(run, _read_turn(items))  # nobody knows which of them belong together: they all go
        yield from items
        return
    yield from items if is_whole(run) else _kept_items(run, items, now)


def _read_turn(items: Sequence[Any]) -> list[Message]:
    """The messages that a model's items in a row are."""
    return join_assistant_messages([message for item in items for message in _read(item)])


def _kept_items(messages: Sequence[Message], items: Sequence[Any], now: Now) -> Iterator[Item]:
    """The items that these messages of a turn are; without ids that refer to reasoning left out.

    A result that is no text, or a server's own, has no place for a shorter one: it stays.
    """
    kept = {message.source.place: message for message in messages}
    partly = len(kept) < messages[0].source.of
    for place, homes in enumerate(_homes(items)):
        message = kept.get(place)
        if message is None:
            continue
        held = [plain_copy(fields_of(items[k])) for k in homes]
        reasoned = any(item.get("type") == "reasoning" for item in held)
        if message.source.changed and message.role == "tool" and not _holds_text(held):
            now.otherwise([message], [_read_turn(items)[place]])
        elif message.source.changed:
            held = list(_changed_items(message, held))
        for item in held:
            if partly and not reasoned and (item.get("type", "message") == "message" or item.get("type") in CALLS):
                item.pop("id", None)
            yield item


def _homes(items: Sequence[Any]) -> list[list[int]]:
    """The items of each message of a turn. A call that the API answers itself is in that of the call."""
    homes: list[list[int]] = []
    before = ""
    for k, item in enumerate(items):
        for message in _read(item):
            if before == message.role == "assistant":
                homes[-1].append(k)
            else:
                homes.append([k] if message.role == "assistant" or not homes else [])
            before = message.role
    return homes


def _changed_items(message: Message, items: list[Item]) -> Iterator[Item]:
    """The items of a message with another text."""
    if message.role == "tool":
        yield {**items[0], "output": _parts(message.source["content"], "user")}
        return
    spoken = [k for k, item in enumerate(items) if item.get("type", "message") == "message"]
    said = _parts(message.source["content"], message.role)
    if said and not spoken:
        yield {"role": message.role, "content": said}
    for k, item in enumerate(items):
        if k not in spoken:
            yield item
        elif k == spoken[0] and said:
            listed = isinstance(item.get("content"), list) and isinstance(said, str)
            yield {**item, "content": [_text(str(said), message.role)] if listed else said}


def _new_items(message: Message) -> Iterator[Item]:
    """The items of a message that is none of the caller's."""
    if message.role not in ROLE_CODES:
        message = replace(message, role="user")
    said = parts_of(message)
    for item in to_items(replace(message, content=said if isinstance(said, str) else message.content)):
        yield (
            item if isinstance(said, str) or "content" not in item else {**item, "content": _parts(said, message.role)}
        )


def _parts(content: str | list[Any], role: str) -> str | list[Any]:
    """A text, or parts as this API names those with texts."""
    if isinstance(content, str):
        return content
    return [_text(p["text"], role) if p.get("type") == "text" else plain_copy(p) for p in map(fields_of, content)]


def _text(text: str, role: str) -> dict[str, Any]:
    if role == "assistant":
        return {"type": "output_text", "text": text, "annotations": []}
    return {"type": "input_text", "text": text}


def _holds_text(items: Sequence[Item]) -> bool:
    """Whether the item of a result, if it has one of its own, holds a text or parts."""
    output = items[0].get("output") if items else None
    if isinstance(output, str):
        return True
    parts = output if isinstance(output, list) else [None]
    return all(isinstance(part, dict) and str(part.get("type")).startswith("input_") for part in parts)
