"""The shapes in which a function takes its messages: a list, a whole request body, or a list after a context."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import SimpleNamespace
from typing import Any

from historylab.conversation.message import Message
from historylab.formats.requests import FORMS
from historylab.trimmers.asking import TrimmerFailed, list_of

BETWEEN = "\n\n"
Taken = tuple[list[Any], str | None]
"""The items returned, and the text of the prompts beside them where that was returned, too."""


class ListShape:
    """A list of messages in, a list out; None stands for the list that was given, which was edited in place."""

    def give(self, items: list[Any], prompts: Sequence[Message]) -> tuple[Any, ...]:
        return (items,)

    def take(self, returned: Any, given: tuple[Any, ...]) -> Taken:
        return list_of(given[-1] if returned is None else returned), None


class ContextShape(ListShape):
    """The same after a context, as Pydantic AI's processors may take one: it says nothing of a run."""

    def give(self, items: list[Any], prompts: Sequence[Message]) -> tuple[Any, ...]:
        return SimpleNamespace(deps=None, model=None, usage=None, prompt=None, messages=items, run_step=0), items


class BodyShape:
    """A request body in, a body out, with the system prompt in its own field where the API has one."""

    def __init__(self, form: str, model: str):
        found = FORMS[form]
        self._field, self._system = found.field, found.system_field
        self._in_parts = form == "gemini"
        self._beside = {"model": model}

    def give(self, items: list[Any], prompts: Sequence[Message]) -> tuple[Any, ...]:
        text = BETWEEN.join(prompt.content for prompt in prompts)
        system = (
            {self._system: {"parts": [{"text": text}]} if self._in_parts else text} if text and self._system else {}
        )
        return ({**self._beside, **system, self._field: items},)

    def take(self, returned: Any, given: tuple[Any, ...]) -> Taken:
        body = given[0] if returned is None else returned
        if not isinstance(body, Mapping):
            return list_of(body), None
        if self._field not in body:
            raise TrimmerFailed(f"it returned a body without {self._field}")
        return list_of(body[self._field]), _text_of(body.get(self._system)) if self._system else None


def _text_of(system: Any) -> str:
    """The text of a system field: text, or blocks and parts with a text each."""
    if isinstance(system, str):
        return system
    blocks = system.get("parts") if isinstance(system, Mapping) else system
    texts = (block if isinstance(block, str) else _field_text(block) for block in blocks or ())
    return BETWEEN.join(filter(None, texts))


def _field_text(block: Any) -> str:
    text = block.get("text") if isinstance(block, Mapping) else getattr(block, "text", "")
    return text if isinstance(text, str) else ""
