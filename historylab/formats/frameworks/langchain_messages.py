"""One list of LangChain messages, in any of the ways in which they are dumped, as messages of ours.

    {"type": "human", "data": {"content": "…"}}                                 messages_to_dict
    {"lc": 1, "type": "constructor", "id": […, "HumanMessage"], "kwargs": {…}}  dumpd
    {"type": "human", "content": "…", "additional_kwargs": {}}                  model_dump

Consecutive chunks of one answer are one message. Source: langchain-core, messages and load/serializable.py.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from typing import Any, NamedTuple

from historylab.conversation.message import Message, ToolCall
from historylab.formats.base import Report, kind_of
from historylab.formats.frameworks.langchain_chunks import joined_chunks
from historylab.formats.messages.answers import AnswerParts, named_model, tool_call
from historylab.formats.messages.chat_messages import iso_time, pair_by_order
from historylab.formats.messages.content_parts import MEDIA, json_text, medium_of
from historylab.formats.messages.fields import list_in, object_in, text_in
from historylab.formats.messages.kept_records import keep_records
from historylab.formats.messages.usage import to_usage

ROLES = {"human": "user", "ai": "assistant", "system": "system", "tool": "tool", "function": "tool"}
"""Kind of message → role; a `chat` message names its role itself."""

CHAT_ROLES = {"human": "user", "ai": "assistant", "developer": "system"}
REMOVE = "remove"
KINDS = {*ROLES, "chat", REMOVE}
CALLS = ("tool_use", "tool_call", "function_call", "input_json_delta")
"""Parts that repeat what is in `tool_calls`."""

READ = {"content", "type", "name", "id", "tool_calls", "invalid_tool_calls", "tool_call_id", "status", "role"}
READ |= {"usage_metadata", "response_metadata", "additional_kwargs", "tool_call_chunks", "chunk_position", "example"}
READ_OF_ADDITIONAL = {"tool_calls", "function_call", "reasoning_content", "reasoning", "refusal", "timestamp"}
READ_OF_ADDITIONAL |= {"created_at", "__openai_role__", "__gemini_function_call_thought_signatures__"}
READ_OF_PART = {"type", "text", "id", "index", "cache_control", "citations", "annotations", "extras", "signature"}
THOUGHTS = {"thinking": "thinking", "reasoning": "reasoning", "reasoning_content": "reasoning_content"}
SECRET = "[secret]"


class Dumped(NamedTuple):
    """A message as it was dumped: its kind ("human"), whether it is part of one, and its fields."""

    kind: str
    chunk: bool
    fields: dict[str, Any]


def read_dump(record: Any) -> Dumped | None:
    """The kind and fields of a message; None for anything else. An unknown class is a kind of its own."""
    if not isinstance(record, dict):
        return None
    name, fields = record.get("type"), record.get("data")
    if "lc" in record:
        path, fields = record.get("id"), record.get("kwargs")
        name = path[-1] if name == "constructor" and isinstance(path, list) and path else None
    elif fields is None and "content" in record:
        fields = record
    if not isinstance(name, str) or not isinstance(fields, dict):
        return None
    kind = name.removesuffix("Chunk").removesuffix("Message")
    return Dumped(kind.lower() if kind.lower() in KINDS else name, name.endswith("Chunk"), fields)


def is_dumped_message(record: Any) -> bool:
    """Whether it is a message that LangChain dumped."""
    found = read_dump(record)
    return found is not None and found.kind in KINDS


def read_langchain_messages(records: list[tuple[str, Any]], report: Report) -> list[Message]:
    """The messages of one conversation; what can't be read is counted on the report."""
    found = [(where, read_dump(record), record) for where, record in records]
    messages: list[Message] = []
    for chunks, group in groupby(found, key=lambda item: _answer_of(item[1]) if item[1] else None):
        items = list(group)
        parts = [given for _, given, _ in items if given]
        if chunks is not None:
            report.records += len(items) - 1
            items = [(items[0][0], Dumped("ai", True, joined_chunks([part.fields for part in parts])), None)]
        for where, given, record in items:
            if message := _read(given, record, where, report):
                messages.append(message)
    return pair_by_order(messages)


