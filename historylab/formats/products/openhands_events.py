"""OpenHands event streams: messages, actions and observations of the agent SDK, as JSON Lines, a list or `events`.

An action is a call, its observation (joined by `tool_call_id`, else by `action_id`) the result; actions of one response
are one message. A condensation changes what later requests were sent: the history stays.
Source: OpenHands/software-agent-sdk, sdk/event/.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from historylab.conversation.conversation import Conversation
from historylab.conversation.message import Message, ToolCall
from historylab.conversation.sent import RecordedCut, as_summary, sent_metadata
from historylab.formats.base import Report, kind_of
from historylab.formats.files.content import Content
from historylab.formats.messages.answers import AnswerParts
from historylab.formats.messages.branching import join_texts
from historylab.formats.messages.chat_messages import iso_time
from historylab.formats.messages.content_parts import MEDIA
from historylab.formats.messages.fields import list_in, object_in, text_in
from historylab.formats.messages.kept_records import keep_records
from historylab.formats.messages.record_groups import folder_items, located_items
from historylab.formats.messages.reported import thinking_beside
from historylab.formats.messages.sent_view import Sent, SentView
from historylab.formats.messages.usage import to_usage
from historylab.formats.messages.walker import OTHER, table_of, walk_parts
from historylab.registry import register

SYSTEM, MESSAGE, ACTION, OBSERVATION = "SystemPromptEvent", "MessageEvent", "ActionEvent", "ObservationEvent"
SAID = {SYSTEM, MESSAGE, ACTION, OBSERVATION, "AgentErrorEvent", "UserRejectObservation"}
KINDS = {*SAID, "ConversationStateUpdateEvent", "Condensation", "CondensationSummaryEvent"}
PARTS = table_of({**{kind: {"media": "type"} for kind in MEDIA}, "text": {"text": "text"}, OTHER: {"text": "text"}})
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
    for where, event in folder_items(content, is_event_stream, "events"):  # or a file each, as the agent's server has
        stream.add(event, where)
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
        id = text_in(event, "id") or None
        if id in self.known:
            self.report.pass_over("an event with the id of one before it", where)
            return
        self.known |= {id} if id else set()
        if kind in SAID:
            self.report.records += 1
            for message in _read(event, where, self.report, self.calls):
                self._say(event, message)
        else:
            self._note(event, kind, where)

    def _say(self, event: dict[str, Any], message: Message) -> None:
        """Add a message; a call to the message with the other calls of its response."""
        reply = text_in(event, "llm_response_id")
        at = self.replies.get(reply) if reply else None
        if isinstance(event.get("tools"), list) and message.role == "system":
            self.about["tools"] = event["tools"]
        if message.tool_calls:
            self.calls[str(event.get("id"))] = message.tool_calls[0].id
        if message.tool_calls and at is not None and self.messages[at].tool_calls:
            first = self.messages[at]
            text, calls = join_texts((first.content, message.content)), (*first.tool_calls, *message.tool_calls)
            self.messages[at] = replace(first, content=text, tool_calls=calls, media=first.media + message.media)
            self.events[at].append(message.id)
            return
        self.messages.append(message)
        self.events.append([message.id])
        if reply:
            self.replies[reply] = len(self.messages) - 1

    def finish(self) -> list[Message]:
        """The messages, with the usage of their responses."""
        for reply, at in self.replies.items():
            if usage := self.usage.get(reply):
                message = self.messages[at]
                self.messages[at] = replace(message, metadata={**message.metadata, "usage": usage})
        return self.messages

    def _note(self, event: dict[str, Any], kind: str, where: str) -> None:
        """Take in an event that is no message."""
        if kind == "Condensation":
            self.report.records += 1
            self.report.keep("compactions", where)
            self._condense(event)
            return
        if kind == "CondensationRequest":
            self.requested = text_in(event, "reason") or "requested"
        if kind == "ConversationStateUpdateEvent":
            self._state(event.get("value"))
        self.report.pass_over(f"a {kind[:40]}, no message", where)

    def _condense(self, event: dict[str, Any]) -> None:
        """Leave out what is forgotten, and put the summary where the event says; without a place it isn't sent."""
        size = len(self.messages)
        self.forgotten |= {each for each in list_in(event, "forgotten_event_ids") if isinstance(each, str)}
        summary, offset = text_in(event, "summary"), event.get("summary_offset")
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
                self.usage |= {str(row.get("response_id")): usage for row in rows if (usage := to_usage(row))}
                for model in [row["model"] for row in rows if isinstance(row.get("model"), str)][-1:]:
                    self.about.setdefault("model", model.rpartition("/")[2])
            elif key == "llm" and isinstance(held, dict) and (model := text_in(held, "model")) is not None:
                self.about.setdefault("model", model.rpartition("/")[2])
            else:
                self._state(held, levels - 1)


