"""The chunks of a streamed LangChain answer, put together as `AIMessageChunk.__add__` would."""

from __future__ import annotations

from typing import Any

from historylab.formats.base import EMPTY_VALUES
from historylab.formats.messages.fields import as_list

PIECES = ("content", "text", "thinking", "reasoning", "reasoning_content", "signature", "partial_json", "args")
"""Fields of a chunk or of its parts that hold a piece of a text."""

USAGE = "usage_metadata"


def joined_chunks(chunks: list[dict[str, Any]]) -> dict[str, Any]:
    """The fields of the whole answer."""
    whole: dict[str, Any] = {}
    for chunk in chunks:
        whole = _join(whole, chunk)
    if calls := _calls(whole.get("tool_call_chunks")):
        whole["tool_calls"], whole["invalid_tool_calls"] = calls, []
    return whole


def _join(before: Any, more: Any, field: str = "", count: bool = False) -> Any:
    """Two values of a field as one: texts that came in pieces, lists and objects are joined, counts of tokens added.

    Of anything else the later counts.
    """
    if before in EMPTY_VALUES or more in EMPTY_VALUES:
        return more if before in EMPTY_VALUES else before
    if isinstance(before, dict) and isinstance(more, dict):
        names = {**before, **more}
        return {name: _join(before.get(name), more.get(name), name, count or name == USAGE) for name in names}
    if field == "content" and (isinstance(before, list) or isinstance(more, list)):
        return _join_parts([*_parts(before), *_parts(more)])
    pieces = isinstance(before, str) and isinstance(more, str) and field in PIECES
    lists = isinstance(before, list) and isinstance(more, list)
    return before + more if pieces or lists or (count and type(before) is type(more) is int) else more


def _parts(content: Any) -> list[Any]:
    return [{"type": "text", "text": content}] if isinstance(content, str) else as_list(content)


def _join_parts(parts: list[Any]) -> list[Any]:
    """The parts, each joined with those after it that have its type and place."""
    joined: list[Any] = []
    for part in parts:
        both = bool(joined) and isinstance(joined[-1], dict) and isinstance(part, dict)
        if both and all(joined[-1].get(name) == part.get(name) for name in ("type", "index")):
            joined[-1] = _join(joined[-1], part)
        else:
            joined.append(part)
    return joined


def _calls(chunks: Any) -> list[dict[str, Any]]:
    """Calls of which the arguments came in pieces, by their index: the first piece has the id and the name."""
    calls: dict[str, dict[str, Any]] = {}
    for chunk in as_list(chunks):
        if isinstance(chunk, dict):
            index = chunk.get("index")
            key = f"call {len(calls)}" if index is None else f"{index}"
            calls[key] = _join(calls.get(key), chunk)
    return list(calls.values())
