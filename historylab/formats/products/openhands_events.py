"""OpenHands event streams: messages, actions and observations of the agent SDK, as JSON Lines, a list or `events`.

An action is a call, its observation (joined by `tool_call_id`, else by `action_id`) the result; actions of one response
are one message. A condensation changes what later requests were sent: the history stays.
Source: OpenHands/software-agent-sdk, sdk/event/.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from historylab.conversation.conversation import Conversation
from historylab.conversation.message import Message, ToolCall
from historylab.conversation.sent import RecordedCut, as_summary, sent_metadata
from historylab.formats.base import Report, kind_of
from historylab.formats.files.archives import folder_of
from historylab.formats.files.content import Content
from historylab.formats.messages.chat_messages import iso_time
from historylab.formats.messages.content_parts import read_content
from historylab.formats.messages.kept_records import with_record
from historylab.formats.messages.record_groups import located_items
from historylab.formats.messages.sent_view import Sent, SentView
from historylab.formats.messages.usage import to_usage
from historylab.formats.products.openhands import thinking_of
from historylab.registry import register

MESSAGES = ("SystemPromptEvent", "MessageEvent", "ActionEvent")
RESULTS = ("ObservationEvent", "AgentErrorEvent", "UserRejectObservation")
KINDS = {*MESSAGES, *RESULTS, "ConversationStateUpdateEvent", "Condensation", "CondensationSummaryEvent"}
RESULT_TEXTS = ("content", "output", "result", "text", "message")
"""Fields of an observation that hold what the agent was told, the first that is given."""

READ = {"kind", "id", "timestamp", "source", "system_prompt", "dynamic_context", "tools", "llm_message", "sender"}
READ |= {"extended_content", "llm_response_id", "thought", "reasoning_content", "thinking_blocks", "action"}
READ |= {"tool_name", "tool_call_id", "tool_call", "action_id", "observation", "error", "rejection_reason"}
LABELS = {"security_risk", "summary", "critic_result", "activated_skills", "activated_microagents", "classification"}
LABELS |= {"rejection_source", "responses_reasoning_item", "reasoning_details"}
READ_OF_MESSAGE = {"role", "content", "reasoning_content", "thinking_blocks", "tool_calls", "name", "tool_call_id"}
READ_OF_MESSAGE |= {"cache_enabled", "vision_enabled", "function_calling_enabled", "responses_reasoning_item"}
READ_OF_MESSAGE |= {"force_string_serializer", "send_reasoning_content", "reasoning_details"}
READ_OF_CALL = {"id", "type", "function", "name", "arguments", "origin", "index", "responses_item_id"}
LOOKED_AT = 200


def is_event_stream(content: Content) -> float:
    """1 for records whose `kind` is an event of OpenHands with a source."""
    found = [event for _, event in located_items(content.values[:LOOKED_AT], "events")]
    known = [e for e in found if isinstance(e, dict) and str(e.get("kind")) in KINDS and "source" in e]
    return 1 if known and len(known) * 2 >= len(found) else 0


@register("format", title="OpenHands events", recognise=is_event_stream, marks="kind source action observation")
def openhands_events(content: Content, report: Report) -> Iterator[Conversation]:
    """The events of an OpenHands conversation: messages, actions with their observations, condensations."""
    stream = _Stream(report)
    for file in folder_of(content):  # a file per event, as the agent's server stores them
        if file is content or is_event_stream(file):
            content.taken.add(file.name)
            place = "" if file is content else f"{file.name} "
            for where, event in located_items(file.values, "events"):
                stream.add(event, f"{place}{where}")
    sent = stream.view.histories
    yield Conversation(stream.finish(), metadata={**stream.about, **(sent_metadata(sent) if sent else {})})


class _Stream:
    """The messages that the events so far make, and what they say of the model."""

    def __init__(self, report: Report):
        self.report = report
        self.messages: list[Message] = []
        self.about: dict[str, Any] = {}
        self.calls: dict[str, str] = {}  # id of an action → id of its call
        self.replies: dict[str, int] = {}  # id of a response → the message it became
        self.known: set[str] = set()
        self.forgotten: set[str | None] = set()
        self.usage: dict[str, dict[str, int]] = {}  # id of a response → what it took
        self.view, self.requested = SentView(), ""  # what is sent, and why a condensation was asked for
        self.events: list[list[str | None]] = []  # ids of the events that each message holds

    def add(self, event: Any, where: str) -> None:
        """Read one event."""
        kind = event.get("kind") if isinstance(event, dict) else None
        if not isinstance(kind, str):
            self.report.skip("an event without a kind" if isinstance(event, dict) else kind_of(event), where)
            return
        id = _text(event, "id")
        if id in self.known:
            self.report.pass_over("an event with the id of one before it", where)
            return
        self.known |= {id} if id else set()
        if kind in (*MESSAGES, *RESULTS):
            self.report.records += 1
            before, begun = self.report.warned, len(self.messages)
            self._check(event, where)
            if kind == "ActionEvent":
                self._act(event, where)
            else:
                message = READERS.get(kind, _result)(self, event, where)
                self.messages.append(replace(message, id=id, timestamp=_time(event)))
                self.events.append([id])
            if kind == "MessageEvent" and (reply := _text(event, "llm_response_id")):
                self.replies[reply] = len(self.messages) - 1
            self.messages[begun:] = with_record(self.messages[begun:], event, self.report.warned > before)
        else:
            self._note(event, kind, where)

    def _check(self, event: dict[str, Any], where: str) -> None:
        """Report the fields of an event that aren't read, or not as what they are."""
        self.report.leave(event, READ | LABELS, where)
        for name in ("llm_message", "tool_call"):
            if not isinstance(event.get(name), dict | None):
                self.report.warn(f"{name} is {kind_of(event[name])}, not an object", where)
        held, call = event.get("llm_message"), event.get("tool_call")
        if event["kind"] == "ActionEvent" and not call:
            self.report.warn("an action without the model's call", where)
        function = call.get("function") if isinstance(call, dict) else None
        if not isinstance(function, dict | None):
            self.report.warn(f"a function that is {kind_of(function)}, not an object", where)
        for given, read in ((held, READ_OF_MESSAGE), (call, READ_OF_CALL), (function, READ_OF_CALL)):
            if isinstance(given, dict):
                self.report.leave(given, read, where)

    def finish(self) -> list[Message]:
        """The messages, with the usage of their responses."""
        for reply, at in self.replies.items():
            if usage := self.usage.get(reply):
                message = self.messages[at]
                self.messages[at] = replace(message, metadata={**message.metadata, "usage": usage})
        return self.messages

    def _act(self, event: dict[str, Any], where: str) -> None:
        """A call, in a message with the other calls of its response."""
        call, reply = _call(event), _text(event, "llm_response_id")
        text, media = _content(event.get("thought"), where, self.report)
        self.calls[str(event.get("id"))] = call.id
        at = self.replies.get(reply) if reply else None
        if at is not None and self.messages[at].tool_calls:
            first = self.messages[at]
            said = "\n".join(filter(None, (first.content, text)))
            self.messages[at] = replace(first, content=said, tool_calls=(*first.tool_calls, call))
            self.events[at].append(_text(event, "id"))
            return
        thoughts = thinking_of(event)
        metadata = {"thinking": thoughts} if thoughts else {}
        message = Message("assistant", text, _text(event, "id"), None, (call,), None, media, _time(event))
        self.messages.append(replace(message, metadata=metadata))
        self.events.append([_text(event, "id")])
        if reply:
            self.replies[reply] = len(self.messages) - 1

    def _note(self, event: dict[str, Any], kind: str, where: str) -> None:
        """Take in an event that is no message."""
        if kind == "Condensation":
            self.report.records += 1
            self.report.keep("compactions", where)
            self._condense(event)
            return
        if kind == "CondensationRequest":
            self.requested = _text(event, "reason") or "requested"
        if kind == "ConversationStateUpdateEvent":
            self._state(event.get("value"))
        self.report.pass_over(f"a {kind[:40]}, no message", where)

    def _condense(self, event: dict[str, Any]) -> None:
        """Leave out what is forgotten, and put the summary where the event says; without a place it isn't sent."""
        given, size = event.get("forgotten_event_ids"), len(self.messages)
        self.forgotten |= {each for each in given if isinstance(each, str)} if isinstance(given, list) else set()
        summary, offset = _text(event, "summary"), event.get("summary_offset")
        order = [each for each in self.view.at(size) if not self._is_forgotten(each)]
        if summary and type(offset) is int and offset >= 0:
            order = [each for each in order if not isinstance(each, Message)]  # the summary before this one
            told = as_summary(Message("user", summary, f"{event.get('id')}-summary"))
            order.insert(self._place(order, offset), told)
        self.view.put(size, order, RecordedCut(self.requested or None, by="OpenHands"))
        self.requested = ""

    def _is_forgotten(self, each: Sent) -> bool:
        """Tell whether all events of a message are forgotten."""
        ids = [each.id] if isinstance(each, Message) else self.events[each]
        return all(id in self.forgotten for id in ids)

    def _place(self, order: Sequence[Sent], offset: int) -> int:
        """The place in that order before which there are so many events."""
        for place, each in enumerate(order):
            if offset <= 0:
                return place
            offset -= 1 if isinstance(each, Message) else sum(id not in self.forgotten for id in self.events[each])
        return len(order)

    def _state(self, value: Any, levels: int = 6) -> None:
        """Model and usage, wherever in a state they stand."""
        for key, held in value.items() if isinstance(value, dict) and levels else ():
            if key == "token_usages" and isinstance(held, list):
                rows = [row for row in held if isinstance(row, dict)]
                found = {str(row.get("response_id")): to_usage(row) for row in rows}
                self.usage |= {reply: usage for reply, usage in found.items() if usage}
                models = [row["model"] for row in rows if isinstance(row.get("model"), str)]
                if models:
                    self.about.setdefault("model", models[-1].rpartition("/")[2])
            elif key == "llm" and isinstance(held, dict) and isinstance(held.get("model"), str):
                self.about.setdefault("model", held["model"].rpartition("/")[2])
            else:
                self._state(held, levels - 1)


