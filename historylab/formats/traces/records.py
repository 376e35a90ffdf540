"""Messages of a log as their APIs have them: what a logger renamed, printed or moved aside is put back.

{"role": "assistant", "additional_kwargs": {"tool_calls": […]}}     LangChain's fields beside a role
{"role": "look", "content": "sunny"}                                a result under the name of its tool
[{"toolCallId": "c1", "toolName": "look", "input": {}}]             calls without their message, or as its text
role='user' content='hi' name=None                                  a message that Python printed
system: Be kind.                                                    speech, in one text with what was said to it
"""

from __future__ import annotations

import ast
import json
import re
from typing import Any

from historylab.formats.messages.fields import as_list, object_in, text_in, unpack_json
from historylab.formats.messages.speakers import role_of

OF_RESPONSE = {
    *("usage", "usage_metadata", "response_metadata", "model", "stop_reason", "stop_sequence", "finish_reason"),
    *("object", "index", "logprobs", "created", "container", "service_tier"),
}
"""Fields beside the content in a response that are read elsewhere or say nothing."""

FIELDS = {"role", "content", "name", "tool_calls", "tool_call_id"}
ROLES = ("system", "user", "assistant", "tool")
PARTS = ("text", "thinking", "redacted_thinking", "tool_use", "tool-call")
PRINTED = re.compile(r"\w+=|[\[{]\s*[{']")
PIECES = re.compile(
    r"""'[^'\\]*(?:\\.[^'\\]*)*'|"[^"\\]*(?:\\.[^"\\]*)*"|[\[({]|[\])}]|\s|[^'"\[\](){}\s]+""", re.DOTALL
)
LABEL = re.compile(r"(?:gen_ai|event)\.|(?:additional_kwargs|finish_reason)$")
SPEAKER = re.compile(r"^(system|developer|user|human|assistant|ai|tool): ?", re.MULTILINE | re.IGNORECASE)


def as_records(items: list[Any], role: str) -> list[Any]:
    """The messages of a list, with calls and results as Chat Completions has them; `role`: of those that name none."""
    if items and all(
        isinstance(item, dict) and str(item.get("type")) in PARTS and "role" not in item for item in items
    ):
        return [{"role": role, "content": items}]
    if role == "assistant" and (calls := calls_in(items)):
        return [{"role": role, "content": None, "tool_calls": calls}]
    records: list[Any] = []
    for item in items:
        known = not isinstance(item, dict | str) or _is_plain(item)
        records.append(item if known else _as_record(item, role, records))
    return records


def calls_in(value: Any) -> list[dict[str, Any]]:
    """The calls in a list of nothing else, under whatever names, as Chat Completions has them."""
    items = as_list(unpack_json(value))
    calls = [call for item in items if (call := _call(item))]
    return calls if len(calls) == len(items) else []


def unpack_printed(value: Any) -> Any:
    """The value of a JSON text, or of one that Python printed; anything else as it is."""
    found = unpack_json(value)
    if not isinstance(found, str) or not PRINTED.match(found):
        return found
    if not found[0].isalpha():
        return _literal(found)
    fields = _printed_fields(found)
    if not isinstance(fields.get("role"), str) or "content" not in fields:
        return found
    return {name: fields[name] for name in FIELDS if name in fields}


def speech_in(text: str) -> list[dict[str, str]]:
    """The messages of a text in which several roles speak, each at the beginning of a line."""
    found = list(SPEAKER.finditer(text))
    if not found or found[0].start() or len({role_of(match[1]) for match in found}) < 2:
        return []
    ends = [match.start() for match in found[1:]] + [len(text)]
    parts = zip(found, ends, strict=True)
    return [{"role": role_of(match[1]), "content": text[match.end() : end].strip("\n")} for match, end in parts]


