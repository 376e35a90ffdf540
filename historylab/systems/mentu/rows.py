"""Mentu's stored rows: what an agent's stream of events leaves in the database, long tool results cut."""

from __future__ import annotations

import json
import logging
import uuid
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from historylab.formats.messages.flat_messages import RESULT_ID
from historylab.planning.strategies.truncation import truncate_text
from historylab.systems.base import require_whole_number

log = logging.getLogger("historylab")

STORED_CHARACTERS = 50_000
STORAGE_MARK = "\n[truncated for storage]"


def truncate_for_storage(text: str, limit: int = STORED_CHARACTERS) -> str:
    """The text, or its first `limit` characters and a marker that says so."""
    return truncate_text(text, require_whole_number(limit, "limit"), STORAGE_MARK)


def rows_from_agent_stream(
    stream: Iterable[Mapping[str, Any]],
    *,
    storage_limit: int = STORED_CHARACTERS,
    history: Sequence[Mapping[str, Any]] = (),
) -> Iterator[dict[str, Any]]:
    """Rows as the events of an agent's run come in: tool calls and results, at the end its joined text if it said any.

    An event is `{"type": "assistant" | "user" | …, "message": {"content": [blocks]}}`. An error in the stream passes
    through after the rows before it; the text is then not stored. Else the run's end is logged, with the number of
    calls and the lengths of the answer and of the `history` it was asked with.
    """
    texts: list[str] = []
    calls, outcome = 0, ""
    for event in stream:
        if not isinstance(event, Mapping):
            continue
        if event.get("type") == "result":
            outcome = str(event.get("subtype") or "")
        for block in _blocks(event):
            if event.get("type") == "assistant" and isinstance(block.get("text"), str):
                texts.append(block["text"])
            elif event.get("type") == "assistant" and "name" in block:
                calls += 1
                yield _tool_use(block)
            elif event.get("type") == "user" and block.get("type") == "tool_result":
                yield _tool_result(block, storage_limit)
    answer = "".join(texts)
    if answer:
        yield {"id": str(uuid.uuid4()), "role": "assistant", "content": answer}
    figures = {"toolCallCount": calls, "responseLength": len(answer), "historyLength": len(history)}
    log.info(
        "Agent completed: %d tool calls, an answer of %d characters, a history of %d messages",
        *figures.values(),
        extra={"subtype": outcome, **figures},
    )


def _blocks(event: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    message = event.get("message")
    content = message.get("content") if isinstance(message, Mapping) else None
    return [block for block in content if isinstance(block, Mapping)] if isinstance(content, list) else []


def _tool_use(block: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "id": block.get("id") or str(uuid.uuid4()),
        "role": "tool_use",
        "content": "",
        "tool_name": block["name"],
        "tool_input": block.get("input", {}),
    }


def _tool_result(block: Mapping[str, Any], limit: int) -> dict[str, Any]:
    content = block.get("content")
    if not isinstance(content, str):
        content = "" if content is None else json.dumps(content, ensure_ascii=False, separators=(",", ":"), default=str)
    call = block.get("tool_use_id", "")
    return {"id": f"{RESULT_ID}{call}", "role": "tool_result", "content": truncate_for_storage(content, limit)}
