"""Chats of Copilot in VS Code: `chatSessions/*.json`, and since 2026 `*.jsonl`, a log of changes to the same value.

A request is what was asked, and in `response` what the screen showed of the answer. Where `result.metadata` has the
rounds of the model's calls, these are what was sent: with the arguments of each call, and its result. Its tokens are
those of the last round.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import PurePosixPath
from typing import Any

from historylab.conversation.conversation import Conversation
from historylab.formats.base import Report, kind_of
from historylab.formats.files.content import Content
from historylab.formats.messages.anthropic_blocks import text_block
from historylab.formats.messages.fields import as_list, list_in, object_in, objects_under, text_in
from historylab.formats.messages.paths import Located
from historylab.formats.messages.record_groups import located_items
from historylab.formats.messages.usage import to_usage
from historylab.formats.products.vscode_cuts import cuts_in
from historylab.formats.shapes.records import RECORD, read_records
from historylab.registry import register

SHOWN = (
    *("textEditGroup", "notebookEditGroup", "codeblockUri", "undoStop", "prepareToolInvocation", "progressMessage"),
    *("progressTask", "progressTaskSerialized", "progressTaskResult", "mcpServersStarting", "confirmation", "warning"),
    *("elicitation", "elicitationSerialized", "elicitation2", "references", "contentReference", "command", "move"),
    *("codeCitation", "treeData", "extensions", "pullRequest", "clearToPreviousToolInvocation", "externalEdit"),
    *("multiDiffData", "todoList", "workspaceEdit", "questionCarousel", "hook", "disabledClaudeHooks"),
)
"""Kinds of parts in which the screen, and not the model, says something."""

SHAPE = replace(RECORD, kinds={**RECORD.kinds, **dict.fromkeys(SHOWN)})
INITIAL, SET, PUSH, DELETE = range(4)
"""The kinds of lines in the log: give the value, set what is at a path, add to a list there, delete it."""


def looks_like_vscode_copilot(content: Content) -> float:
    """0.95 for requests with a message and a response, of a session."""
    value = content.values[0][1]
    return 0.95 if _is_session(value.get("v") if _is_log(content) else value) else 0


@register(
    "format",
    title="VS Code Copilot",
    recognise=looks_like_vscode_copilot,
    marks="requests requesterUsername response",
    source="microsoft/vscode, src/vs/workbench/contrib/chat/common/model/chatModel.ts, 1.109;"
    " microsoft/vscode-copilot-chat, src/extension/prompt/common/conversation.ts",
    checked="kenn-io/agentsview, internal/parser/vscode_copilot_test.go (of 1.132)",
)
def vscode_copilot(content: Content, report: Report) -> Iterator[Conversation]:
    """Chats of Copilot in VS Code."""
    for where, value in [("", _replay(content.values, report))] if _is_log(content) else content.values:
        if not isinstance(value, dict) or not isinstance(value.get("requests"), list):
            report.skip(f"{kind_of(value)} without requests", where)
            continue
        asked = located_items([(f"{where} requests".strip(), value["requests"])])
        records = [(at, record) for at, request in asked for record in _records(request, at, report)]
        about = {"session": session} if (session := text_in(value, "sessionId")) else {}
        for read in read_records(records, report, text_in(value, "customTitle") or "", about, SHAPE):
            cuts = cuts_in(read.messages, value["requests"])
            yield Conversation(read.messages, read.title, {**read.metadata, **cuts})


def _is_session(value: Any) -> bool:
    requests = value.get("requests") if isinstance(value, dict) else None
    if not isinstance(requests, list) or not isinstance(value.get("sessionId"), str):
        return False
    return "creationDate" in value or any(isinstance(each, dict) and "response" in each for each in requests)


# -- the log


def _is_log(content: Content) -> bool:
    first = content.values[0][1]
    return isinstance(first, dict) and first.get("kind") == INITIAL and "v" in first


def _replay(lines: list[Located], report: Report) -> Any:
    """The value that the lines of a log make."""
    holder: dict[str, Any] = {}
    for where, line in lines:
        path = ["v", *list_in(line, "k")] if isinstance(line, dict) else []
        if not path or not _apply(holder, path, line):
            report.skip("a change that fits nothing", where)
    return holder.get("v")


def _apply(value: Any, path: list[Any], line: Mapping[str, Any]) -> bool:
    """Make the change of a line; False if there is nothing at its path."""
    *way, last = path
    kind, new = line.get("kind"), line.get("v")
    try:
        for key in way:
            value = value[key]
        if isinstance(value, dict) and not isinstance(last, str):
            return False
        if kind == PUSH:
            held = as_list(value.get(last) if isinstance(value, dict) else value[last])
            value[last] = [*held[: line.get("i")], *as_list(new)]
        elif kind == DELETE:
            value.pop(last, None)
        elif kind in (INITIAL, SET) and isinstance(value, list) and last == len(value):
            value.append(new)
        elif kind in (INITIAL, SET):
            value[last] = new
    except (LookupError, TypeError, AttributeError):
        return False
    return kind in (INITIAL, SET, PUSH, DELETE)


# -- requests


def _records(request: Any, where: str, report: Report) -> Iterator[dict[str, Any]]:
    """A prompt, and the answers to it."""
    if not isinstance(request, dict):
        report.skip(f"{kind_of(request)}, no request", where)
        return
    metadata = object_in(object_in(request, "result"), "metadata")
    model = text_in(metadata, "resolvedModel") or (text_in(request, "modelId") or "").removeprefix("copilot/")
    about = {"time": request.get("timestamp"), "model": model}
    given = objects_under(object_in(request, "variableData"), "variables")
    media = [{"type": each["kind"]} for each in given if each.get("kind") in ("image", "file")]
    text = text_block(text_in(object_in(request, "message"), "text") or "")
    yield {**about, "role": "user", "parts": [text, *media], "id": text_in(request, "requestId")}
    shown = list(_parts_shown(list_in(request, "response")))
    answers = list(_rounds(metadata)) or ([{"parts": shown}] if shown else [])
    if not answers:
        report.pass_over("a request without an answer", where)
    newest = _usage(metadata) or (_usage(request) if len(answers) == 1 else None)
    for i, answer in enumerate(answers, 1):
        own = newest if i == len(answers) else None
        yield {**about, "role": "assistant", **answer, "usage": to_usage(answer.get("usage")) or own}


def _usage(told: Mapping[str, Any]) -> dict[str, Any] | None:
    """The tokens that a request has, or its metadata."""
    output = told.get("outputTokens") or told.get("completionTokens")
    return to_usage({"prompt_tokens": told.get("promptTokens"), "completion_tokens": output})


def _rounds(metadata: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """The model's answers, as its calls are on record."""
    results = object_in(metadata, "toolCallResults")
    for each in objects_under(metadata, "toolCallRounds"):
        thought = {"type": "thinking", "text": _text(object_in(each, "thinking").get("text"))}
        calls = ((call, results.get(str(call.get("id")))) for call in objects_under(each, "toolCalls"))
        made = [{**call, "type": "call", "result": _result(result)} for call, result in calls]
        parts = [thought, text_block(text_in(each, "response") or ""), *made]
        started = {"time": each["timestamp"]} if each.get("timestamp") else {}
        yield {"id": text_in(each, "id"), "parts": parts, "usage": each.get("usage"), **started}


