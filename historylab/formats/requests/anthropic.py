"""Anthropic Messages: results in the user's next message, the system prompt beside the messages of a body."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from historylab.conversation.message import Message
from historylab.errors import LoadError
from historylab.formats.base import EMPTY_VALUES, kind_of
from historylab.formats.messages.anthropic_blocks import read_run, text_block
from historylab.formats.messages.excerpt import Excerpt
from historylab.formats.requests.anthropic_items import as_block, message_of, runs_in
from historylab.formats.requests.anthropic_turns import turns_of
from historylab.formats.requests.form import STRICT, Form, Now, Request, is_beside


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
        blocks = [as_block(part) for part in ([prompt] if isinstance(prompt, str) else prompt)]
        said = [read_run("system", [block], self.system_field, STRICT) for block in blocks]
        fields = [{"role": "system", "content": message.content} for message in said]
        systems = (
            replace(m, source=Excerpt(f, (), k, len(said))) for k, (m, f) in enumerate(zip(said, fields, strict=True))
        )
        return replace(request, systems=tuple(systems))

    def one(self, item: Any) -> tuple[Message, ...]:
        role, runs = runs_in(item)
        return tuple([message_of(item, role, run, place, len(runs)) for place, run in enumerate(runs)])

    def items_of(self, messages: Sequence[Message], now: Now) -> list[Any]:
        said = [m for m in messages if not (now.request.whole and is_beside(m))]
        turns = turns_of(said, now)
        return [turn.message for turn in turns]

    def with_systems(self, body: dict[str, Any], messages: Sequence[Message], request: Request) -> dict[str, Any]:
        chosen = [message for message in messages if is_beside(message)]
        if tuple(chosen) == request.systems:
            return body
        prompt = body.pop(self.system_field, None)
        blocks = [text_block(prompt)] if isinstance(prompt, str) else list(prompt or ())
        given = dict(zip(request.systems, blocks, strict=True)) if request.systems else {}
        written = [given.get(message) or text_block(message.content) for message in chosen]
        return {**body, self.system_field: written} if written else body
