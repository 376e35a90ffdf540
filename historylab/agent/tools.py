"""Tools an agent may call: any object with a name, a schema and a call; `as_tool` makes one of a plain function.

A tool that rewrites the history has `rewrite(messages, **arguments)` instead of a call: it edits the list of plain
messages in place, and returns what it did and the usage of its model calls.
"""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol, get_type_hints, runtime_checkable

from pydantic import create_model

from historylab.conversation.message import ToolCall, Usage


class Tool(Protocol):
    """`schema` is the OpenAI function tool sent to the model; a call's result is sent as text or JSON."""

    @property
    def name(self) -> str: ...

    @property
    def schema(self) -> Mapping[str, Any]: ...

    def __call__(self, **arguments: Any) -> Any: ...


@runtime_checkable
class RewritingTool(Protocol):
    """A tool that edits the history it is called in."""

    @property
    def name(self) -> str: ...

    @property
    def schema(self) -> Mapping[str, Any]: ...

    def rewrite(self, messages: list[dict[str, Any]], **arguments: Any) -> tuple[str, Usage]: ...


@dataclass(frozen=True, slots=True)
class FunctionTool:
    """A plain function as a tool."""

    name: str
    schema: Mapping[str, Any]
    run: Callable[..., Any]

    def __call__(self, **arguments: Any) -> Any:
        return self.run(**arguments)


def as_tool(function: Callable[..., Any]) -> FunctionTool:
    """The function as a tool: its name, its docstring, and its parameters' annotations and defaults."""
    hints = get_type_hints(function, include_extras=True)
    parameters = inspect.signature(function).parameters.values()
    fields: dict[str, Any] = {
        p.name: (hints.get(p.name, str), ... if p.default is p.empty else p.default) for p in parameters
    }
    schema = create_model(function.__name__, **fields).model_json_schema()
    about = {"name": function.__name__, "description": inspect.getdoc(function) or "", "parameters": schema}
    return FunctionTool(function.__name__, {"type": "function", "function": about}, function)


def call_tool(tool: Tool, call: ToolCall) -> str:
    """The tool's result as text. Raises what the tool raises, and ValueError for broken arguments."""
    return result_text(tool(**arguments_of(call)))


def arguments_of(call: ToolCall) -> dict[str, Any]:
    """A call's arguments. Raises ValueError where the model wrote no JSON object."""
    try:
        arguments = json.loads(call.arguments or "{}")
    except ValueError:
        raise ValueError(f"the arguments are broken JSON: {call.arguments[:200]}") from None
    if not isinstance(arguments, dict):
        raise ValueError(f"the arguments must be a JSON object, not {call.arguments[:200]}")
    return arguments


def result_text(given: Any) -> str:
    """A tool's result as the model sees it."""
    if given is None or isinstance(given, str):
        return given or ""
    return json.dumps(given, ensure_ascii=False, default=str)
