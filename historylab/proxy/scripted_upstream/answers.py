"""What the upstream says: a text or a tool call, by rule, the same for the same request."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from zlib import crc32

from historylab.conversation.message import Message
from historylab.proxy.scripted_upstream.arguments import plausible

OPENINGS = (
    "That is on record.",
    "I looked at what you sent me.",
    "Good question.",
    "Here is what I have.",
    "Let me put it briefly.",
)
FACTS = (
    "Ferry F-{n} leaves pier {small} at {hour}:40, and the crossing takes {minutes} minutes.",
    "Your reference is R-{n}; please keep it until the crossing is over.",
    "Berth {small} is held for you until {hour}:15, for {minutes} euros.",
    "Order {n} went out at {hour}:05 and arrives in {small} days.",
)
EXCERPT = 160
CALLS_ONE_IN = 3


@dataclass(frozen=True, slots=True)
class OfferedTool:
    """A tool that may be called, whichever API it was described to."""

    name: str
    schema: Any


@dataclass(frozen=True, slots=True)
class ParsedRequest:
    """A request, as far as its answer depends on it.

    `results` are those of the newest call, if they were sent last.
    """

    question: str
    results: Sequence[str]
    messages: int
    tools: Sequence[OfferedTool]
    must_call: str | None
    """The tool to call: its name, "" for any, None if no call is asked for."""
    schema: Any
    """Of an answer that has to be JSON; None for a text."""


def parse_request(body: Mapping[str, Any], newest: Iterable[Message], messages: int) -> ParsedRequest:
    """Read a request of either API; `newest` are its messages from the last one on."""
    results: list[str] = []
    question, at_end = "", True
    for message in newest:
        at_end = at_end and message.role == "tool"
        if at_end:
            results.insert(0, message.content)
        if message.role == "user":
            question = message.content
            break
    choice = body.get("tool_choice")
    tools = [] if choice in ("none", {"type": "none"}) else [*_tools(body)]
    return ParsedRequest(question, results, messages, tools, _must_call(choice), _schema(body))


def answer_to(request: ParsedRequest) -> str | tuple[OfferedTool, str]:
    """The text of the answer, or the tool it calls and the arguments."""
    seed = crc32(request.question.encode(errors="replace"))
    calls = request.must_call is not None or seed % CALLS_ONE_IN == 0
    if request.tools and not request.results and calls:
        named = next((tool for tool in request.tools if tool.name == request.must_call), None)
        tool = named or request.tools[seed // CALLS_ONE_IN % len(request.tools)]
        arguments = plausible(tool.schema, request.question)
        return tool, json.dumps(arguments if isinstance(arguments, dict) else {}, ensure_ascii=False)
    if request.schema is not None:
        return json.dumps(plausible(request.schema, request.question), ensure_ascii=False)
    return _text(request, seed)


def _text(request: ParsedRequest, seed: int) -> str:
    if request.results:
        found = "; ".join(_excerpt(result) for result in request.results)
        said = f"The tool says: {found}"
    else:
        fact = FACTS[seed // 7 % len(FACTS)]
        numbers = {"n": 100 + seed % 9900, "small": 2 + seed % 11, "hour": 6 + seed % 15, "minutes": 20 + seed % 60}
        said = f"{OPENINGS[seed % len(OPENINGS)]} “{_excerpt(request.question)}”: {fact.format(**numbers)}"
    return f"{said} (I was sent {request.messages} message{'s' * (request.messages != 1)}.)"


def _excerpt(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= EXCERPT else text[: EXCERPT - 1] + "…"


def _tools(body: Mapping[str, Any]) -> Iterable[OfferedTool]:
    for tool in body.get("tools") or ():
        function = tool.get("function") if isinstance(tool.get("function"), Mapping) else tool
        if isinstance(function.get("name"), str):
            yield OfferedTool(function["name"], function.get("parameters") or function.get("input_schema") or {})


def _must_call(choice: Any) -> str | None:
    """OpenAI says "required" or {"type": "function", …}, Anthropic {"type": "any"} or {"type": "tool", …}."""
    if choice in ("required", {"type": "any"}):
        return ""
    if not isinstance(choice, Mapping):
        return None
    function = choice.get("function")
    name = function.get("name") if isinstance(function, Mapping) else choice.get("name")
    return name if isinstance(name, str) else None


def _schema(body: Mapping[str, Any]) -> Any:
    """The schema of structured output, as either API has it."""
    output = body.get("response_format") or (body.get("output_config") or {}).get("format") or {}
    match output.get("type"):
        case "json_schema":
            return output.get("schema") or (output.get("json_schema") or {}).get("schema") or {}
        case "json_object":
            return {"properties": {"answer": {"type": "string"}}}
    return None
