"""Contents of Google's Gemini API: parts with text, thoughts, calls and responses, in camel case or snake case.

Calls mostly have no ids, so results answer them by name and order; several responses stand in one user content, and
here each is a message of its own. Source: the Gemini API reference, Content and Part.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, TypeGuard

from historylab.conversation.columns import ROLE_CODES
from historylab.conversation.message import Message
from historylab.formats.base import NOTHING, Losses, Report, kind_of
from historylab.formats.messages.answers import AnswerParts, tool_call
from historylab.formats.messages.anthropic_blocks import block_runs, summary_in
from historylab.formats.messages.chat_messages import UNNAMED
from historylab.formats.messages.content_parts import medium_of, spaced_json
from historylab.formats.messages.fields import text_in
from historylab.formats.messages.kept_records import parts_beside, with_fields
from historylab.formats.messages.written import object_arguments

ROLES = {"model": "assistant", "function": "user", "tool": "user"}
"""Roles of the API that mean one of ours: results are messages of their own, whoever gives them."""

CALLS, RESULTS = ("functionCall", "function_call"), ("functionResponse", "function_response")
SERVER_CALLS, SERVER_RESULTS = ("toolCall", "tool_call"), ("toolResponse", "tool_response")
CODE, OUTCOME = ("executableCode", "executable_code"), ("codeExecutionResult", "code_execution_result")
DATA = ("inlineData", "inline_data", "fileData", "file_data")
PARTS = frozenset(("text", *CALLS, *RESULTS, *SERVER_CALLS, *SERVER_RESULTS, *CODE, *OUTCOME, *DATA))
"""Fields that a part says something in."""

LABELS = {"thought", "thoughtSignature", "thought_signature", "videoMetadata", "video_metadata", "partMetadata"}
LABELS |= {"part_metadata", "mediaResolution", "media_resolution"}
PLAIN = ("result", "output", "content", "error", "name")
"""Fields of a response whose text, standing alone, is the result itself."""
CODE_TOOL = "code_execution"


def is_content(value: Any) -> bool:
    """Whether it is a content: parts without a type of their own, and a role of this API or none."""
    parts = value.get("parts") if isinstance(value, dict) else None
    if not isinstance(parts, list) or not parts or "id" in value or "kind" in value:
        return False
    if value.get("role") not in (None, "user", "model", "function", "tool", "system"):
        return False
    if any(isinstance(part, dict) and part.keys() & {"type", "part_kind"} for part in parts):
        return False
    return "role" in value or any(isinstance(part, dict) and part.keys() & PARTS for part in parts)


def read_gemini_content(content: dict[str, Any], where: str, report: Report, role: str = "user") -> list[Message]:
    """The messages in one content: results first if a user gives them. `role`: its role where it names none.

    Calls and results without an id keep none: `pair_by_order` gives them one. Warns of what isn't read.
    """
    named = role_in(content, role)
    left = report.leave(content, {"role", "parts"}, where)
    if ROLES.get(named, named) not in ROLE_CODES:
        report.warn(f"unknown role {named[:40]!r}, kept as conversation", where)
    return with_fields([read_part_run(named, run, where, report) for run in part_runs(named, content["parts"])], left)


def part_runs(role: str, parts: list[Any]) -> list[list[Any]]:
    """The parts of each message in a content: a result, a summary of ours, what was said around; at least one run."""
    given = "user" if ROLES.get(role) == "user" else role
    runs = block_runs(given, parts, is_result_part)
    return [run for run in runs if any(map(_says, run))] or runs[:1]


def read_part_run(role: str, run: list[Any], where: str, report: Report) -> Message:
    """The message that one run is, with the run where it says more."""
    summary = summary_in(role, run)
    if summary is not None:
        return Message("system", summary)
    before = report.warned
    answer = AnswerParts(role=ROLES.get(role, role))
    for part in run:
        _read_part({"text": part} if isinstance(part, str) else part, answer, where, report)
    message = answer.messages()[0]
    said = message.content or message.media or message.tool_calls or message.metadata.get("thinking")
    if not said and message.role != "tool":
        report.warn("empty content", where)
    says_more = message.media or report.warned > before
    return replace(message, source={"role": role, "parts": run}) if says_more else message


def is_result_part(part: Any) -> TypeGuard[dict[str, Any]]:
    """Tell whether it is the result of a call, of the caller's functions or the server's own tools."""
    return isinstance(part, dict) and any(part.get(name) for name in (*RESULTS, *SERVER_RESULTS, *OUTCOME))


def _says(part: Any) -> bool:
    return not isinstance(part, dict) or not part or any(part.get(name) for name in PARTS) or not part.keys() & PARTS


def add_part(parts: list[Any], part: Any) -> None:
    """Append a part of a stream, or continue the text of the one before it if both are text of one kind."""
    last = parts[-1] if parts else None
    if _is_text(part) and _is_text(last) and last.get("thought") == part.get("thought"):
        parts[-1] = {**last, **part, "text": last["text"] + part["text"]}
    else:
        parts.append(part)


def _is_text(part: Any) -> TypeGuard[dict[str, Any]]:
    return isinstance(part, dict) and isinstance(part.get("text"), str)


def to_parts(message: Message, names: Mapping[str, str], losses: Losses) -> list[dict[str, Any]]:
    """A message's parts: its text and its calls; or its result. `names`: of the functions called, by the call's id."""
    if message.role == "tool":
        call = message.tool_call_id or ""
        outcome = "error" if message.metadata.get("is_error") is True else "result"
        name = names.get(call) or message.name or ""
        return [{"functionResponse": {**_id(call), "name": name, "response": {outcome: message.content}}}]
    return (media_parts(message) or ([{"text": message.content}] if message.content else [])) + [
        {"functionCall": {**_id(call.id), "name": call.name, "args": object_arguments(call, losses)}}
        for call in message.tool_calls
    ]


def media_parts(message: Message) -> list[dict[str, Any]] | None:
    """The parts of what a message says, its media among them, if it was read from such; else None."""
    if message.role not in ("user", "assistant"):
        return None
    given = parts_beside(message, "parts")
    said = [part for part in given if isinstance(part, dict) and part.get("thought") is not True]
    parts = list(filter(None, ({name: part[name] for name in ("text", *DATA) if part.get(name)} for part in said)))
    held = AnswerParts()
    for part in parts:
        _read_part(part, held, "", Report())
    return parts if parts and ("\n".join(held.texts), tuple(held.media)) == (message.content, message.media) else None


def _id(call: str) -> dict[str, str]:
    """The id of a call, if it had one."""
    return {} if call.startswith(UNNAMED) else {"id": call}


def role_in(content: Mapping[str, Any], role: str = "user") -> str:
    """The role of a content; `role` where nothing tells."""
    given = content.get("role")
    return given if isinstance(given, str) and given else _likely_role(content["parts"], role)


def _likely_role(parts: list[Any], role: str) -> str:
    """A content without a role: calls are the model's, responses are given by the user."""
    fields = {name for part in parts if isinstance(part, dict) for name in part}
    return "model" if fields & {*CALLS} else "user" if fields & {*RESULTS} else role


