"""Requests that nothing ties but what they say: bodies in one file, and the calls of a log that names no sessions.

Most bodies are no log: a batch asks the same of many things, and a data set has a conversation per line. So a body
belongs to another only where it repeats it and goes on with an answer to it, or has grown out of it. Of calls whose
answers are logged, each with a trace of its own, one goes on from another where it holds that one's answer.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from historylab.conversation.conversation import Conversation
from historylab.conversation.exchange import Exchange
from historylab.conversation.message import prompt_length
from historylab.formats.base import Report
from historylab.formats.messages.alignment import Alignment
from historylab.formats.messages.observed import ObservedLog, order_by_time
from historylab.formats.messages.provider_cuts import with_provider_cuts
from historylab.formats.messages.stitching import Stitching
from historylab.formats.messages.threads import Thread

TELLING = 40
"""Characters that a call has to repeat to show what it goes on from: a greeting and its answer are anyone's."""


class BodyStitching(Stitching):
    """Bodies in their order, each joined to the one that it goes on from."""

    def joins(self, found: Alignment, request: Exchange) -> bool:
        """Tell whether a body goes on with an answer, or else begins with what a conversation has grown to."""
        if found.new <= prompt_length(request.messages):
            return False
        answers = request.messages[found.new : found.new + 1]
        if found.goes_on and answers:
            return answers[0].role == "assistant"
        return found.known > found.thread.root.opened

    def families(self) -> list[list[Thread]]:
        """The threads of each conversation that more than one body is of."""
        return [family for family in super().families() if sum(len(thread.requests) for thread in family) > 1]


class LoneStitching(BodyStitching):
    """Calls that are alone under their names, each joined to the one whose answer it holds."""

    def joins(self, found: Alignment, request: Exchange) -> bool:
        """Tell whether a request holds the answer of the call that it goes on from."""
        thread = found.thread
        if len(thread.messages) == thread.asked:  # no answer is logged
            return super().joins(found, request)
        held = request.messages[prompt_length(request.messages) : found.new]
        told = sum(len(m.content) + sum(len(call.arguments) for call in m.tool_calls) for m in held)
        return found.goes_on and told >= TELLING and any(place >= thread.asked for place in found.places)


def tie_lone_calls(requests: Sequence[Exchange]) -> Sequence[Exchange]:
    """Give calls that are alone under their names one name where they go on from each other: a trace each is no chat.

    A log that names a trace and no session has one of each call. Returns the requests, which are changed.
    """
    times = Counter(request.conversation for request in requests)
    lone = [request for request in requests if request.conversation and times[request.conversation] == 1]
    if len(lone) < 2 or any(request.plan for request in lone):
        return requests
    log, of = LoneStitching(), dict[int, Exchange]()
    for request in order_by_time(lone):
        of[id(unnamed := replace(request, conversation="", report=None))] = request
        log.add(unnamed)
    for family in log.families():
        together = [of[id(unnamed)] for thread in family for unnamed in thread.requests]
        for request in together:
            request.conversation = together[0].conversation
    return requests


def join_bodies(bodies: Sequence[Exchange], report: Report) -> tuple[list[Exchange], list[Conversation]]:
    """The bodies that stand alone, in their order, and the conversations of those that go on from each other."""
    log = ObservedLog(BodyStitching)
    for body in bodies:
        if body.messages and body.messages[-1].role != "assistant":
            log.add(body)
    found = list(map(with_provider_cuts, log.conversations(report)))
    families = (family for stitching in log.stitchings for family in stitching.families())
    joined = {id(body) for family in families for thread in family for body in thread.requests}
    return [body for body in bodies if id(body) not in joined], found
