"""A ferry company's desk as a demonstration: two harmless tools, and the rule of a scripted model that calls them.

The scripted model knows nothing but what its request holds. So whatever the settings leave out it has forgotten.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Annotated, Any

from pydantic import Field

from historylab.agent.tools import FunctionTool, as_tool
from historylab.chat_models.base import Reply
from historylab.chat_models.scripted import call
from historylab.costs.amounts import count_of

NAME = "scripted"
TIMETABLE: Mapping[str, Sequence[str]] = {
    "skellig": ("07:30", "10:15", "13:00", "17:45"),
    "dursey": ("08:10", "12:40", "16:20"),
    "garinish": ("09:00", "11:00", "15:00", "18:30"),
}
ADULT, DAYS_CALM = 14, ("Monday", "Tuesday", "Thursday", "Saturday")
FACT = re.compile(r"(?i)\bmy ([a-z ]{2,24}?) (?:is|are) ([^.!?\n]{1,80})")
ASKS = re.compile(r"(?i)\b(?:what|who|which|when|where)(?:'s| is| are| was| were)? my ([a-z ]{2,24}?)\s*\?")
ABOUT_FERRIES = re.compile(r"(?i)ferr|boat|sail|timetable|departure|crossing|island")
EARLIER = re.compile(r"(?i)earlier|remember|did i (?:say|tell)|first thing")
FULL = "use the 'compactHistory' tool now"
SEARCH, COMPACT = "conversation_search", "compactHistory"
SUMMARY_OF = 8  # lines of a summary

Record = Mapping[str, Any]


def ferry_timetable(
    island: Annotated[str, Field(description="Skellig, Dursey or Garinish")],
    day: Annotated[str, Field(description="a day of the week")] = "Saturday",
) -> dict[str, Any]:
    """Departures to an island on a day."""
    times = TIMETABLE.get(island.strip().lower())
    if times is None:
        raise LookupError(f"no ferry goes to {island[:40]!r}; there are {', '.join(map(str.title, TIMETABLE))}")
    return {"island": island.title(), "day": day, "departures": times, "adult_eur": ADULT}


def sea_state(day: Annotated[str, Field(description="a day of the week")] = "Saturday") -> dict[str, Any]:
    """The sea on a day: whether the crossing will be rough."""
    calm = day.strip().title() in DAYS_CALM
    return {"day": day, "waves_m": 0.4 if calm else 2.1, "advice": "calm" if calm else "rough: book a later day"}


def ferry_tools() -> list[FunctionTool]:
    """Both tools."""
    return [as_tool(ferry_timetable), as_tool(sea_state)]


def answer_at_the_desk(messages: Sequence[Record], tools: Sequence[Record]) -> Reply:
    """The scripted model's reply: by the newest message, and by nothing that its request doesn't hold.

    It reports no usage, which would be taken for a provider's.
    """
    reply = _reply(messages, tools)
    return Reply(reply, model=NAME) if isinstance(reply, str) else replace(reply, usage=None)


def _reply(messages: Sequence[Record], tools: Sequence[Record]) -> str | Reply:
    newest, offered = messages[-1], {tool["function"]["name"] for tool in tools}
    said = _text(newest)
    if "summar" in said.lower() and not tools:
        return _summary(messages)
    if newest["role"] == "tool":
        return _of_result(messages)
    if newest["role"] == "system":
        if COMPACT in offered and FULL in said and not _just_compacted(messages):
            return call(COMPACT, f"call_{len(messages)}", preserveRecentMessages=6)
        said = next((_text(m) for m in reversed(messages) if m["role"] == "user"), "")
    return _of_question(said, messages, offered)


def _just_compacted(messages: Sequence[Record]) -> bool:
    """Whether that was called last: where too little can be summarised, it would be called for ever."""
    calls = (call for message in messages[-3:] for call in message.get("tool_calls") or ())
    return any(call["function"]["name"] == COMPACT for call in calls)


def _of_question(said: str, messages: Sequence[Record], offered: set[str]) -> str | Reply:
    id = f"call_{len(messages)}_{len(said)}"
    if asked := ASKS.search(said):
        return _recall_fact(asked[1], messages, offered, id)
    if EARLIER.search(said) and SEARCH in offered:
        return call(SEARCH, id, query=_telling_word(said), limit=3)
    if "sea" in said.lower().split() or "rough" in said.lower():
        return call("sea_state", id, day=_day(said)) if "sea_state" in offered else NO_TOOL
    if ABOUT_FERRIES.search(said):
        island = next((name for name in TIMETABLE if name in said.lower()), "skellig")
        return call("ferry_timetable", id, island=island.title(), day=_day(said)) if offered else NO_TOOL
    if told := FACT.findall(said):
        noted = "; ".join(f"your {what.strip()} is {value.strip()}" for what, value in told)
        return f"Noted: {noted}. {_describe_request(messages)}"
    return f"{_describe_request(messages)} Ask me for a ferry, or tell me “my … is …” and ask for it later."


NO_TOOL = "I have no timetable here: switch the ferry tools on, and ask me again."


def _recall_fact(what: str, messages: Sequence[Record], offered: set[str], id: str) -> str | Reply:
    told = [(name.strip().lower(), value.strip()) for m in messages for name, value in FACT.findall(_text(m))]
    if value := next((value for name, value in reversed(told) if name == what.strip().lower()), ""):
        return f"Your {what} is {value}."
    if SEARCH in offered:
        return call(SEARCH, id, query=f"my {what}", limit=3)
    return f"I don't see your {what} in what I was sent. {_describe_request(messages)}"


def _of_result(messages: Sequence[Record]) -> str:
    """The newest result that says something of ferries or of what was said, in a sentence."""
    results = [_text(m) for m in messages if m["role"] == "tool"]
    told = next((result for result in reversed(results) if result.startswith("{")), "")
    try:
        found = json.loads(told)
    except ValueError:
        return f"The tool said: {results[-1][:300]}"
    if "departures" in found:
        times = ", ".join(found["departures"])
        return f"To {found['island']} on {found['day']}: {times}. An adult pays €{found['adult_eur']}."
    if "waves_m" in found:
        return f"On {found['day']} the sea is {found['advice']}, with waves of {found['waves_m']} m."
    if found.get("results"):
        return "Earlier it was said: " + " · ".join(f"“{one['content'][:160]}”" for one in found["results"])
    return "I searched, and nothing of that was said."


def _describe_request(messages: Sequence[Record]) -> str:
    """What the request holds, as only the model can say."""
    users = [_text(m) for m in messages if m["role"] == "user"]
    oldest = " ".join(users[0].split())[:80] if users else ""
    return f"I was sent {count_of(len(messages), 'message')}; the oldest of yours is “{oldest}”."


def _summary(messages: Sequence[Record]) -> str:
    """What was told and asked, in a few lines: the scripted model's summary."""
    said = [" ".join(_text(m).split())[:160] for m in messages if m["role"] in ("user", "tool")]
    telling = [line for line in said if FACT.search(line)] or said
    return "\n".join(f"- {line}" for line in telling[:SUMMARY_OF])


def _telling_word(said: str) -> str:
    words = re.findall(r"[^\W_]{4,}", re.sub(EARLIER, "", said))
    return max(words, key=len, default="")


def _day(said: str) -> str:
    found = re.search(r"(?i)\b(mon|tues|wednes|thurs|fri|satur|sun)day\b", said)
    return found[0].title() if found else "Saturday"


def _text(message: Record) -> str:
    content = message.get("content") or ""
    return content if isinstance(content, str) else json.dumps(content)
