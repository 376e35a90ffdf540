"""Names messages of other APIs and frameworks, where Chat Completions is meant: an error can then say what was given.

Nothing is converted, and nothing is claimed for certain: a shape is what a field or a content part *looks like*.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any

ANTHROPIC, AI_SDK, RESPONSES = "Anthropic Messages", "AI SDK", "OpenAI Responses"
GEMINI, LANGCHAIN, INSPECT = "Gemini contents", "LangChain messages", "Inspect messages"

PARTS = {
    **dict.fromkeys(("tool_use", "tool_result", "server_tool_use", "web_search_tool_result"), ANTHROPIC),
    **dict.fromkeys(("mcp_tool_use", "mcp_tool_result"), ANTHROPIC),
    **dict.fromkeys(("tool-call", "tool-result", "tool-error", "tool-invocation", "dynamic-tool"), AI_SDK),
    **dict.fromkeys(("function_call", "function_call_output"), RESPONSES),
}
"""Type of a content part that holds a call or a result → whose it is."""

CALL_FIELDS = {
    "parts": "AI SDK UI messages or Gemini contents",
    "toolInvocations": "AI SDK UI messages",
    "blocks": "LlamaIndex messages",
    "images": "Ollama messages",
    "tool_call_ids": "SWE-agent's history",
}
"""Field of a message that stands where Chat Completions has content and calls → whose it is."""

ITEMS = {
    **dict.fromkeys(("function_call", "function_call_output", "reasoning", "item_reference"), RESPONSES),
    **dict.fromkeys(("human", "ai", "AIMessageChunk"), LANGCHAIN),
}
"""`type` of an item without a role → whose it is."""

INSTEAD = "calls in tool_calls, each result a message with the role tool, text and images in content"
LOOKED_AT = 200  # items looked at to name the shape of a file


def shape_of(record: Any) -> str:
    """Whose message it looks like, if it is another API's or framework's; else empty."""
    if not isinstance(record, Mapping):
        return ""
    return _by_content(record) or _by_fields(record) or _by_item(record)


def shape_in(values: list[tuple[str, Any]]) -> str:
    """The first shape among the items of a file."""
    return next((shape for item in islice(_items([v for _, v in values]), LOOKED_AT) if (shape := shape_of(item))), "")


def _by_content(record: Mapping[Any, Any]) -> str:
    for part in (part for part in _list(record.get("content")) if isinstance(part, Mapping)):
        kind = part.get("type")
        own = GEMINI if part.keys() & {"functionCall", "functionResponse", "inlineData"} else ""
        if shape := PARTS.get(kind, "") if isinstance(kind, str) else own:
            return shape
    return ""


def _by_fields(record: Mapping[Any, Any]) -> str:
    if parts := _list(record.get("parts")):
        if "kind" in record:
            return "Pydantic AI messages"
        typed = any(isinstance(part, Mapping) and "type" in part for part in parts)
        return "AI SDK UI messages" if typed else GEMINI
    if any(isinstance(c, Mapping) and isinstance(c.get("function"), str) for c in _list(record.get("tool_calls"))):
        return INSPECT
    return next((shape for field, shape in CALL_FIELDS.items() if record.get(field)), "")


def _by_item(record: Mapping[Any, Any]) -> str:
    if "role" in record or isinstance(record.get("messages"), list):
        return ""
    kind = record.get("type")
    shape = ITEMS.get(kind, "") if isinstance(kind, str) else ""
    fields = record["data"] if isinstance(record.get("data"), Mapping) else record
    if record.get("lc") == 1 or (isinstance(kind, str) and "additional_kwargs" in fields):
        return LANGCHAIN
    if shape and (shape != LANGCHAIN or "content" in fields):
        return shape
    return "ShareGPT" if "from" in record and "value" in record else ""


def _items(values: list[Any]) -> Iterator[Any]:
    """Every value, and what it holds in a list, up to three levels down."""
    for _ in range(3):
        yield from values[:LOOKED_AT]
        looked_at = [value if isinstance(value, dict) else {"messages": value} for value in values[:LOOKED_AT]]
        held = [_list(value.get("messages")) for value in looked_at]
        values = [item for items in held for item in items[:LOOKED_AT]]


def _list(value: Any) -> list[Any]:
    return list(value) if isinstance(value, list | tuple) else []
