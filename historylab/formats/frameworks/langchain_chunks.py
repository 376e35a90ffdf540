"""The chunks of a streamed LangChain answer, put together as `AIMessageChunk.__add__` would."""

from __future__ import annotations

from typing import Any

PIECES = ("text", "thinking", "reasoning", "reasoning_content", "signature", "partial_json")
"""Fields of a chunk or of its parts that hold a piece of a text."""


def joined_chunks(chunks: list[dict[str, Any]]) -> dict[str, Any]:
    """The fields of the whole answer."""
    whole: dict[str, Any] = {}
    for chunk in chunks:
        for key, value in chunk.items():
            if key == "content":
                whole[key] = _content(whole.get(key), value)
            elif key == "usage_metadata":
                whole[key] = _sum(whole.get(key), value)
            elif isinstance(value, list):
                whole[key] = [*whole.get(key, []), *value] if isinstance(whole.get(key, []), list) else value
            elif isinstance(value, dict):
                whole[key] = _merge(whole.get(key), value)
            elif value not in (None, ""):
                whole.setdefault(key, value)
    if calls := _calls(whole.get("tool_call_chunks")):
        whole["tool_calls"], whole["invalid_tool_calls"] = calls, []
    return whole


def _content(before: Any, more: Any) -> Any:
    if not before or not isinstance(before, str | list):
        return more
    if isinstance(before, str) and not isinstance(more, list):
        return before + more if isinstance(more, str) else before
    parts = _parts(before)
    for part in _parts(more):
        last = parts[-1] if parts else None
        if isinstance(last, dict) and isinstance(part, dict) and _continues(last, part):
            parts[-1] = _merge(last, part)
        else:
            parts.append(part)
    return parts


def _parts(content: Any) -> list[Any]:
    if isinstance(content, str):
        return [{"type": "text", "text": content}] if content else []
    return list(content) if isinstance(content, list) else []


def _continues(last: dict[str, Any], part: dict[str, Any]) -> bool:
    """Whether the second part goes on with the first: the same type and place."""
    return all(last.get(key) == part.get(key) for key in ("type", "index"))


def _calls(chunks: Any) -> list[dict[str, Any]]:
    """Calls of which the arguments came in pieces, by their index: the first piece has the id and the name."""
    calls: dict[Any, dict[str, Any]] = {}
    for chunk in chunks if isinstance(chunks, list) else ():
        if not isinstance(chunk, dict):
            continue
        key = f"{chunk.get('index')}" if chunk.get("index") is not None else f"call {len(calls)}"
        call = calls.setdefault(key, {"id": None, "name": None, "args": ""})
        call["id"], call["name"] = call["id"] or chunk.get("id"), call["name"] or chunk.get("name")
        call["args"] += chunk["args"] if isinstance(chunk.get("args"), str) else ""
    return list(calls.values())


def _merge(before: Any, more: dict[str, Any]) -> dict[str, Any]:
    """Two objects as one: of what both have, pieces of a text are joined, and of anything else the later counts."""
    merged = dict(before) if isinstance(before, dict) else {}
    for key, value in more.items():
        pieces = isinstance(merged.get(key), str) and isinstance(value, str) and key in PIECES
        merged[key] = merged[key] + value if pieces else value if value is not None else merged.get(key)
    return merged


def _sum(before: Any, more: Any) -> Any:
    """The sum of two numbers, or of the numbers under each key of two objects."""
    if isinstance(before, dict) and isinstance(more, dict):
        return {key: _sum(before.get(key), more.get(key)) for key in {**before, **more}}
    numbers = [count for count in (before, more) if type(count) is int]
    return sum(numbers) if numbers else more if more is not None else before
