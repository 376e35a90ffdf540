"""OpenAI Chat Completions: lists of messages, request bodies, logged and batched requests with their answers.

A list may stand alone or in `{"messages": […]}`, several of them in a file or in JSON lines. A `system` prompt beside
the messages comes first. Other fields beside them (a title, tools, a reward) go into the conversation's metadata. An
answer (`choices`) becomes the last message, with the usage that was reported for it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from historylab.conversation.conversation import Conversation
from historylab.conversation.message import Message
from historylab.formats.apis.exchanges import (
    ANSWER,
    about_of,
    objects_in,
    observed,
    title_of,
    unwrapped,
)
from historylab.formats.apis.streams import add_piece, whole_answers
from historylab.formats.base import Report
from historylab.formats.chat_messages import pair_by_order
from historylab.formats.content import Content
from historylab.formats.flat_messages import CONVERSATION_IDS
from historylab.formats.observed import ObservedRequest, conversations_in
from historylab.formats.other_shapes import shape_in
from historylab.formats.record_groups import Grouping, RecordGroup
from historylab.formats.reported import read_reported
from historylab.formats.usage import to_usage
from historylab.registry import register

READ_BESIDE = frozenset({"title", "name", *CONVERSATION_IDS, "stars", "evidence"})
OWN_MARKS = {"tool_calls", "tool_call_id", "function_call", "refusal"}
LEFT_OUT = {
    ANSWER: "a logged response left out, as it is no answer of this API",
    "raw_messages": "raw_messages left out, as messages is what was sent",
}
READ_OF_ANSWER = {"choices", "usage", "model", "id", "object", "created", "service_tier", "system_fingerprint"}
READ_OF_ANSWER |= {"messages", "provider"}
READ_OF_CHOICE = {"message", "index", "finish_reason", "logprobs", "native_finish_reason", "stop_reason"}
GROUPING = Grouping(("messages",), lambda value: isinstance(value, dict) and "role" in value)


def is_answer(value: dict[str, Any]) -> bool:
    """Whether it is a response of this API."""
    choices = value.get("choices")
    return isinstance(choices, list) and any(
        isinstance(c, dict) and isinstance(c.get("message"), dict) for c in choices
    )


def looks_like_chat(content: Content) -> float:
    """0.8 for answers; 0.5 for roles and contents, which other formats have too, 0.6 with a field of this API alone."""
    values = _values(content.values)
    if any(isinstance(found.get(ANSWER), dict) and is_answer(found[ANSWER]) for found in objects_in(values)):
        return 0.8
    records = list(filter(GROUPING.is_record, GROUPING.sample(values)))
    alike = [r for r in records if _is_chat(r)]
    if not alike or len(alike) * 2 < len(records):
        return 0
    if shape_in(values) and not _has_own_marks(alike):  # read here it would be half
        return 0
    return 0.6 if any(OWN_MARKS & r.keys() for r in alike) else 0.5


@register("format", title="OpenAI Chat Completions", recognise=looks_like_chat)
def chat_completions(content: Content, report: Report) -> Iterator[Conversation]:
    """Messages as the Chat Completions API takes them: a list, an object with a list, or several of them in a file."""
    requests: list[ObservedRequest] = []
    for group in GROUPING.groups(_values(content.values), report):
        answer = group.beside.get(ANSWER)
        if isinstance(answer, dict) and is_answer(answer):
            requests += _requests(group, answer)
            continue
        messages = _messages(group, report)
        yield Conversation(pair_by_order(messages), title_of(group.beside), _about(group, report))
    yield from conversations_in(requests, report)


def _values(values: list[tuple[str, Any]]) -> list[tuple[str, Any]]:
    return unwrapped(whole_answers(values, _piece_of, lambda _: False, _whole), "messages", is_answer)


def _messages(group: RecordGroup, report: Report) -> list[Message]:
    records = _system_prompt(group.beside, group.where) + group.records
    read = (read_reported(record, where, report) for where, record in records)
    return [message for message in read if message]


def _about(group: RecordGroup, report: Report) -> dict[str, Any]:
    """What stands beside the messages, as metadata."""
    for key in LEFT_OUT.keys() & group.beside.keys():
        if not (key == ANSWER and isinstance(group.beside[key], dict) and is_answer(group.beside[key])):
            report.warn(LEFT_OUT[key], group.where)
    about = about_of(group.beside, "", report, group.where, READ_BESIDE | LEFT_OUT.keys())
    return {name: value for name, value in group.beside.items() if name in READ_BESIDE} | about


def _requests(group: RecordGroup, answer: dict[str, Any]) -> Iterator[ObservedRequest]:
    """The request of a logged answer; one more for every other choice there was, before it."""
    where = f"{group.where} {ANSWER}".strip()
    report = Report()
    messages, about = _messages(group, report), _about(group, report)
    report.leave(answer, READ_OF_ANSWER, where)
    read = []
    for i, choice in enumerate(answer["choices"]):
        if isinstance(choice, dict):
            report.leave(choice, READ_OF_CHOICE, where)
            read.append(read_reported(choice.get("message"), f"{where} choices[{i}]", report))
        else:
            report.warn("a choice that is no object", where)
    first, *others = [message for message in read if message] or [None]
    for other in others:
        yield observed(messages, [other], None, about, group.beside, Report())
    yield observed(messages, [first] if first else [], to_usage(answer.get("usage")), about, group.beside, report)


def _system_prompt(beside: dict[str, Any], where: str) -> list[tuple[str, Any]]:
    """The prompt that Anthropic's API takes beside the messages, taken from there, as a record of its own."""
    if not isinstance(beside.get("system"), str | list) or not beside["system"]:
        return []
    return [(f"{where} system".strip(), {"role": "system", "content": beside.pop("system")})]


def _piece_of(value: dict[str, Any]) -> str | None:
    if value.get("object") != "chat.completion.chunk" or not isinstance(value.get("choices"), list):
        return None
    return str(value.get("id"))


def _whole(pieces: list[dict[str, Any]]) -> dict[str, Any]:
    """The response that was streamed in these chunks."""
    whole: dict[str, Any] = {}
    for piece in pieces:
        choices = [{"message" if k == "delta" else k: v for k, v in c.items()} for c in _objects(piece["choices"])]
        add_piece(whole, {**piece, "choices": choices, "created": piece.get("created")})
    for choice in _objects(whole["choices"]):
        for call in _objects(choice.get("message", {}).get("tool_calls") if _is_object(choice.get("message")) else ()):
            call.pop("index", None)
    return whole


def _objects(items: Any) -> list[dict[str, Any]]:
    return [item for item in items if isinstance(item, dict)] if isinstance(items, list) else []


def _is_object(value: Any) -> bool:
    return isinstance(value, dict)


def _is_chat(record: Any) -> bool:
    """Whether it has a text role, and a content the API accepts or a field that can replace it."""
    if not isinstance(record["role"], str):
        return False
    if "content" in record:
        return isinstance(record["content"], str | list | None)
    return bool(OWN_MARKS & record.keys())


def _has_own_marks(records: list[dict[str, Any]]) -> bool:
    """Whether they have calls as this API has them; without any calls, any other field that only it has."""
    given = [record["tool_calls"] for record in records if isinstance(record.get("tool_calls"), list)]
    calls = [call for listed in given for call in listed if isinstance(call, dict)]
    if calls:
        return any(isinstance(call.get("function") or call.get("custom"), dict) for call in calls)
    return any(OWN_MARKS & record.keys() for record in records)
