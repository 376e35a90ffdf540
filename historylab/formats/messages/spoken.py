"""Speech as messages: the roles of speakers, and the tags that open models write thoughts, calls and results in.

<think>…</think>                                             thoughts before an answer
<tool_call>{"name": "f", "arguments": {…}}</tool_call>       a call in an answer, without an id
<tool_response>…</tool_response>                             a result, in a message of the user or of a tool
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from historylab.conversation.message import Message, ToolCall
from historylab.formats.base import Report
from historylab.formats.messages.chat_messages import pair_by_order
from historylab.formats.messages.content_parts import spaced_json
from historylab.formats.messages.fields import text_in, unpack_json
from historylab.formats.messages.speakers import cast, role_told

TAG = "<t"  # of all of them
THOUGHTS = re.compile(r"\s*<think(?:ing)?>(.*?)</think(?:ing)?>\s*", re.DOTALL)
CALLS = re.compile(r"\s*<tool_call>(.*?)</tool_call>\s*", re.DOTALL)
RESULTS = re.compile(r"\s*<tool_response>(.*?)</tool_response>\s*", re.DOTALL)


@dataclass(frozen=True)
class SpokenTurn:
    """The words of one speaker, up to the next one's."""

    where: str
    speaker: str
    text: str
    time: str | None = None


def messages_from_turns(turns: Iterable[SpokenTurn], report: Report) -> list[Message]:
    """The turns as messages. A speaker who is no role is a user with a name, or the assistant if nobody else is one."""
    turns = list(turns)
    roles = cast((turn.speaker for turn in turns), report)
    messages: list[Message] = []
    for turn in turns:
        if not turn.text.strip():
            report.pass_over("a speaker who says nothing", turn.where)
            continue
        report.records += 1
        name = None if role_told(turn.speaker) else turn.speaker
        role = roles[turn.speaker]
        if TAG not in turn.text:
            messages.append(Message(role, turn.text, name=name, timestamp=turn.time))
            continue
        messages += (replace(message, name=name, timestamp=turn.time) for message in read_tags(role, turn.text))
    return pair_by_order(messages)


def read_tags(role: str, text: str) -> Iterator[Message]:
    """The message of a role, or the several results that one text holds, with what its tags say."""
    if TAG not in text:
        yield Message(role, text)
    elif role == "assistant":
        yield _answer(text)
    elif role in {"user", "tool"} and (results := RESULTS.findall(text)) and not RESULTS.sub("", text):
        yield from (Message("tool", result.strip()) for result in results)
    else:
        yield Message(role, text)


def call_of(given: Any) -> ToolCall | None:
    """The call that a JSON object, or its text, describes; None if it is none."""
    given = unpack_json(given)
    if not isinstance(given, dict) or not isinstance(given.get("name"), str):
        return None
    arguments = given.get("arguments", given.get("parameters", {}))
    return ToolCall(text_in(given, "id") or "", given["name"], spaced_json(arguments, "null"))


def _answer(text: str) -> Message:
    thoughts = THOUGHTS.match(text)
    said = text[thoughts.end() :] if thoughts else text
    calls = [call_of(found) for found in CALLS.findall(said)]
    if calls and None not in calls:
        said = CALLS.sub("\n", said).strip()
    thinking = thoughts[1].strip() if thoughts else ""
    return Message(
        "assistant",
        said,
        tool_calls=() if None in calls else tuple(call for call in calls if call),
        metadata={"thinking": thinking} if thinking else {},
    )
