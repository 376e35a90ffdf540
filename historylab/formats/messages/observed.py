"""Requests as a log observed them → the conversations they were part of.

Every entry of such a log (a span, a run, a row) repeats what it was sent with. `conversations_in` takes them as
`Exchange`s and puts the whole history together once: a request that holds the newest messages of an earlier one goes on
from it, and its usage goes to the answer it produced. Which of the older messages it still holds, and with which text,
is noted per request (`SENT_HISTORIES`): an app that trims, shortens or sums up has one conversation. A request that
lacks the newest ones and has others in their place (a retry, an edited question) is a branch. One that has nothing in
common with those before begins a conversation.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Iterator
from operator import is_not

from historylab.conversation.conversation import Conversation
from historylab.conversation.exchange import Exchange
from historylab.conversation.message import instant
from historylab.formats.base import Report
from historylab.formats.messages.provider_cuts import with_provider_cuts
from historylab.formats.messages.stitching import Stitching


def conversations_in(requests: Iterable[Exchange], report: Report) -> Iterator[Conversation]:
    """The conversations that these requests were part of; those of one key together, the longest first.

    Requests of a key are taken in the order of their times if all have one, else as they stand.
    """
    log = ObservedLog()
    for request in requests:
        log.add(request)
    yield from map(with_provider_cuts, log.conversations(report))


class ObservedLog:
    """The requests of a log that grows: asked for its conversations again, it has only looked at those that are new."""

    def __init__(self, stitching: type[Stitching] = Stitching) -> None:
        self._stitching = stitching
        self._requests: dict[str, list[Exchange]] = {}
        self._stitched: dict[str, Stitching] = {}

    def add(self, request: Exchange) -> None:
        """Take one more request of its key."""
        self._requests.setdefault(request.conversation, []).append(request)

    @property
    def stitchings(self) -> Collection[Stitching]:
        """The requests of each key, as far as conversations were asked for."""
        return self._stitched.values()

    def conversations(self, report: Report) -> Iterator[Conversation]:
        """As `conversations_in` has them, of all requests so far."""
        for key, requests in self._requests.items():
            ordered, known = order_by_time(requests), self._stitched.get(key)
            if known is None or any(map(is_not, ordered, known.requests)):  # one came after a later one
                known = self._stitched[key] = self._stitching()
            for request in ordered[len(known.requests) :]:
                known.add(request)
            report.add(known.report, "")
            yield from known.conversations(report)


def order_by_time(requests: list[Exchange]) -> list[Exchange]:
    """The requests in the order of their times if all have one, else as they stand."""
    if len(requests) < 2:
        return requests
    times = [instant(request.started) for request in requests]
    if any(map(math.isnan, times)):
        return requests
    return [requests[i] for i in sorted(range(len(requests)), key=lambda i: (times[i], len(requests[i].messages)))]
