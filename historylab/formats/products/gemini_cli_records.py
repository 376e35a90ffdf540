"""The messages of a Gemini CLI session's records: one each, or a reply with the results of its calls."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from historylab.conversation.message import Message, ToolCall
from historylab.formats.base import NOTHING, Report, kind_of
from historylab.formats.messages.branching import join_texts
from historylab.formats.messages.chat_messages import iso_time
from historylab.formats.messages.fields import as_list, list_in, object_in, text_in
from historylab.formats.messages.gemini_contents import read_gemini_content
from historylab.formats.messages.kept_records import keep_records
from historylab.formats.messages.usage import to_usage

NOTICES = ("info", "error", "warning")
READ = {"id", "type", "content", "timestamp", "toolCalls", "thoughts", "tokens", "model"}
SHOWN_ONLY = {"displayContent"}  # what was typed, where `content` is what was sent
READ_OF_CALL = {"id", "name", "args", "result", "status", "timestamp"}
SHOWN_OF_CALL = {"displayName", "description", "resultDisplay", "renderOutputAsMarkdown", "agentId"}
TOKENS = {
    "input": "prompt_token_count",
    "output": "candidates_token_count",
    "cached": "cached_content_token_count",
    "thoughts": "thoughts_token_count",
    "tool": "tool_use_prompt_token_count",
}
"""Name of a count here → in Gemini's API, of which the input counts what was read from the cache, too."""


@keep_records
def read_record(value: Any, where: str, report: Report) -> list[Message]:
    """The messages of one record: a user's, or the model's followed by the results of its calls."""
    kind = value.get("type")
    if kind in NOTICES:
        report.pass_over(f"{'an' if kind in ('info', 'error') else 'a'} {kind} row of the program", where)
        return []
    if kind not in ("user", "gemini"):
        report.skip(f"a record of type {kind[:40]!r}" if isinstance(kind, str) else "a record without a type", where)
        return []
    report.records += 1
    report.leave(value, READ | SHOWN_ONLY, where)
    text, media, thoughts = _parts(value.get("content"), where, report)
    own, time = text_in(value, "id") or None, iso_time(value.get("timestamp"))
    if kind == "user":
        if not (text or media):
            report.warn("empty content", where)
            return []
        return [Message("user", text, own, media=media, timestamp=time)]
    calls = list(_calls(value.get("toolCalls"), own or where, where, report))
    results = [_result(call, record, where, report) for call, record in calls if record.get("result") not in NOTHING]
    if not (text or media or calls):
        report.warn("a reply of nothing that is sent (only thinking, or empty)", where)
        return results
    called, metadata = tuple(call for call, _ in calls), _of_model(value, thoughts)
    return [Message("assistant", text, own, None, called, None, media, time, metadata=metadata), *results]


def _of_model(value: dict[str, Any], thoughts: list[str]) -> dict[str, Any]:
    """Thinking, model and usage of a reply."""
    told = [thought for thought in list_in(value, "thoughts") if isinstance(thought, dict)]
    said = (filter(None, (text_in(thought, "subject"), text_in(thought, "description"))) for thought in told)
    tokens = {TOKENS[name]: count for name, count in object_in(value, "tokens").items() if name in TOKENS}
    thinking = join_texts([*thoughts, *map(": ".join, said)])
    found = {"thinking": thinking, "model": text_in(value, "model"), "usage": to_usage(tokens)}
    return {name: held for name, held in found.items() if held}


def _calls(given: Any, own: str, where: str, report: Report) -> Iterator[tuple[ToolCall, dict[str, Any]]]:
    """The calls of a reply with their records; one without an id gets one of its own."""
    if not isinstance(given, list | None):
        report.warn(f"toolCalls that are {kind_of(given)}", where)
    for k, record in enumerate(as_list(given)):
        if not isinstance(record, dict):
            report.warn(f"a call that is {kind_of(record)}", where)
            continue
        report.leave(record, READ_OF_CALL | SHOWN_OF_CALL, where)
        name, arguments = text_in(record, "name"), record.get("args")
        if name is None:
            report.warn(f"a call whose name is {kind_of(record.get('name'))}", where)
        text = arguments if isinstance(arguments, str) else json.dumps(arguments or {}, ensure_ascii=False)
        yield ToolCall(text_in(record, "id") or f"{own}/{k}", name or "", text), record


def result_texts(value: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Of a reply: the id of each call that has one, and the text of its result."""
    for record in list_in(value, "toolCalls"):
        call = record.get("id") if isinstance(record, dict) else None
        if isinstance(call, str) and record.get("result") not in NOTHING:
            yield call, _parts(record["result"], "", Report())[0]


def response_texts(value: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Of a user's turn of nothing but results: the id of each call, and the text of its result."""
    parts = value.get("content")
    given = parts if isinstance(parts, list) else [parts]
    held = [object_in(part, "functionResponse") if isinstance(part, dict) else {} for part in given]
    if value.get("type") == "user" and all(isinstance(each.get("id"), str) for each in held):
        yield from ((each["id"], _parts([{"functionResponse": each}], "", Report())[0]) for each in held)


def _result(call: ToolCall, record: dict[str, Any], where: str, report: Report) -> Message:
    text, media, _ = _parts(record["result"], where, report)
    metadata = {"is_error": True} if record.get("status") == "error" else {}
    time = iso_time(record.get("timestamp"))
    return Message("tool", text, tool_call_id=call.id, media=media, timestamp=time, metadata=metadata)


def _parts(given: Any, where: str, report: Report) -> tuple[str, tuple[str, ...], list[str]]:
    """Text, media names and thoughts of a content: text, a part, or a list of them."""
    parts = given if isinstance(given, list) else [] if given in NOTHING else [given]
    read = read_gemini_content({"parts": parts}, where, report) if parts else []
    thoughts = [thought for message in read if (thought := message.metadata.get("thinking"))]
    return join_texts(m.content for m in read), tuple(each for m in read for each in m.media), thoughts
