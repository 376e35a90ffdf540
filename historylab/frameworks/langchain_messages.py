"""LangChain's messages, as both of its agents have them: trimmed by a Trimmer, and given back as LangChain's."""

from __future__ import annotations

from collections.abc import Sequence
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from historylab.errors import needs
from historylab.frameworks.base import Converted, Record, open_trimmer
from historylab.settings.model import Settings

with needs("langchain-core", "historylab.frameworks"):
    from langchain_core.messages import convert_to_messages, convert_to_openai_messages

if TYPE_CHECKING:
    from historylab.stores.base import StateStore

GIVEN = "given"  # the message that a record was made of


class LangChainTrimmer:
    """Trims lists of LangChain's messages. Safe under threads."""

    def __init__(self, settings: Settings | None, store: StateStore | str | None):
        self.trimmer = open_trimmer(settings, store, "chat_completions")
        self._records = Converted(_convert, attrgetter("content"))

    def to_send(self, messages: Sequence[Any]) -> list[Any]:
        """The messages of the next request: your own, and new ones for what is summarised, shortened or rewritten."""
        given = self._as_records(messages)
        return _as_messages(self.trimmer.trim(given), given)

    async def ato_send(self, messages: Sequence[Any]) -> list[Any]:
        """`to_send` for event loops."""
        given = self._as_records(messages)
        return _as_messages(await self.trimmer.atrim(given), given)

    def _as_records(self, messages: Sequence[Any]) -> list[Record]:
        return [record for message in messages for record in self._records(message)]


def _as_messages(records: Sequence[Record], given: Sequence[Record]) -> list[Any]:
    own = set(map(id, given))
    return [record[GIVEN] if id(record) in own else _make(record) for record in records]


def _convert(message: Any) -> list[Record]:
    """A chat message; of a provider's own blocks, texts and media are read."""
    if isinstance(message.content, str):
        return [{**convert_to_openai_messages(message), GIVEN: message}]
    parts = [part for block in message.content if (part := _as_part(block))]
    record = convert_to_openai_messages(message.model_copy(update={"content": ""}))
    return [{**record, "content": parts, GIVEN: message}]


def _as_part(block: Any) -> Record | None:
    block = {"type": "text", "text": block} if isinstance(block, str) else block
    kind = block.get("type", "text").removeprefix("input_").removesuffix("_url")
    if kind in ("image", "audio", "video", "file", "document", "media"):
        return {"type": kind if kind in ("image", "audio") else "file", "block": block}
    text = block.get(kind if kind in ("thinking", "reasoning") else "text")
    return {"type": "text", "text": text} if isinstance(text, str) else None


def _make(record: Record) -> Any:
    """A message in the record's role; one that was only shortened keeps the rest of yours."""
    content, given = record.get("content") or "", record.get(GIVEN)
    if not isinstance(content, str):
        content = [part.get("block", part) for part in content]
    fields = {name: value for name, value in record.items() if name != GIVEN}
    [message] = convert_to_messages([{**fields, "content": content}])
    if given is not None and given.type == message.type:
        return given.model_copy(update={"content": content})
    return message