def tools_among(items: list[Any]) -> list[Any]:
    """The definitions of tools that stand among messages, each as the content of one."""
    contents = [item.get("content") for item in items if isinstance(item, dict)]
    return [held for held in contents if isinstance(held, dict) and "name" in object_in(held, "function")]


def _is_plain(item: dict[str, Any] | str) -> bool:
    """Tell whether a message is as Chat Completions has it: most are."""
    if isinstance(item, str) or item.get("role") not in ROLES or not item.keys() <= FIELDS:
        return False
    content, calls = item.get("content"), item.get("tool_calls")
    spelled = isinstance(content, str) and content.startswith("[")
    return not spelled and (not calls or (isinstance(calls, list) and _have_field(calls, "function", object)))


def _have_field(items: list[Any], name: str, kind: type) -> bool:
    """Tell whether these are objects with a field of that kind."""
    return all(isinstance(item, dict) and name in item and isinstance(item[name], kind) for item in items)


def _as_record(item: dict[str, Any] | str, role: str, before: list[Any]) -> dict[str, Any]:
    if isinstance(item, str):
        return {"role": role, "content": item}
    if ("content" in item or "tool_calls" in item) and item.keys().isdisjoint(("type", "lc", "role")):
        item = {"role": role, **item}  # left out where it is plain
    if (named := text_in(item, "role")) is None:
        return item
    record = {name: value for name, value in item.items() if not LABEL.match(name)}
    extra = object_in(item, "additional_kwargs")
    if "content" not in record and isinstance(record.get("text"), str):
        record["content"] = record.pop("text")
    given = record.get("tool_calls") or extra.get("tool_calls") or extra.get("function_call")
    content = record.get("content")
    spelled = as_list(unpack_json(content)) if isinstance(content, str) else []  # parts flattened into an attribute
    called = (call for held in before if isinstance(held, dict) for call in calls_in(held.get("tool_calls")))
    if not role_of(named) and any(named == call["function"]["name"] for call in called):
        record |= {"role": "tool", "name": named}
    if calls := calls_in(given if isinstance(given, list) else [{"function": given}] if given else None):
        record["tool_calls"] = calls
    elif named in ("assistant", "tool") and _have_field(spelled, "function", object) and (calls := calls_in(spelled)):
        record |= {"role": "assistant", "content": None, "tool_calls": calls}
    elif named != "tool" and spelled and _have_field(spelled, "type", str):
        record["content"] = spelled
    if role == "assistant":  # a whole response may be its message
        beside = OF_RESPONSE | ({"type"} if "stop_reason" in record else set())
        return {name: value for name, value in record.items() if name not in beside}
    return record


def _call(item: Any) -> dict[str, Any] | None:
    """A call as Chat Completions has it; None for what is none."""
    if not isinstance(item, dict) or "role" in item or "content" in item:
        return None
    said = item["function"] if isinstance(item.get("function"), dict) else item
    name = said.get("toolName") or said.get("name")
    given = next((said[key] for key in ("arguments", "input", "args", "rawInput") if key in said), None)
    if not isinstance(name, str) or (given is None and said is item):
        return None
    id = item.get("toolCallId") or item.get("call_id") or item.get("id")
    return {"id": id, "type": "function", "function": {"name": name, "arguments": given}}


def _literal(text: str) -> Any:
    """The value that a Python literal stands for, as JSON has it; the text itself if it is none."""
    try:
        return json.loads(json.dumps(ast.literal_eval(text), default=str))
    except (ValueError, TypeError, SyntaxError, RecursionError, MemoryError):
        return text


def _printed_fields(text: str) -> dict[str, Any]:
    """The fields of an object printed as `name=value name=value`."""
    words, depth = [""], 0
    for piece in PIECES.findall(text):
        depth += (piece in "[({") - (piece in "])}")
        if piece.isspace() and not depth:
            words.append("")
        else:
            words[-1] += piece
    pairs = [word.partition("=") for word in words]
    return {name: _literal(value) for name, equals, value in pairs if equals and name.isidentifier()}
