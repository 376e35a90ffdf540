"""Pydantic AI's message history: requests and responses, each with parts; one request holds several roles.

    [{"kind": "request", "parts": [{"part_kind": "user-prompt", "content": "…"}], "instructions": "…"},
     {"kind": "response", "parts": [{"part_kind": "text", "content": "…"}], "usage": {"input_tokens": 9}}]

Instructions are a system prompt that isn't in the list; only the newest request's are sent. Source: pydantic-ai 0.2 to
2, messages.py and usage.py.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from historylab.conversation.conversation import Conversation
from historylab.conversation.message import Message
from historylab.formats.base import Report, kind_of
from historylab.formats.files.content import Content
from historylab.formats.messages.answers import AnswerParts, named_model, tool_call, with_usage
from historylab.formats.messages.chat_messages import iso_time, pair_by_order
from historylab.formats.messages.content_parts import json_text, medium_of
from historylab.formats.messages.fields import object_in, text_in
from historylab.formats.messages.kept_records import with_fields, with_record
from historylab.formats.messages.provider_cuts import COMPACTION, ENCRYPTED, with_provider_cuts
from historylab.formats.messages.record_groups import Grouping
from historylab.formats.messages.sent_view import UNREADABLE
from historylab.formats.messages.usage import to_usage
from historylab.registry import register

KINDS = ("request", "response")
ERRORS = ("retried", "failed", "denied", "error")
"""Outcomes of a tool that are none of success."""

READ_OF_REQUEST = {"kind", "parts", "instructions", "timestamp", "run_id", "conversation_id", "state"}
READ_OF_RESPONSE = {"kind", "parts", "usage", "model_name", "model_id", "timestamp", "provider_name", "run_id"}
READ_OF_RESPONSE |= {"conversation_id", "state", "finish_reason", "provider_url", "provider_response_id", "vendor_id"}
READ_OF_RESPONSE |= {"provider_details", "vendor_details", "history_digest"}
READ_OF_PART = {"part_kind", "content", "id", "signature", "provider_name", "provider_details", "citations"}
READ_OF_SAID = {"part_kind", "content", "timestamp", "tool_name", "tool_call_id", "outcome", "dynamic_ref", "name"}
READ_OF_SAID |= {"id"}
READ_OF_SAID |= {"retry", "tool_kind", "content_file_digests", "context_id", "scope", "provider_name"}
CALLS = ("tool-call", "builtin-tool-call", "native-tool-call")
RETURNS = ("tool-return", "builtin-tool-return", "native-tool-return")


def looks_like_pydantic_ai(content: Content) -> float:
    """1 for objects of kind request or response whose parts have a part_kind."""
    found = GROUPING.sample(content.values)
    known = [record for record in found if _is_message(record)]
    return 1 if known and len(known) * 2 >= len(found) else 0


@dataclass
class _Reading:
    """One conversation as it is read: its messages so far, and the instructions of the newest request."""

    report: Report
    messages: list[Message] = field(default_factory=list)
    instructions: str = ""
    provider: str = ""
    open_calls: set[str] = field(default_factory=set)
    compaction: tuple[int, str] | None = None  # the message that is the newest one, and the provider that made it


@register("format", title="Pydantic AI messages", recognise=looks_like_pydantic_ai, marks="parts part_kind")
def pydantic_ai(content: Content, report: Report) -> Iterator[Conversation]:
    """Pydantic AI's message history, as `all_messages_json` writes it."""
    for group in GROUPING.groups(content.values, report):
        reading = _Reading(report)
        for where, record in group.records:
            if not _is_message(record):
                report.skip(f"{kind_of(record)} that is no request or response", where)
                continue
            report.records += 1
            read = _read_request if record["kind"] == "request" else _read_response
            read(record, where, reading)
        prompt = [Message("system", reading.instructions)] if reading.instructions else []
        messages = pair_by_order(prompt + reading.messages)
        yield with_provider_cuts(group.conversation(messages, report, provider=reading.provider))


def _is_message(value: Any) -> bool:
    if not isinstance(value, dict) or value.get("kind") not in KINDS or not isinstance(value.get("parts"), list):
        return False
    return all("part_kind" in part for part in value["parts"] if isinstance(part, dict))


GROUPING = Grouping(("messages", "message_history", "all_messages"), _is_message)


def _read_request(record: dict[str, Any], where: str, reading: _Reading) -> None:
    left, begun = reading.report.leave(record, READ_OF_REQUEST, where), len(reading.messages)
    said = record.get("instructions")
    if isinstance(said, str) and said:
        if reading.instructions and said != reading.instructions:
            reading.report.warn("instructions that changed: the newest stand at the start", where)
        reading.instructions = said
    for part in record["parts"]:
        if isinstance(part, dict) and isinstance(part.get("part_kind"), str):
            _read_request_part(part, part["part_kind"], record, where, reading)
        else:
            reading.report.warn(f"a part that is {kind_of(part)}, not read", where)
    reading.messages[begun:] = with_fields(reading.messages[begun:], left)


