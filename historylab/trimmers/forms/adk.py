"""Contents as google.genai has them, which Google's ADK and apps of that SDK hold: Gemini's, as objects."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from historylab.conversation.message import Message
from historylab.errors import LoadError, needs
from historylab.formats.base import kind_of
from historylab.registry import register
from historylab.trimmers.base import WrittenItem
from historylab.trimmers.forms.gemini import GeminiItems


@register("item_form", "adk")
class AdkContents(GeminiItems):
    """A `google.genai.types.Content` each."""

    def __init__(self) -> None:
        with needs("google-genai", "a content of Google's SDK"):
            from google.genai.types import Content
        self._content = Content

    def write(self, messages: Sequence[Message], marks: Sequence[str]) -> list[WrittenItem]:
        return [
            WrittenItem(self._content.model_validate(item), places) for item, places in super().write(messages, marks)
        ]

    def read(self, item: Any) -> list[Message]:
        if not isinstance(item, self._content):
            raise LoadError(f"{kind_of(item)}, not a content of google.genai")
        return super().read(item)