def _read_part(part: Any, answer: AnswerParts, where: str, report: Report) -> None:
    if not isinstance(part, dict):
        report.lack(f"a part that is {kind_of(part)} not read", where)
        return
    report.leave(part, PARTS | LABELS, where)
    found = [name for name in part if name in PARTS and part[name] is not None]
    if not found and not part.keys() & LABELS:
        report.lack(f"a part without content ({', '.join(map(str, part))[:40]}) not read", where)
    for name in found:
        value = part[name]
        if name == "text" and isinstance(value, str):
            (answer.think if part.get("thought") is True else answer.say)(value)
        elif not isinstance(value, dict):
            report.lack(f"a part whose {name} is {kind_of(value)} not read", where)
        elif name in DATA:
            answer.attach(medium_of(value.get("mimeType", value.get("mime_type"))))
        else:
            _read_call(name, value, answer, where, report)


def _read_call(name: str, value: dict[str, Any], answer: AnswerParts, where: str, report: Report) -> None:
    if name in CALLS:
        report.leave(value, {"id", "name", "args"}, where)
        answer.call(tool_call(value.get("id"), value.get("name"), spaced_json(value.get("args") or {})))
    elif name in RESULTS:
        answer.add_result(_result(value, where, report))
    elif name in SERVER_CALLS:
        named = value.get("toolType", value.get("tool_type"))
        answer.call(tool_call(value.get("id"), str(named or ""), spaced_json(value.get("args") or {})))
    elif name in SERVER_RESULTS:
        found = replace(_result({**value, "name": None}, where, Report()), metadata={"server_tool": True})
        answer.add_result(found)
    elif name in CODE:
        report.leave(value, {"id", "language", "code"}, where)
        answer.call(tool_call(value.get("id"), CODE_TOOL, value.get("code")))
    else:
        report.leave(value, {"id", "outcome", "output"}, where)
        failed = value.get("outcome") not in ("OUTCOME_OK", None)
        metadata = {"server_tool": True, **({"is_error": True} if failed else {})}
        answer.add_result(Message("tool", text_in(value, "output") or "", name=CODE_TOOL, metadata=metadata))


def _result(given: dict[str, Any], where: str, report: Report) -> Message:
    """A function's response: an object, whose only text is the result."""
    report.leave(given, {"id", "name", "response", "parts", "willContinue", "scheduling"}, where)
    response, parts = given.get("response"), given.get("parts")
    only = next(iter(response.items())) if isinstance(response, dict) and len(response) == 1 else ("", None)
    said = only[1] if only[0] in PLAIN and isinstance(only[1], str) else response
    text = "" if said in NOTHING else spaced_json(said)
    held = AnswerParts()
    for part in parts if isinstance(parts, list) else ():
        _read_part(part, held, where, report)
    metadata = {"is_error": True} if only[0] == "error" else {}
    name, call = text_in(given, "name"), text_in(given, "id")
    text = "\n".join(filter(None, (text, *held.texts)))
    return Message("tool", text, name=name, tool_call_id=call or None, media=tuple(held.media), metadata=metadata)