def _read_request_part(part: dict[str, Any], kind: str, record: dict[str, Any], where: str, reading: _Reading) -> None:
    raw_time = part.get("timestamp") or record.get("timestamp")
    retry = kind == "retry-prompt" and (part.get("tool_name") or part.get("tool_call_id") in reading.open_calls)
    if kind == "system-prompt":
        answer = AnswerParts(role="system")
    elif kind in RETURNS or retry:
        answer = AnswerParts(role="tool")
    elif kind in ("user-prompt", "retry-prompt"):
        answer = AnswerParts(role="user")
    else:
        reading.report.warn(f"a part of type {kind[:40]!r} not read", where)
        return
    before = reading.report.warned
    reading.report.leave(part, READ_OF_SAID, where)
    _read_content(part.get("content"), answer)
    (found,) = answer.messages()
    called, name = part.get("tool_call_id"), part.get("tool_name")
    failed = retry or part.get("outcome") in ERRORS
    tool = answer.role == "tool"
    reading.messages.append(
        Message(
            found.role,
            found.content,
            name=name if tool and isinstance(name, str) else None,
            tool_call_id=called if tool and isinstance(called, str) else None,
            media=found.media,
            timestamp=iso_time(raw_time) if raw_time else None,
            metadata={"is_error": True} if tool and failed else {},
            source=part if found.media or reading.report.warned > before else None,
        )
    )


def _read_content(content: Any, answer: AnswerParts) -> None:
    """The content of a user or a tool: text, a list of texts and media, or any other value as JSON."""
    items = content if isinstance(content, list) and any(map(_is_said, content)) else [content]
    for item in items:
        kind = item.get("kind") if isinstance(item, dict) else None
        if kind == "binary":
            answer.attach(medium_of(item.get("media_type")))
        elif isinstance(kind, str) and kind.endswith("-url"):
            answer.attach(medium_of(kind.removesuffix("-url")))
        elif kind == "text-content" or (kind and isinstance(item, dict) and isinstance(item.get("content"), str)):
            answer.say(json_text(item.get("content")))
        elif kind == "cache-point":
            continue
        else:
            answer.say(json_text(item))


def _is_said(item: Any) -> bool:
    return isinstance(item, str) or (isinstance(item, dict) and isinstance(item.get("kind"), str))


def _read_response(record: dict[str, Any], where: str, reading: _Reading) -> None:
    report, before = reading.report, reading.report.warned
    report.leave(record, READ_OF_RESPONSE, where)
    _check_compaction(text_in(record, "provider_name"), where, reading)
    raw_time = record.get("timestamp")
    model = named_model(record.get("model_name"))
    answer = AnswerParts(text_in(record, "provider_response_id"), iso_time(raw_time) if raw_time else None, model)
    for part in record["parts"]:
        kind = part.get("part_kind") if isinstance(part, dict) else None
        if not isinstance(kind, str):
            report.warn(f"a part that is {kind_of(part)}, not read", where)
        elif kind in ("text", "thinking") and isinstance(part.get("content"), str | None):
            (answer.say if kind == "text" else answer.think)(part.get("content") or "")  # redacted thinking has none
            report.leave(part, READ_OF_PART, where)
        elif kind in CALLS:
            answer.call(tool_call(part.get("tool_call_id"), part.get("tool_name"), part.get("args")))
            report.leave(part, READ_OF_PART | {"args", "tool_name", "tool_call_id", "tool_kind"}, where)
        elif kind in RETURNS:  # of a tool that the provider ran
            result = AnswerParts(role="tool")
            _read_content(part.get("content"), result)
            (found,) = result.messages()
            called = text_in(part, "tool_call_id")
            answer.add_result(Message("tool", found.content, tool_call_id=called, media=found.media))
        elif kind == "compaction":
            _read_compaction(part, where, answer, reading)
        elif kind == "file":
            answer.attach(medium_of(object_in(part, "content").get("media_type")))
        else:
            report.warn(f"a part of type {kind[:40]!r} not read", where)
    messages, fits = with_usage(answer.messages(), _usage(record.get("usage")))
    if not fits:
        report.warn("usage of several requests in one, not read", where)
    if not any(m.content or m.tool_calls or m.media for m in messages):
        report.warn("empty content", where)
    reading.open_calls |= {call.id for m in messages for call in m.tool_calls}
    reading.provider = reading.provider or text_in(record, "provider_name") or ""
    if any(message.metadata.get(COMPACTION) for message in messages):
        reading.compaction = len(reading.messages), text_in(record, "provider_name") or ""
    reading.messages += with_record(messages, record, report.warned > before)


def _read_compaction(part: dict[str, Any], where: str, answer: AnswerParts, reading: _Reading) -> None:
    """A provider's compaction: its text, or what only the provider can read; without either it changes nothing."""
    text, encrypted = part.get("content"), object_in(part, "provider_details").get("encrypted_content")
    if isinstance(text, str) and text:
        answer.say(text)
    elif encrypted:
        answer.say(UNREADABLE.content)
        reading.report.warn("a compaction item, which only the provider can read", where)
    else:
        reading.report.warn("a compaction of the provider's that failed, which changes nothing", where)
        return
    answer.metadata = {**answer.metadata, COMPACTION: True if text else ENCRYPTED}


def _check_compaction(provider: str | None, where: str, reading: _Reading) -> None:
    """Take a compaction for none where another provider answers after it, which was sent all."""
    if reading.compaction and provider and provider != reading.compaction[1]:
        at = reading.compaction[0]
        said = {name: value for name, value in reading.messages[at].metadata.items() if name != COMPACTION}
        reading.messages[at] = replace(reading.messages[at], metadata=said)
        reading.report.warn("a compaction that another provider goes on after, which sends all", where)
        reading.compaction = None


def _usage(given: Any) -> dict[str, int] | None:
    """Tokens of a response. Its input includes those of caches, which before version 1 stood in the details."""
    if not isinstance(given, dict) or "request_tokens" not in given:
        return to_usage(given)
    caches = {key: count for key, count in object_in(given, "details").items() if "cache" in key}
    return to_usage(caches | {"prompt_tokens": given["request_tokens"], "output_tokens": given.get("response_tokens")})