def _result(value: Any) -> str | None:
    """The text of a result; None if there is none."""
    return "\n".join(filter(None, map(_text, list_in(value, "content")))) if isinstance(value, dict) else None


def _text(value: Any) -> str:
    """The text of a part, of several, or of rendered nodes."""
    if isinstance(value, list):
        return "".join(map(_text, value))
    if not isinstance(value, dict):
        return value if isinstance(value, str) else ""
    return "".join(_text(value.get(name)) for name in ("value", "text", "node", "children", "original"))


def _parts_shown(response: list[Any]) -> Iterator[dict[str, Any]]:
    """The parts of an answer as the screen has them: pieces of a text as one, a call once, as it was last."""
    last = {str(each.get("toolCallId")): i for i, each in enumerate(response) if isinstance(each, dict)}
    said = ""
    for i, each in enumerate(response):
        kind = each.get("kind") if isinstance(each, dict) else None
        if isinstance(each, dict) and kind in (None, "inlineReference", "markdownContent", "markdownVuln"):
            said += _reference(each) if kind == "inlineReference" else _text(each.get("value") or each.get("content"))
            continue
        if kind == "toolInvocationSerialized" and last[str(each.get("toolCallId"))] != i:
            continue
        if said:
            yield text_block(said)
            said = ""
        yield _part(each, kind) if isinstance(each, dict) else each
    if said:
        yield text_block(said)


def _part(each: dict[str, Any], kind: Any) -> dict[str, Any]:
    if kind == "toolInvocationSerialized":
        return _call(each)
    return {"type": kind, "text": _text(each.get("value"))} if kind == "thinking" else {**each, "type": kind}


def _reference(each: Mapping[str, Any]) -> str:
    """The name of a file or symbol that an answer mentions."""
    to = object_in(each, "inlineReference")
    to = object_in(to, "uri") or object_in(object_in(to, "location"), "uri") or to
    return text_in(each, "name") or text_in(to, "name") or PurePosixPath(text_in(to, "path") or "").name


def _call(each: Mapping[str, Any]) -> dict[str, Any]:
    """A call as the screen shows it."""
    told, details = object_in(each, "toolSpecificData"), object_in(each, "resultDetails")
    command = _text(told.get("commandLine")) or text_in(told, "command")
    message = _text(each.get("pastTenseMessage")) or _text(each.get("invocationMessage"))
    arguments = details.get("input") or ({"command": command} if command else {"message": message})
    shown = object_in(told, "terminalCommandOutput").get("text") or _text(details.get("output"))
    about = {"id": each.get("toolCallId"), "name": each.get("toolId"), "arguments": arguments}
    return {"type": "call", **about, "result": shown or None}