def _system(stream: _Stream, event: dict[str, Any], where: str) -> Message:
    """The system prompt, and the tools beside it."""
    if isinstance(event.get("tools"), list):
        stream.about["tools"] = event["tools"]
    prompts = [part for part in (event.get("system_prompt"), event.get("dynamic_context")) if part]
    text, _ = _content(prompts, where, stream.report)
    return Message("system", text)


def _read_spoken(stream: _Stream, event: dict[str, Any], where: str) -> Message:
    """A message of the user or the agent, with what the agent's context added to it."""
    given = event.get("llm_message")
    given = given if isinstance(given, dict) else {}
    role = given.get("role")
    if not isinstance(role, str):
        role = "user" if event.get("source") == "user" else "assistant"
    text, media = _content(given.get("content"), where, stream.report)
    more, _ = _content(event.get("extended_content"), where, stream.report)
    thoughts = thinking_of(given)
    if not (text or more or media):
        stream.report.warn("empty content", where)
    metadata = {"thinking": thoughts} if thoughts else {}
    joined = "\n".join(filter(None, (text, more)))
    return Message(role, joined, name=_text(event, "sender"), media=media, metadata=metadata)


def _result(stream: _Stream, event: dict[str, Any], where: str) -> Message:
    """The outcome of an action: an observation, the agent's error, or the user's refusal."""
    media: tuple[str, ...] = ()
    is_error = event["kind"] != "ObservationEvent"
    if is_error:
        reason = _text(event, "rejection_reason")
        text = f"Action rejected: {reason}" if reason else _text(event, "error") or ""
    else:
        seen = event.get("observation")
        given = seen if isinstance(seen, dict) else {"content": seen}
        held = next((given[name] for name in RESULT_TEXTS if given.get(name)), None)
        rest = {name: value for name, value in given.items() if name not in ("kind", "is_error", *RESULT_TEXTS)}
        held = json.dumps(rest, ensure_ascii=False) if held is None and any(rest.values()) else held
        text, media = _content(held, where, stream.report)
        more, _ = _content(event.get("extended_content"), where, stream.report)
        text, is_error = "\n".join(filter(None, (text, more))), given.get("is_error") is True
    call = _text(event, "tool_call_id") or stream.calls.get(str(event.get("action_id")))
    metadata = {"is_error": True} if is_error else {}
    return Message("tool", text, name=_text(event, "tool_name"), tool_call_id=call, media=media, metadata=metadata)


