"""A hook for Pydantic AI (from version 2) that trims every request.

Source: `AbstractCapability.wrap_model_request`. A history processor of the framework's own and `before_model_request`
replace the history with what they return, so that a later request could no longer be planned from the whole
conversation.
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from dataclasses import replace
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from historylab.errors import needs
from historylab.frameworks.base import Converted, Record, open_trimmer
from historylab.settings.model import Settings
from historylab.trimmers.forms.pydantic_ai import request_record, response_record

with needs("pydantic-ai-slim", "historylab.frameworks.pydantic_ai"):
    from pydantic_ai.capabilities import AbstractCapability
    from pydantic_ai.messages import (
        FilePart,
        ModelRequest,
        ModelResponse,
        SystemPromptPart,
        TextPart,
        ToolCallPart,
        ToolReturnPart,
        UserPromptPart,
    )

if TYPE_CHECKING:
    from historylab.stores.base import StateStore

GIVEN = "given"  # the message that a record was made of, and its parts in it


class TrimmingCapability(AbstractCapability):  # type: ignore[misc]
    """Sends what the settings keep; the run keeps everything. `instructions` and tools count as overhead."""

    def __init__(self, settings: Settings | None, store: StateStore | str | None):
        super().__init__()
        self._trimmer = open_trimmer(settings, store, "chat_completions")
        self._records = Converted(_convert, attrgetter("parts"))

    async def wrap_model_request(self, ctx: Any, *, request_context: Any, handler: Any) -> Any:
        request, messages = copy(request_context), request_context.messages
        given = self._as_records(messages)
        request.messages = _as_messages(await self._trimmer.atrim(given), given, messages[-1])
        return await handler(request)

    def to_send(self, messages: Sequence[Any]) -> list[Any]:
        """The messages of the next request: your own parts, and new ones for what is summarised or shortened."""
        given = self._as_records(messages)
        return _as_messages(self._trimmer.trim(given), given, messages[-1])

    def _as_records(self, messages: Sequence[Any]) -> list[Record]:
        return [record for message in messages for record in self._records(message)]


def history_processor(settings: Settings | None = None, *, store: StateStore | str | None = None) -> TrimmingCapability:
    """The capability: `Agent(…, capabilities=[history_processor(settings)])`."""
    return TrimmingCapability(settings, store)


def _as_messages(records: Sequence[Record], given: Sequence[Record], newest: Any) -> list[Any]:
    own, sent = set(map(id, given)), list[tuple[Any, list[Any]]]()
    for record in records:
        message, parts = record[GIVEN] if id(record) in own else _make(record, newest)
        if sent and (sent[-1][0] is message or (message.parts and sent[-1][0] == message)):
            sent[-1][1].extend(parts)
        else:
            sent.append((message, list(parts)))
    return [_with_parts(message, parts) for message, parts in sent]


def _with_parts(message: Any, parts: list[Any]) -> Any:
    same = len(parts) == len(message.parts) and all(map(lambda a, b: a is b, parts, message.parts))
    return message if same else replace(message, parts=parts)


def _convert(message: Any) -> list[Record]:
    """Chat messages: one for a response, one for each part of a request; notes without text go with a neighbour."""
    if message.kind == "response":
        return [{**response_record(message), GIVEN: (message, message.parts)}]
    records, notes = list[Record](), list[Any]()
    for part in message.parts:
        if said_there := request_record(part):
            time = getattr(part, "timestamp", message.timestamp)
            records.append({**said_there, "timestamp": time, GIVEN: (message, [*notes, part])})
            notes = []
        elif records:
            records[-1][GIVEN][1].append(part)
        else:
            notes.append(part)
    return records or [{"role": "user", "content": "", GIVEN: (message, notes)}]


def _make(record: Record, newest: Any) -> tuple[Any, list[Any]]:
    """The new parts of a record in its role, and their message: yours, if the role is the same."""
    role, content = record["role"], record.get("content") or ""
    if not isinstance(content, str):
        content = [part.get("piece") or part.get("text", "") for part in content]
    message, parts = record.get(GIVEN) or (None, [])
    if role == "assistant":
        return message if isinstance(message, ModelResponse) else ModelResponse([]), _answer_parts(record, content)
    if role == "tool":
        tool = next((part.tool_name for part in parts if hasattr(part, "tool_name")), "")
        new: Any = ToolReturnPart(tool, content, record["tool_call_id"])
    else:
        new = UserPromptPart(content) if role == "user" else SystemPromptPart(content)
    if not isinstance(message, ModelRequest):
        return ModelRequest([], instructions=getattr(newest, "instructions", None)), [new]
    return message, [new if request_record(part) else part for part in parts]


def _answer_parts(record: Record, content: str | list[Any]) -> list[Any]:
    said = [content] if isinstance(content, str) else content
    new: list[Any] = [TextPart(piece) if isinstance(piece, str) else FilePart(piece) for piece in said if piece]
    for call in record.get("tool_calls") or []:
        new.append(ToolCallPart(call["function"]["name"], call["function"]["arguments"], call["id"]))
    return new
