"""Fixed overhead of a request: tool definitions and a hidden system prompt, parsed and counted.

A definition is counted as its JSON without whitespace. Providers rewrite definitions in unpublished forms before a
model reads them, so the count is an estimate with every counter.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from historylab.conversation.message import Message
from historylab.counters.base import Counter, count_text
from historylab.errors import LoadError
from historylab.formats.base import kind_of

LISTS = ("tools", "functions", "functionDeclarations", "function_declarations")
"""The keys under which a request has its definitions: OpenAI (now and formerly), Anthropic, MCP and Gemini."""


@dataclass(frozen=True, slots=True)
class ToolDefinition:
    """One definition as given; `name` is the function's, or the type of a built-in tool of the provider."""

    name: str
    definition: Mapping[str, Any]


def read_tools(text: str) -> list[ToolDefinition]:
    """The definitions in pasted JSON: a list, a whole request, or one definition, in any provider's wrapping.

    Raises LoadError with line and column for invalid JSON, otherwise with the invalid definition and the reason.
    """
    try:
        return list(_tools(json.loads(text), "")) if text.strip() else []
    except json.JSONDecodeError as problem:
        where = f"line {problem.lineno}, column {problem.colno}"
        raise LoadError(f"this is no JSON: {problem.msg[:1].lower()}{problem.msg[1:]} at {where}") from None
    except LoadError:
        raise
    except (ValueError, RecursionError):  # a number of thousands of digits; brackets in brackets without end
        raise LoadError("this JSON is too deep, or holds too long a number, to be tool definitions") from None


def count_tools(counter: Counter, tools: list[ToolDefinition]) -> list[int]:
    """Tokens of each definition, without any framing: an estimate."""
    empty, *counts = counter.count([Message("system"), *(Message("system", _compact(tool)) for tool in tools)]).tolist()
    return [max(0, count - empty) for count in counts]


def count_prompt(counter: Counter, text: str) -> int:
    """Tokens of a system prompt outside the transcript, framing included; 0 if empty."""
    return count_text(counter, text) if text.strip() else 0


def _tools(given: Any, where: str) -> Iterator[ToolDefinition]:
    if isinstance(given, list):
        for i, inner in enumerate(given, 1):
            yield from _tools(inner, f"{where}definition {i}: ")
        return
    if not isinstance(given, Mapping):
        raise LoadError(f"{where}{kind_of(given)}, not an object")
    inside = next((given[key] for key in LISTS if isinstance(given.get(key), list)), None)
    if inside is not None:
        yield from _tools(inside, where)
        return
    function = given.get("function")
    name = (function if isinstance(function, Mapping) else given).get("name") or given.get("type")
    if not isinstance(name, str) or name == "function":
        raise LoadError(f'{where}no name; a definition looks like {{"name": "search", "description": "…", …}}')
    yield ToolDefinition(name, given)


def _compact(tool: ToolDefinition) -> str:
    return json.dumps(tool.definition, ensure_ascii=False, separators=(",", ":"))
