"""Google Gemini: results in the user's next content, the system instruction beside the contents of a body."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from historylab.conversation.message import Message
from historylab.errors import LoadError
from historylab.formats.messages.chat_messages import pair_by_order
from historylab.formats.messages.excerpt import Excerpt
from historylab.formats.messages.gemini_contents import read_part_run
from historylab.formats.requests.form import (
    STRICT,
    Form,
    Group,
    IsSummary,
    Now,
    Request,
    by_summary,
    fields_of,
    is_beside,
)
from historylab.formats.requests.gemini_items import as_part, is_models, messages_in_contents, parts_in
from historylab.formats.requests.gemini_turns import turns_to_contents

INSTRUCTIONS = ("systemInstruction", "system_instruction")


class Gemini(Form):
    """Contents as Google's `generateContent` takes them, in camel case or snake case.

    Each result in a user's content is a message of its own, and so is a summary of ours, which a list, having no
    instruction, holds in a user's content. Contents that a model gave in a row (chunks of a stream, as SDKs keep them)
    are one message. Calls are grouped with their results, which SDKs give without the ids.
    """

    name = "gemini"
    provider = "google"
    field = "contents"
    system_field = "systemInstruction"

    def open(self, given: Any, sure: bool, is_summary: IsSummary) -> Request:
        if not isinstance(given, Mapping):
            return super().open(given, sure, is_summary)
        held = given.get(self.field)
        whole = {**given, self.field: [held]} if isinstance(held, Mapping) else given  # one stands for a list of it
        request = replace(super().open(whole, sure, is_summary), given=given)
        prompt = given.get(_instruction_field(given))
        if not prompt:
            return request
        parts = [prompt] if isinstance(prompt, str) else parts_in(fields_of(prompt))
        runs = by_summary(parts, lambda part: as_part(part).get("text"), is_summary)
        said = [read_part_run("system", [as_part(part) for part in run], "", STRICT) for run in runs]
        systems = (
            replace(m, source=Excerpt({"role": "system", "content": run}, (), k, len(runs)))
            for k, (m, run) in enumerate(zip(said, runs, strict=True))
        )
        return replace(request, systems=tuple(systems))

    def prompt_item(self, prompt: Any) -> Any:
        return {**prompt, "role": "system"} if isinstance(prompt, Mapping) else {"role": "system", "parts": [prompt]}

    def group(self, items: Sequence[Any], start: int) -> Group:
        count, found = self._turn(items, start)
        while _is_waiting(found) and start + count < len(items) and not is_models(items[start + count]):
            more = self.at(items, start + count)
            if more[0].role != "tool":
                break
            found, count = [*found, *more], count + 1
        return count, tuple(pair_by_order(found, start))

    def _turn(self, items: Sequence[Any], start: int) -> tuple[int, list[Message]]:
        """The number of contents that a model gave in a row from `start` on, or one of the user's, and its messages."""
        stop = start + 1
        while stop < len(items) and is_models(items[start]) and is_models(items[stop]):
            stop += 1
        try:
            return stop - start, messages_in_contents(items[start:stop])
        except LoadError:
            for place in range(start, stop):
                self.at(items, place)
            raise

    def one(self, item: Any) -> tuple[Message, ...]:
        return tuple(messages_in_contents([item]))

    def items_of(self, messages: Sequence[Message], now: Now) -> list[Any]:
        said = [m for m in messages if not (now.request.whole and is_beside(m))]
        return turns_to_contents(said, now)

    def with_systems(self, body: dict[str, Any], messages: Sequence[Message], now: Now) -> dict[str, Any]:
        chosen = [message for message in messages if is_beside(message)]
        if tuple(chosen) == now.request.systems:
            return body
        given = {message: message.source["content"] for message in now.request.systems}
        parts: list[Any] = []
        for message in chosen:
            held = given.get(message) or [message.content]
            parts += [{"text": part} if isinstance(part, str) else part for part in held]
        name = _instruction_field(body)
        prompt = body.get(name)
        around = {} if not prompt or isinstance(prompt, str) else fields_of(prompt)
        without = {field: value for field, value in body.items() if field != name}
        return {**body, name: {**around, "parts": parts}} if parts else without


def _instruction_field(body: Mapping[str, Any]) -> str:
    """The name under which a body has its instruction, or may have one."""
    return next((name for name in INSTRUCTIONS if body.get(name)), INSTRUCTIONS[0])


def _is_waiting(messages: Sequence[Message]) -> bool:
    """Tell whether a call waits for its result. SDKs leave out ids of results, also where calls have any."""
    asked = sum(len(message.tool_calls) for message in messages)
    return asked > sum(message.role == "tool" for message in messages)
