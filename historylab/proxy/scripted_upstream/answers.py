"""Answers of the upstream: a text or calls of tools, by rule, the same for the same request.

Tools are called for as many turns as the newest question says ("call tools 30 times"), or as the command's option says;
else once for every third question. The id of a call tells which turn of how many it is: a client may leave out earlier
turns, and gets the next one all the same.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from zlib import crc32

from historylab.proxy.scripted_upstream.api import Body, OfferedTool, WireApi
from historylab.proxy.scripted_upstream.arguments import plausible
from historylab.proxy.scripted_upstream.calls import call_arguments, choose_call

OPENINGS = (
    "That is on record.",
    "I looked at what you sent me.",
    "Good question.",
    "Here is what I have.",
    "Let me put it briefly.",
)
FACTS = (
    "Ferry F-{n} leaves pier {small} at {hour}:40, and the crossing takes {minutes} minutes.",
    "Your reference is R-{n}; please keep it until the crossing is over.",
    "Berth {small} is held for you until {hour}:15, for {minutes} euros.",
    "Order {n} went out at {hour}:05 and arrives in {small} days.",
)
EXCERPT = 160
CALLS_ONE_IN = 3
TWO_IN = 5
"""One turn of so many calls two tools at once."""
TURNS = re.compile(r"(?i)\btools?\b\D{0,20}?(\d{1,4}) times\b|\b(\d{1,4}) tool[ -](?:turns|calls)\b")
NO_TOOLS = re.compile(r"(?i)\btext only\b|\b(?:do not|don't|never) (?:call|use) (?:any |the )?tools\b")
TURN_OF = re.compile(r"_t(\d{1,4})of(\d{1,4})")
FRAMED = re.compile(r"(?s)<([a-z]+[-_][a-z_-]+)>.*?</\1>")
"""Frames that a client adds to a user's words: <system-reminder>, <environment_context>, …"""


@dataclass(frozen=True, slots=True)
class ParsedRequest:
    """A request, as far as its answer depends on it.

    `results` are those of the newest calls, if they were sent last; `turns` the turns of calls since the question, and
    `of` how many there shall be, where the ids of those calls say so.
    """

    question: str
    results: Sequence[str] = ()
    turns: int = 0
    of: int | None = None
    messages: int = 1
    tools: Sequence[OfferedTool] = ()
    choice: str | None = None
    parallel: bool = True
    schema: Any = None


@dataclass(frozen=True, slots=True)
class Said:
    """A text, or calls: tools and their arguments. `turn`: which turn of how many it is, where that was asked for."""

    text: str = ""
    calls: Sequence[tuple[OfferedTool, str]] = ()
    turn: str = ""


def parse_request(api: WireApi, body: Body, items: Sequence[Any]) -> ParsedRequest:
    """Read a request of an API, from its end up to the newest question."""
    results: list[str] = []
    ids: list[str] = []
    question, turns = "", 0
    for item in reversed(items):
        messages = [message for message in api.messages(item) if message.role not in ("system", "developer")]
        found = [message for message in messages if message.role == "tool"]
        if found and not turns:
            results[:0] = [message.content for message in found]
            ids += [message.tool_call_id or "" for message in found]
        if found:
            continue  # what a client adds beside results is no question
        if results and not turns:
            ids += [call.id for message in messages for call in message.tool_calls]
        turns += any(message.role == "assistant" for message in messages)
        question = next((text for m in messages if m.role == "user" and (text := _without_frames(m.content))), "")
        if question:
            break
    told = next((match for id in ids if (match := TURN_OF.search(id))), None)
    return ParsedRequest(
        question,
        results,
        int(told[1]) if told else turns if results else 0,
        int(told[2]) if told else None,
        len(items),
        api.tools(body),
        api.choice(body),
        api.in_parallel(body),
        api.schema(body),
    )


def answer_to(request: ParsedRequest, tool_turns: int | None = None) -> Said:
    """The answer; `tool_turns`: for how many turns each question calls tools, if it doesn't say so itself."""
    wanted = request.of or _turns_asked_for(request.question)
    wanted = tool_turns if wanted is None else wanted
    if request.tools and request.choice != "none" and not NO_TOOLS.search(request.question):
        if wanted is not None and request.turns < wanted:
            return _calls(request, wanted)
        if not request.results and (request.choice is not None or (wanted is None and _calls_once(request))):
            return Said(calls=[_call(request)])
    if request.schema is not None:
        return Said(json.dumps(plausible(request.schema, request.question), ensure_ascii=False))
    return Said(_text(request, _number_of(request)))


def _calls(request: ParsedRequest, wanted: int) -> Said:
    turn = request.turns
    calls = [_call(request, turn)]
    if request.parallel and turn % TWO_IN == TWO_IN - 1:
        calls.append(_call(request, turn + 1))
    return Said(calls=calls, turn=f"_t{turn + 1}of{wanted}")


def _call(request: ParsedRequest, turn: int = 0) -> tuple[OfferedTool, str]:
    about = TURNS.sub("", request.question)
    named = next((tool for tool in request.tools if tool.name == request.choice), None)
    if named:
        return named, call_arguments(named, about, turn)
    return choose_call(request.tools, about, turn)


def _calls_once(request: ParsedRequest) -> bool:
    return _number_of(request) % CALLS_ONE_IN == 0


def _number_of(request: ParsedRequest) -> int:
    return crc32(request.question.encode(errors="replace"))


def _turns_asked_for(question: str) -> int | None:
    found = TURNS.search(question)
    return int(found[1] or found[2]) if found else None


def _without_frames(text: str) -> str:
    return FRAMED.sub("", text).strip()


def _text(request: ParsedRequest, seed: int) -> str:
    if request.results:
        found = "; ".join(_excerpt(result) for result in request.results)
        said = f"The tool says: {found}"
    else:
        fact = FACTS[seed // 7 % len(FACTS)]
        numbers = {"n": 100 + seed % 9900, "small": 2 + seed % 11, "hour": 6 + seed % 15, "minutes": 20 + seed % 60}
        said = f"{OPENINGS[seed % len(OPENINGS)]} “{_excerpt(request.question)}”: {fact.format(**numbers)}"
    return f"{said} (I was sent {request.messages} message{'s' * (request.messages != 1)}.)"


def _excerpt(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= EXCERPT else text[: EXCERPT - 1] + "…"