def _call(event: dict[str, Any]) -> ToolCall:
    """The call of an action, as the model wrote it; else as the action holds it."""
    given = event.get("tool_call")
    given = given if isinstance(given, dict) else {}
    function: dict[str, Any] = given["function"] if isinstance(given.get("function"), dict) else given
    arguments = function.get("arguments")
    if arguments is None and isinstance(event.get("action"), dict):
        arguments = {name: value for name, value in event["action"].items() if name != "kind"}
    written = arguments if isinstance(arguments, str) else json.dumps(arguments or {}, ensure_ascii=False)
    chosen = _text(event, "tool_call_id") or _text(given, "id") or _text(event, "id") or ""
    return ToolCall(chosen, _text(function, "name") or _text(event, "tool_name") or "", written)


def _content(given: Any, where: str, report: Report) -> tuple[str, tuple[str, ...]]:
    """Text and media of content parts, one part, or text."""
    if isinstance(given, str) or given is None:
        return given or "", ()
    text, media, unread = read_content(given if isinstance(given, list) else [given])
    for part in unread:
        report.warn(f"{part} not read", where)
    return text, media


def _text(given: dict[str, Any], key: str) -> str | None:
    found = given.get(key)
    return found if isinstance(found, str) and found else None


def _time(event: dict[str, Any]) -> str | None:
    return iso_time(event.get("timestamp"))


READERS = {"SystemPromptEvent": _system, "MessageEvent": _read_spoken}
"""Kind of an event that is a message → what reads it; any other is a result."""