def _answer_of(given: Dumped) -> str | None:
    """The key that chunks of one answer have in common; None for a whole message."""
    return f"{given.fields.get('id')}" if given.chunk and given.kind == "ai" else None


def _read(given: Dumped | None, record: Any, where: str, report: Report) -> Message | None:
    if given is None:
        secret = isinstance(record, dict) and record.get("lc") == 1 and record.get("type") == "secret"
        report.skip("a secret's placeholder" if secret else f"{kind_of(record)} that is no LangChain message", where)
        return None
    if given.kind == REMOVE:
        report.pass_over("a deletion marker, not a message", where)
        return None
    if given.kind not in KINDS and "content" not in given.fields:
        report.skip(f"a {given.kind[:40]} object, not a message", where)
        return None
    report.records += 1
    return _message(given.fields, where, report, given.kind)


@keep_records
def _message(fields: Any, where: str, report: Report, kind: str) -> Message | None:
    role = ROLES.get(kind) or (_chat_role(fields, where, report) if kind == "chat" else "")
    if not role:
        report.warn(f"unknown class {kind[:40]!r}, kept as conversation", where)
    report.leave(fields, READ, where)
    extra, about = object_in(fields, "additional_kwargs"), object_in(fields, "response_metadata")
    report.leave(extra, READ_OF_ADDITIONAL, where)
    answer = AnswerParts(
        text_in(fields, "id"), _time(extra, about), _metadata(fields, about), role=role or kind.lower()
    )
    answer.name = text_in(fields, "name")
    calls = list(_calls(fields, extra, where, report)) if role == "assistant" else []
    _think(extra, answer)
    _read_content(fields.get("content"), answer, {call.id for call in calls}, where, report)
    if isinstance(extra.get("refusal"), str):
        answer.say(extra["refusal"])
    for call in calls:
        answer.call(call)
    message = answer.messages()[0]
    if role == "tool":
        return Message(
            "tool",
            message.content,
            message.id,
            message.name,
            tool_call_id=text_in(fields, "tool_call_id"),
            media=message.media,
            timestamp=message.timestamp,
            metadata={"is_error": True} if fields.get("status") == "error" else {},
        )
    if not (message.content or message.tool_calls or message.media):
        report.warn("empty content", where)
    return message


def _chat_role(fields: dict[str, Any], where: str, report: Report) -> str:
    given = fields.get("role")
    role = CHAT_ROLES.get(given, given) if isinstance(given, str) else ""
    if role and role not in ("system", "user", "assistant", "tool"):
        report.warn(f"unknown role {role[:40]!r}, kept as conversation", where)
    return role


def _metadata(fields: dict[str, Any], about: dict[str, Any]) -> dict[str, Any]:
    """The model, its provider and the usage, as far as they are said."""
    found: dict[str, Any] = dict(named_model(about.get("model_name"), about.get("model"), about.get("model_id")))
    if isinstance(about.get("model_provider"), str):
        found["provider"] = about["model_provider"]
    usage = to_usage(fields.get("usage_metadata")) or to_usage(about.get("token_usage"))  # as it was called before
    return found | ({"usage": usage} if usage else {})


