"""Model calls that a trace holds inside one another.

A framework and the client below it may log the same call, and a framework may log its whole run as a call around those
it made. Either way each call of the model counts once, with the usage of the layer nearest to the model.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from historylab.conversation.exchange import Exchange
from historylab.conversation.message import Message
from historylab.formats.base import Report
from historylab.formats.traces.agent_steps import TracedCall

SECOND_LOG = "a second log of the same model call"
RUN = "a run of model calls, each of which is logged for itself"


def without_doubles(steps: Sequence[TracedCall], report: Report) -> list[TracedCall]:
    """The calls, without those that only say again what one inside or around them says."""
    inside: dict[tuple[str, str], list[TracedCall]] = {}
    around: dict[tuple[str, str], list[TracedCall]] = {}
    for step in steps:
        if step.parent and step.parent != step.id:
            inside.setdefault((step.trace, step.parent), []).append(step)
    for step in steps:
        if (step.trace, step.id) in inside:
            around.setdefault((step.trace, step.id), []).append(step)
    parents = {id(step): step.parent for step in steps}
    dropped: set[int] = set()
    for place, outers in around.items():
        inner = [step for step in inside[place] if id(step) not in dropped]
        answers = {_content_of(step.request.answer) for step in inner} - {()}
        sent = {_content_of(inner[0].request.messages)} - {()} if len(inner) == 1 else set()
        for outer in outers:
            if id(outer) in dropped or (inner and id(inner[0]) in dropped):
                continue
            if _content_of(outer.request.answer) not in answers and _content_of(outer.request.messages) not in sent:
                continue
            if len(inner) > 1:
                dropped.add(id(outer))
                report.pass_over(RUN, outer.request.where)
                continue
            kept, double = _richer_first(outer, inner[0])
            kept.request.usage = inner[0].request.usage or outer.request.usage
            kept.request.about = {**double.request.about, **kept.request.about}
            parents[id(kept)] = parents[id(outer)]
            dropped.add(id(double))
            report.pass_over(SECOND_LOG, double.request.where)
    return [replace(step, parent=parents[id(step)]) for step in steps if id(step) not in dropped]


def _content_of(messages: Sequence[Message]) -> tuple[object, ...]:
    return tuple((m.role, m.content, *((call.name, call.arguments) for call in m.tool_calls)) for m in messages)


def _richer_first(outer: TracedCall, inner: TracedCall) -> tuple[TracedCall, TracedCall]:
    """The log that names more calls of tools first, else the inner: one that prints messages has none of them."""
    return (outer, inner) if _calls(outer.request) > _calls(inner.request) else (inner, outer)


def _calls(request: Exchange) -> int:
    return sum(len(message.tool_calls) for message in (*request.messages, *request.answer))
