"""Bodies of requests in one file, without answers: a log where one goes on from another, else a batch.

Most are no log: a batch asks the same of many things, and a data set has a conversation per line. So a body belongs to
another only where it repeats it and goes on with an answer to it, or has grown out of it.
"""

from __future__ import annotations

from collections.abc import Sequence

from historylab.conversation.conversation import Conversation
from historylab.conversation.exchange import Exchange
from historylab.conversation.message import prompt_length
from historylab.formats.base import Report
from historylab.formats.messages.alignment import Alignment
from historylab.formats.messages.observed import ObservedLog
from historylab.formats.messages.provider_cuts import with_provider_cuts
from historylab.formats.messages.stitching import Stitching
from historylab.formats.messages.threads import Thread


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
