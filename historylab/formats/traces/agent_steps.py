"""Model calls of a trace whose log holds less of each than was sent: half a call, or only what is new to it.

A call that begins with results of calls it doesn't hold goes on from the one that made them. So does one that repeats
the question alone, or has no input at all, after a call of the same agent whose tools have all run.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from historylab.conversation.exchange import Exchange
from historylab.conversation.message import Message, ToolCall, prompt_length
from historylab.formats.messages.content_parts import json_text
from historylab.formats.messages.fields import unpack_json
from historylab.formats.messages.observed import order_by_time
from historylab.formats.traces.logged import prompt_text
from historylab.formats.traces.records import unpack_printed

NEW_ONLY = "a model call of which only what is new is logged, read as going on from the one before it"


@dataclass(frozen=True)
class ToolRun:
    """The run of a tool: where, which, what went in and what came out; `labels` may name the call."""

    trace: str
    name: str
    input: Any
    output: Any
    labels: str = ""


class ToolRuns:
    """The runs of tools, each of which gives one call its result."""

    def __init__(self, runs: Iterable[ToolRun] = ()):
        self._runs: dict[tuple[str, str], list[ToolRun]] = {}
        for run in runs:
            self._runs.setdefault((run.trace, _last_word(run.name)), []).append(run)

    def find_result(self, trace: str, call: ToolCall) -> Message | None:
        """The result of a call, from the run that names it, or else the first of its arguments."""
        runs = self._runs.get((trace, _last_word(call.name)), [])
        named = (run for run in runs if call.id and call.id in f"{run.labels}{run.output}")
        given = unpack_json(call.arguments) or None
        run = next(named, None) or next((run for run in runs if given in _values(run.input)), None)
        if run is None:
            return None
        runs.remove(run)
        return Message("tool", _result(run.output), name=call.name, tool_call_id=call.id)


def _last_word(name: str) -> str:
    return name.replace(".", " ").split(" ")[-1]


def _values(value: Any) -> list[Any]:
    """The arguments of a tool; a logger may have put it under a name."""
    value = unpack_printed(value)
    inner = value.values() if isinstance(value, dict) and len(value) == 1 else ()
    return [each or None for each in (value, *inner)]


def _result(output: Any) -> str:
    """The text of a tool's output, without the wrapping of MCP or LangChain."""
    value = unpack_json(output)
    wrapped = isinstance(value, dict) and ("tool_call_id" in value or value.keys() <= {"content", "isError"})
    return prompt_text(value.get("content")) if wrapped else json_text(output)


@dataclass(frozen=True)
class TracedCall:
    """A model call and its place: the trace, what it is part of there, and the name that others are part of it by."""

    request: Exchange
    trace: str
    parent: str = ""
    id: str = ""


def whole_requests(calls: Iterable[TracedCall], runs: ToolRuns) -> list[Exchange]:
    """The requests of these calls, each with all that it was sent, as far as its trace tells."""
    traces: dict[str, list[TracedCall]] = {}
    for step in calls:
        traces.setdefault(step.trace or step.request.where, []).append(step)
    return [request for trace, found in traces.items() for request in _whole(trace, found, runs)]


def _whole(trace: str, steps: list[TracedCall], runs: ToolRuns) -> list[Exchange]:
    parents = {id(step.request): step.parent for step in steps}
    requests = order_by_time([step.request for step in steps])
    held = {call.id for request in requests for call in _calls(request.messages)}
    callers: dict[str, Exchange] = {}
    latest: dict[str, Exchange] = {}
    found: list[Exchange] = []
    for request in requests:
        if found and found[-1].messages and not found[-1].answer and not request.messages:
            _join_halves(found[-1], request)
        else:
            found.append(request)
            caller, before = _caller(request, callers), latest.get(parents[id(request)])
            if before := caller or (before if before and _repeats(request, before) else None):
                results = [runs.find_result(trace, call) for call in _calls(before.answer) if call.id not in held]
                if caller or (len(results) == len(_calls(before.answer)) and None not in results):
                    _go_on(request, before, list(filter(None, results)))
        callers |= {call.id: found[-1] for call in _calls(found[-1].answer)}
        latest[parents[id(request)]] = found[-1]
    return found


def _calls(messages: Sequence[Message]) -> list[ToolCall]:
    return [call for message in messages for call in message.tool_calls]


def _rest(request: Exchange) -> Sequence[Message]:
    return request.messages[prompt_length(request.messages) :]


def _join_halves(asked: Exchange, answered: Exchange) -> None:
    asked.answer, asked.ended = answered.answer, answered.ended or asked.ended
    asked.usage = {**(asked.usage or {}), **(answered.usage or {})} or None
    asked.about = {**answered.about, **asked.about}


def _caller(request: Exchange, callers: dict[str, Exchange]) -> Exchange | None:
    """The request whose answer made the call that this one begins with the result of."""
    return callers.get(next((message.tool_call_id or "" for message in _rest(request)), ""))


def _repeats(request: Exchange, before: Exchange) -> bool:
    """Tell whether a request says nothing that the one before it didn't, and isn't that one made again."""
    rest = _rest(request)
    if not rest:
        return bool(before.answer)
    said = [(message.role, message.content) for message in _rest(before)]
    return bool(_calls(before.answer)) and [(message.role, message.content) for message in rest] == said[: len(rest)]


def _go_on(request: Exchange, before: Exchange, results: Sequence[Message]) -> None:
    """Put what was sent and answered before in front of what is new."""
    rest, prompt = _rest(request), request.messages[: prompt_length(request.messages)]
    new = [] if all(message.role != "tool" for message in rest) else rest
    given = {message.tool_call_id for message in new}
    missing = [result for result in results if result.tool_call_id not in given]
    prompt = prompt or before.messages[: prompt_length(before.messages)]
    request.messages = [*prompt, *_rest(before), *before.answer, *missing, *new]
    if request.report:
        request.report.warn(NEW_ONLY, request.where)