@keep_records
def _read(event: Any, where: str, report: Report, calls: Mapping[str, str]) -> list[Message]:
    """The message that an event is. `calls`: the id of the call that each action is."""
    _check(event, where, report)
    kind, held, failed = event["kind"], object_in(event, "llm_message"), False
    given, role = [held.get("content")], text_in(held, "role")
    if kind == SYSTEM:
        given, role = [event.get("system_prompt"), event.get("dynamic_context")], "system"
    elif kind == ACTION:
        given, role = [event.get("thought")], "assistant"
    elif kind != MESSAGE:
        outcome, failed = _outcome(event)
        given, role = [outcome], "tool"
    elif role is None:
        role = "user" if event.get("source") == "user" else "assistant"
    name = text_in(event, "tool_name" if role == "tool" else "sender")
    said = AnswerParts(text_in(event, "id") or None, iso_time(event.get("timestamp")), role=role, name=name or None)
    for content in (*given, event.get("extended_content")):
        walk_parts(content if isinstance(content, list) else [content], "type", PARTS, said, where, report)
    if kind == MESSAGE and not (said.texts or said.media):
        report.warn("empty content", where)
    said.think(thinking_beside(held) or thinking_beside(event))
    if kind == ACTION:
        said.call(_call(event))
    if kind in (SYSTEM, MESSAGE, ACTION):
        return said.messages()
    call = text_in(event, "tool_call_id") or calls.get(str(event.get("action_id")))
    metadata = {"is_error": True} if failed else {}
    return [replace(message, tool_call_id=call, metadata=metadata) for message in said.messages()]


def _check(event: dict[str, Any], where: str, report: Report) -> None:
    """Report the fields of an event that aren't read, or not as what they are."""
    report.leave(event, READ | LABELS, where)
    call = event.get("tool_call")
    if event["kind"] == ACTION and not call:
        report.warn("an action without the model's call", where)
    function = call.get("function") if isinstance(call, dict) else None
    objects = {"llm_message": (event.get("llm_message"), READ_OF_MESSAGE), "tool_call": (call, READ_OF_CALL)}
    for name, (held, read) in {**objects, "a function that": (function, READ_OF_CALL)}.items():
        if isinstance(held, dict):
            report.leave(held, read, where)
        elif held is not None:
            report.warn(f"{name} is {kind_of(held)}, not an object", where)


def _outcome(event: dict[str, Any]) -> tuple[Any, bool]:
    """The outcome of an action, and whether it failed: an observation, the agent's error, or the user's refusal."""
    if event["kind"] != OBSERVATION:
        reason = text_in(event, "rejection_reason")
        return f"Action rejected: {reason}" if reason else text_in(event, "error"), True
    seen = event.get("observation")
    given = seen if isinstance(seen, dict) else {"content": seen}
    held = next((given[name] for name in RESULT_TEXTS if given.get(name)), None)
    rest = {name: value for name, value in given.items() if name not in ("kind", "is_error", *RESULT_TEXTS)}
    held = json.dumps(rest, ensure_ascii=False) if held is None and any(rest.values()) else held
    return held, given.get("is_error") is True


def _call(event: dict[str, Any]) -> ToolCall:
    """The call of an action, as the model wrote it; else as the action holds it."""
    given = object_in(event, "tool_call")
    function = object_in(given, "function") or given
    arguments = function.get("arguments")
    if arguments is None:
        arguments = {name: value for name, value in object_in(event, "action").items() if name != "kind"}
    written = arguments if isinstance(arguments, str) else json.dumps(arguments or {}, ensure_ascii=False)
    chosen = text_in(event, "tool_call_id") or text_in(given, "id") or text_in(event, "id") or ""
    return ToolCall(chosen, text_in(function, "name") or text_in(event, "tool_name") or "", written)
