"""What an item of a request says, however an app writes it: an API's answer and the same as it comes back are equal."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

THOUGHTS = frozenset({"thinking", "redacted_thinking", "reasoning"})
OF_PARTS = ("type", "name", "input", "content")
OF_ITEMS = ("type", "name", "arguments", "input", "output")  # those of OpenAI Responses that are no messages


def said_in(item: Any) -> Any:
    """What an item says, as JSON; None for what a model thought, which an app may leave out."""
    if not isinstance(item, Mapping):
        return item
    if item.get("type") in THOUGHTS:
        return None
    if "role" not in item:
        return [item.get(name) for name in OF_ITEMS]
    content, calls = item.get("content"), item.get("tool_calls")
    parts = content if isinstance(content, list) else [content]
    texts = [text for part in parts if (text := _text_of(part)) is not None]
    others = [
        [part.get(name) for name in OF_PARTS]
        for part in parts
        if isinstance(part, Mapping) and _text_of(part) is None and part.get("type") not in THOUGHTS
    ]
    functions = [call.get("function") for call in calls if isinstance(call, Mapping)] if isinstance(calls, list) else []
    return [item["role"], "".join(texts).strip(), others, functions]


def is_answer(item: Any) -> bool:
    """Whether a model says it: an answer's message, or a call that stands alone."""
    if not isinstance(item, Mapping):
        return False
    return item.get("role") == "assistant" or str(item.get("type")).endswith("_call")


def answer_in(response: Mapping[str, Any] | None) -> Any:
    """The first item of an API's answer as an app would repeat it; None if it has none."""
    if not response:
        return None
    choices, output = response.get("choices"), response.get("output")
    if isinstance(choices, list) and choices and isinstance(choices[0], Mapping):
        return choices[0].get("message")
    if isinstance(output, list):
        return next((item for item in output if is_answer(item)), None)
    return {"role": "assistant", "content": response["content"]} if response.get("content") else None


def _text_of(part: Any) -> str | None:
    text = part.get("text") if isinstance(part, Mapping) else part
    return text if isinstance(text, str) else None