def _calls(fields: dict[str, Any], extra: dict[str, Any], where: str, report: Report) -> Iterator[ToolCall]:
    """The calls, and those whose arguments are no JSON with their raw text."""
    named = [call for call in list_in(fields, "tool_calls") if isinstance(call, dict)]
    invalid = [call for call in list_in(fields, "invalid_tool_calls") if isinstance(call, dict)]
    given = list_in(fields, "tool_calls") + list_in(fields, "invalid_tool_calls")
    for call in named:
        yield ToolCall(
            text_in(call, "id") or "", text_in(call, "name") or "", json_text(_without_secrets(call.get("args")))
        )
    for call in invalid:
        report.warn("a call whose arguments are no JSON, kept as they are", where)
        yield tool_call(call.get("id"), call.get("name"), call.get("args"))
    for other in given[: len(given) - len(named) - len(invalid)]:
        report.warn(f"a tool call that is {kind_of(other)}", where)
    if named or invalid:
        return
    old = list_in(extra, "tool_calls") or [{"function": extra.get("function_call")}]
    for call in old:
        function = call.get("function") if isinstance(call, dict) else None
        if isinstance(function, dict):
            yield ToolCall(
                text_in(call, "id") or "", text_in(function, "name") or "", json_text(function.get("arguments"))
            )


def _think(extra: dict[str, Any], answer: AnswerParts) -> None:
    """Reasoning beside the content, as several integrations keep it."""
    if isinstance(extra.get("reasoning_content"), str):
        answer.think(extra["reasoning_content"])
    for part in list_in(object_in(extra, "reasoning"), "summary"):
        if isinstance(part, dict) and isinstance(part.get("text"), str):
            answer.think(part["text"])


def _read_content(content: Any, answer: AnswerParts, called: set[str], where: str, report: Report) -> None:
    if isinstance(content, str):
        answer.say(content)
    elif isinstance(content, list):
        for part in content:
            _read_part({"type": "text", "text": part} if isinstance(part, str) else part, answer, called, where, report)
    elif content is not None:
        report.warn(f"content that is {kind_of(content)}, not read", where)


def _read_part(part: Any, answer: AnswerParts, called: set[str], where: str, report: Report) -> None:
    kind = part.get("type", "text") if isinstance(part, dict) else None
    if not isinstance(kind, str):
        report.warn(f"a part that is {kind_of(part)}, not read", where)
    elif kind in THOUGHTS:
        _read_thought(part, kind, answer)
    elif isinstance(part.get("text"), str) and kind not in MEDIA:
        answer.say(part["text"])
        report.leave(part, READ_OF_PART, where)
    elif kind == "refusal" and isinstance(part.get("refusal"), str):
        answer.say(part["refusal"])
    elif kind in MEDIA or kind in ("video", "media"):
        answer.attach(MEDIA.get(kind) or medium_of(part.get("mime_type")))
    elif kind in CALLS:
        if (
            kind != "input_json_delta"
            and not called & {text_in(part, "id"), text_in(part, "call_id")}
            and part.get("name")
        ):
            answer.call(tool_call(part.get("id") or part.get("call_id"), part["name"], _arguments(part)))
    elif kind != "redacted_thinking":
        report.warn(f"a part of type {kind[:40]!r} not read", where)


def _read_thought(part: dict[str, Any], kind: str, answer: AnswerParts) -> None:
    given = part.get(THOUGHTS[kind])
    given = given.get("text") if isinstance(given, dict) else given
    summaries = [each.get("text") for each in list_in(part, "summary") if isinstance(each, dict)]
    for text in (given, *summaries):
        if isinstance(text, str):
            answer.think(text)


def _arguments(part: dict[str, Any]) -> Any:
    return _without_secrets(next((part[key] for key in ("input", "args", "arguments") if key in part), None))


def _without_secrets(value: Any) -> Any:
    """The value with a word in the place of every secret's placeholder."""
    if isinstance(value, dict):
        if value.get("lc") == 1 and value.get("type") == "secret":
            return SECRET
        return {key: _without_secrets(held) for key, held in value.items()}
    return [_without_secrets(held) for held in value] if isinstance(value, list) else value


def _time(extra: dict[str, Any], about: dict[str, Any]) -> str | None:
    given = (extra.get("timestamp"), extra.get("created_at"), about.get("created_at"), about.get("created"))
    return next((time for each in given if each is not None and (time := iso_time(each))), None)
