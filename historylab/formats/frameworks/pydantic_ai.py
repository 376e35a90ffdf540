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
from historylab.formats.messages.answers import AnswerParts, named_model
from historylab.formats.messages.chat_messages import iso_time, pair_by_order
from historylab.formats.messages.content_parts import json_text
from historylab.formats.messages.fields import list_in, object_in, text_in
from historylab.formats.messages.kept_records import keep_records, with_fields
from historylab.formats.messages.paths import holds
from historylab.formats.messages.provider_cuts import COMPACTION, ENCRYPTED, with_provider_cuts
from historylab.formats.messages.record_groups import Grouping, most_of
from historylab.formats.messages.role_records import end_message
from historylab.formats.messages.sent_view import UNREADABLE
from historylab.formats.messages.usage import to_usage
from historylab.formats.messages.walker import table_of, walk_parts
from historylab.registry import register

KINDS = ("request", "response")
ERRORS = ("retried", "failed", "denied", "error")
"""Outcomes of a tool that are none of success."""

LABELS = {"part_kind", "id", "signature", "provider_name", "provider_details", "citations", "tool_kind"}
READ = {"kind", "parts", "timestamp", "run_id", "conversation_id", "state"}
READ_OF_REQUEST = READ | {"instructions"}
READ_OF_RESPONSE = READ | {"usage", "model_name", "model_id", "provider_name", "finish_reason", "provider_url"}
READ_OF_RESPONSE |= {"provider_response_id", "vendor_id", "provider_details", "vendor_details", "history_digest"}
READ_OF_SAID = LABELS | {"content", "timestamp", "tool_name", "tool_call_id", "outcome", "dynamic_ref", "name"}
READ_OF_SAID |= {"retry", "content_file_digests", "context_id", "scope"}
CALLS = ("tool-call", "builtin-tool-call", "native-tool-call")
RETURNS = ("tool-return", "builtin-tool-return", "native-tool-return")
RETRY = "retry-prompt"
ROLES = {"system-prompt": "system", "user-prompt": "user", RETRY: "user", **dict.fromkeys(RETURNS, "tool")}
"""Kind of a request's part → role."""

CONTENT = table_of(
    {
        "binary": {"media": "media_type"},
        **{f"{name}-url": {"media": "kind"} for name in ("image", "audio", "video", "document")},
        "text-content": {"text": "content"},
        "cache-point": None,
    }
)
"""Kinds of what a user or a tool says, besides texts."""


def looks_like_pydantic_ai(content: Content) -> float:
    """1 for objects of kind request or response whose parts have a part_kind."""
    return 1 if most_of(GROUPING.sample(content.values), _is_message) else 0


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
            read = _read_request if record["kind"] == "request" else _respond
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
    left, said = reading.report.leave(record, READ_OF_REQUEST, where), text_in(record, "instructions")
    if said:
        if reading.instructions and said != reading.instructions:
            reading.report.warn("instructions that changed: the newest stand at the start", where)
        reading.instructions = said
    made = (_read_request_part(part, where, reading.report, record, reading.open_calls) for part in record["parts"])
    reading.messages += with_fields([message for message in made if message], left)


@keep_records
def _read_request_part(
    part: Any, where: str, report: Report, record: dict[str, Any], open_calls: set[str]
) -> Message | None:
    kind = text_in(part, "part_kind") if isinstance(part, dict) else None
    if kind not in ROLES:
        report.warn(f"a part {f'of type {kind[:40]!r}' if kind else f'that is {kind_of(part)},'} not read", where)
        return None
    report.leave(part, READ_OF_SAID, where)
    said, called = AnswerParts(role=ROLES[kind]), text_in(part, "tool_call_id")
    retry = kind == RETRY and (part.get("tool_name") or called in open_calls)
    if retry or kind in RETURNS:
        said.role, said.answers, said.name = "tool", called, text_in(part, "tool_name")
        said.metadata = {"is_error": True} if retry or part.get("outcome") in ERRORS else {}
    said.timestamp = iso_time(part.get("timestamp") or record.get("timestamp"))
    walk_parts(_said_in(part), "kind", CONTENT, said, where, report)
    return said.messages()[0]


def _said_in(part: dict[str, Any]) -> Iterator[Any]:
    """The texts and media that a user or a tool says, and any other value as JSON."""
    items = list_in(part, "content")
    said = any(isinstance(item, str) or holds(item, {"kind": ()}) for item in items)
    for item in items if said else [part.get("content")]:
        fields = item if isinstance(item, dict) else {}
        kind = text_in(fields, "kind")
        yield item if kind in CONTENT else json_text((kind and text_in(fields, "content")) or item)


def _respond(record: dict[str, Any], where: str, reading: _Reading) -> None:
    provider, report = text_in(record, "provider_name") or "", reading.report
    _check_compaction(provider, where, reading)
    messages = _read_response(record, where, report)
    reading.open_calls |= {call.id for m in messages for call in m.tool_calls}
    reading.provider = reading.provider or provider
    if any(message.metadata.get(COMPACTION) for message in messages):
        reading.compaction = len(reading.messages), provider
    reading.messages += messages


@keep_records
def _read_response(record: Any, where: str, report: Report) -> list[Message]:
    report.leave(record, READ_OF_RESPONSE, where)
    time, model = iso_time(record.get("timestamp")), named_model(record.get("model_name"))
    said = AnswerParts(text_in(record, "provider_response_id"), time, model)
    walk_parts(record["parts"], "part_kind", ANSWER, said, where, report)
    return end_message(said, where, report, _usage(record.get("usage")))


def _read_return(part: dict[str, Any], said: AnswerParts, where: str, report: Report) -> None:
    """The result of a tool that the provider ran."""
    result = AnswerParts(role="tool", answers=text_in(part, "tool_call_id"))
    walk_parts(_said_in(part), "kind", CONTENT, result, where, report)
    said.add_result(result.messages()[0])


def _read_compaction(part: dict[str, Any], said: AnswerParts, where: str, report: Report) -> None:
    """A provider's compaction: its text, or what only the provider can read; without either it changes nothing."""
    text, encrypted = text_in(part, "content"), object_in(part, "provider_details").get("encrypted_content")
    if not (text or encrypted):
        report.warn("a compaction of the provider's that failed, which changes nothing", where)
        return
    if not text:
        report.warn("a compaction item, which only the provider can read", where)
    said.say(text or UNREADABLE.content)
    said.metadata = {**said.metadata, COMPACTION: True if text else ENCRYPTED}


ANSWER = table_of(
    {
        "text": {"text": "content"},
        "thinking": {"thinking": "content"},
        **{kind: {"call": {"id": "tool_call_id", "name": "tool_name", "arguments": "args"}} for kind in CALLS},
        **dict.fromkeys(RETURNS, _read_return),
        COMPACTION: _read_compaction,
        "file": {"media": "content.media_type"},
    },
    LABELS,
)
"""Kinds of an answer's parts."""


def _check_compaction(provider: str, where: str, reading: _Reading) -> None:
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
