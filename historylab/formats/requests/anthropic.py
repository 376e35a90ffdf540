"""Anthropic Messages: results in the user's next message, the system prompt beside the messages of a body."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from historylab.conversation.message import Message
from historylab.errors import LoadError
from historylab.formats.base import kind_of
from historylab.formats.messages.anthropic_blocks import block_text, read_run, text_block
from historylab.formats.messages.excerpt import Excerpt
from historylab.formats.requests.anthropic_items import as_block, item_role, messages_from_item
from historylab.formats.requests.anthropic_turns import turns_to_items
from historylab.formats.requests.form import STRICT, Form, IsSummary, Now, Request, by_summary, is_beside

FIRST = "a role 'system', which this API doesn't have at the start: give that text as the body's system"


class Anthropic(Form):
    """Messages as Anthropic's Messages API takes them.

    Each result in a user's message is a message of its own, and so is a summary of ours, which a list, having no system
    field, holds in a user's message. Thinking is in the metadata of the answer it led to. System messages among the
    others keep their place, or take the next (`system_places`), or stand at the end of the system field.
    """

    name = "anthropic"
    provider = "anthropic"
    field = "messages"
    system_field = "system"

    def open(self, given: Any, sure: bool, is_summary: IsSummary) -> Request:
        request = super().open(given, sure, is_summary)
        prompt = given.get(self.system_field) if isinstance(given, Mapping) else None
        if not prompt:  # an SDK's NOT_GIVEN is false, too
            return request
        if not isinstance(prompt, str | list | tuple):
            raise LoadError(f"{self.system_field} is {kind_of(prompt)}, not text or a list of text blocks")
        parts = [prompt] if isinstance(prompt, str) else prompt
        runs = by_summary(parts, lambda part: block_text(as_block(part)), is_summary)
        said = [read_run("system", [as_block(part) for part in run], "", STRICT) for run in runs]
        held = [{"role": "system", "content": prompt if isinstance(prompt, str) else run} for run in runs]
        systems = (replace(m, source=Excerpt(held[k], (), k, len(said))) for k, m in enumerate(said))
        return replace(request, systems=tuple(systems))

    def at(self, items: Sequence[Any], place: int) -> tuple[Message, ...]:
        found = super().at(items, place)
        if place == 0 and item_role(items[0]) == "system":
            raise LoadError(f"message 0 of those given: {FIRST}")
        return found

    def one(self, item: Any) -> tuple[Message, ...]:
        return tuple(messages_from_item(item))

    def items_of(self, messages: Sequence[Message], now: Now) -> list[Any]:
        said = [m for m in messages if not (now.request.whole and is_beside(m))]
        return turns_to_items(said, now)

    def with_systems(self, body: dict[str, Any], messages: Sequence[Message], now: Now) -> dict[str, Any]:
        chosen = [message for message in messages if is_beside(message)]
        if tuple(chosen) == now.request.systems and not now.moved:
            return body
        given = {message: message.source["content"] for message in now.request.systems}
        blocks: list[Any] = []
        for message in chosen:
            held = given.get(message)
            blocks += held if isinstance(held, list) else [text_block(message.content)]
        for moved in now.moved:
            blocks += moved
        without = {name: value for name, value in body.items() if name != self.system_field}
        return {**body, self.system_field: blocks} if blocks else without
