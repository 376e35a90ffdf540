"""Items of a request in any of the forms: which lead, and what one says however an app writes it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from historylab.formats.requests.detect import FORMS

LEADING_ROLES = ("system", "developer")
"""Roles of items that lead a list: they may be others at every request."""
THOUGHTS = frozenset({"thinking", "redacted_thinking", "reasoning"})
OF_PARTS = ("type", "name", "input", "content")
OF_ITEMS = ("type", "name", "arguments", "input", "output")  # those of OpenAI Responses that are no messages


def items_in(given: Any, format: str | None = None) -> list[Any]:
    """The items of a list or a body, of that format if it is known; none of what `open_request` refuses."""
    held = given
    if isinstance(given, Mapping):
        fields = [FORMS[format].field] if format else ["messages", "input", "contents"]
        held = next((given[field] for field in fields if field in given), None)
        held = [held] if isinstance(held, Mapping) else held
    return held if isinstance(held, list) else list(held) if isinstance(held, tuple) else []


def count_leading(items: Sequence[Any]) -> int:
    """The number of system messages that lead the items."""
    return next((k for k, item in enumerate(items) if field_of(item, "role") not in LEADING_ROLES), len(items))


def field_of(item: Any, name: str) -> Any:
    """A field of a dict, another mapping or an SDK's object."""
    return item.get(name) if type(item) is dict or isinstance(item, Mapping) else getattr(item, name, None)


def is_from_model(item: Any) -> bool:
    """True for a model's own item: an answer's message, or a call that stands alone."""
    if not isinstance(item, Mapping):
        return False
    return item.get("role") in ("assistant", "model") or str(item.get("type")).endswith("_call")


def words_of_item(item: Any) -> Any:
    """The words of an item, as JSON: the same for an answer and for its repetition by an app.

    None for what a model thought, which an app may leave out.
    """
    if not isinstance(item, Mapping):
        return item
    if item.get("type") in THOUGHTS:
        return None
    if item.get("type") == "item_reference":
        return [item["type"], item.get("id")]
    if "role" not in item:
        return [_written_once(item.get(name)) if name == "arguments" else item.get(name) for name in OF_ITEMS]
    if "parts" in item:
        return _words_of_content(item)
    content, calls = item.get("content"), item.get("tool_calls")
    parts = content if isinstance(content, list) else [content]
    texts = [text for part in parts if (text := _text_of(part)) is not None]
    others = [
        [part.get(name) for name in OF_PARTS]
        for part in parts
        if isinstance(part, Mapping) and _text_of(part) is None and part.get("type") not in THOUGHTS
    ]
    called = [call for call in calls if isinstance(call, Mapping)] if isinstance(calls, list) else []
    functions = [_words_of_function(call.get("function")) for call in called]
    return [item["role"], "".join(texts).strip(), others, functions]


def _words_of_content(content: Mapping[str, Any]) -> Any:
    """The words of a content of Google's API: names in snake case are those in camel case."""
    held = content["parts"]
    parts = [
        p for p in (held if isinstance(held, list) else [held]) if not (isinstance(p, Mapping) and p.get("thought"))
    ]
    if held and not parts:
        return None
    texts = [text for part in parts if (text := _text_of(part)) is not None]
    others = [
        [name.replace("_", "").lower(), {k: v for k, v in value.items() if k != "id"}]
        for part in parts
        if isinstance(part, Mapping)
        for name, value in part.items()
        if isinstance(value, Mapping) and value
    ]
    return [content.get("role"), "".join(texts).strip(), others, []]


def _words_of_function(function: Any) -> Any:
    if not isinstance(function, Mapping):
        return function
    return [function.get("name"), _written_once(function.get("arguments"))]


def _written_once(arguments: Any) -> Any:
    """The same text for arguments that are the same but for their order and spaces, which an app may write anew."""
    try:
        return json.dumps(json.loads(arguments), sort_keys=True)
    except (TypeError, ValueError, RecursionError):
        return arguments


def _text_of(part: Any) -> str | None:
    text = part.get("text") if isinstance(part, Mapping) else part
    return text if isinstance(text, str) else None
