"""One request on its way to the upstream, and its answer on the way back, as it comes."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import NamedTuple

import httpx2
from starlette.types import Send

from historylab.proxy.headers import RawHeaders, to_client, to_upstream
from historylab.proxy.pending import BROKEN, PendingExchange
from historylab.proxy.refusals import Refused
from historylab.proxy.upstream import Upstream

log = logging.getLogger("historylab.proxy")

EVENTS = "text/event-stream"
LAST_STATUS = 599
MOST_HELD = 1_000_000  # bytes
FAULTS: tuple[tuple[type[Exception], int, str], ...] = (
    (httpx2.TimeoutException, 504, "the upstream doesn't answer in time"),
    (httpx2.LocalProtocolError, 400, "a header of the request can't be passed on"),
    (httpx2.InvalidURL, 400, "the query of the request can't be passed on"),
    (httpx2.ConnectError, 502, "the upstream can't be reached"),
    (httpx2.HTTPError, 502, BROKEN),
)


class UpstreamRequest(NamedTuple):
    """A request as the upstream gets it: `path` and `query`, as they came."""

    method: str
    path: bytes
    query: bytes
    headers: RawHeaders
    body: bytes


async def relay(
    upstream: Upstream,
    request: UpstreamRequest,
    pending: PendingExchange | None,
    send: Send,
    note_status: Callable[[int], None],
) -> None:
    """Ask the upstream, and pass back what it answers; `pending`: the exchange, of a known API.

    Raises Refused where there is no answer. One that breaks off isn't ended: its client sees a network error.
    """
    headers = to_upstream(request.headers, readable=pending is not None and pending.to_record)
    try:
        response = await upstream.send(upstream.request(*request._replace(headers=headers)))
    except (httpx2.HTTPError, httpx2.InvalidURL) as fault:
        raise await _record_fault(fault, upstream, pending) from None
    try:
        if response.status_code > LAST_STATUS:
            raise await _record_fault(httpx2.RemoteProtocolError("no status of HTTP"), upstream, pending)
        note_status(response.status_code)
        await _pass_back(response, pending, send, upstream)
    finally:
        await response.aclose()


async def _pass_back(
    response: httpx2.Response, pending: PendingExchange | None, send: Send, upstream: Upstream
) -> None:
    streamed = response.headers.get("content-type", "").lower().startswith(EVENTS)
    streamed = streamed or (pending is not None and pending.streams)
    unmarked = pending is not None and streamed and _ends_with_the_connection(response)
    if pending is not None and (pending.to_record or unmarked):
        pending.begin_answer(response.status_code, streamed, "content-encoding" in response.headers)
    held = pending is not None and pending.to_record and not streamed
    back = AnswerStream(
        send,
        response.status_code,
        to_client(response.headers.raw),
        pending.headers if pending is not None else list,
        held=held,
    )
    ended = False
    if not streamed and "content-length" in response.headers:
        back.lag()  # who has all of an answer may hang up before its end is dealt with
    try:
        if not held:
            await back.start()
        async for piece in response.aiter_raw():
            if pending is not None and pending.add(piece):
                if pending.ends_with_body:
                    back.lag()
                else:
                    ended = True
                    await pending.record()
                    await back.piece(pending.comment(piece))
                    continue
            await back.piece(piece)
    except httpx2.HTTPError as fault:
        refused = await _record_fault(fault, upstream, pending)
        if not back.started:
            raise refused from None
        return
    if pending is not None:
        await pending.record()
        if unmarked and pending.has_no_end:
            log.warning("The upstream closed the connection before the end of a stream.")
            return
        if streamed and not ended and (comment := pending.comment()):
            await back.piece(comment)
    await back.end()


def _ends_with_the_connection(response: httpx2.Response) -> bool:
    """True if the answer ends where the connection does, which may be too early."""
    return "content-length" not in response.headers and "transfer-encoding" not in response.headers


async def _record_fault(fault: Exception, upstream: Upstream, pending: PendingExchange | None) -> Refused:
    """Record that the upstream gave no answer, and return the refusal to send instead."""
    status, sentence = next((status, said) for kind, status, said in FAULTS if isinstance(fault, kind))
    log.warning("%s: %s (%s)", upstream.url, sentence, type(fault).__name__)
    if pending is not None:
        await pending.record(sentence)
    ours = pending.headers() if pending is not None else ()
    return Refused(status, f"{sentence} ({upstream.url})", "upstream", ours)


class AnswerStream:
    """Sends an answer's beginning and its pieces; `ours` gives our own headers once it begins.

    What is `held` is sent at the end, or when more comes than may be held. The last piece of that always waits for the
    end, and so does that of an answer which is told to `lag`. An answer that isn't ended is broken off by the server:
    its client sees a network error.
    """

    def __init__(self, send: Send, status: int, headers: RawHeaders, ours: Callable[[], RawHeaders], *, held: bool):
        self.started = False
        self._send, self._status, self._headers, self._ours, self._held = send, status, headers, ours, held
        self._pieces: list[bytes] = []
        self._size, self._kept = 0, int(held)  # of the newest pieces so many wait

    def lag(self) -> None:
        """Let each piece wait for the next from here on."""
        self._kept = 1

    async def piece(self, piece: bytes) -> None:
        """Send the next piece, or hold it back."""
        self._pieces.append(piece)
        self._size += len(piece)
        while len(self._pieces) > self._kept and (not self._held or self._size > MOST_HELD):
            self._size -= len(self._pieces[0])
            await self.start()
            await self._send({"type": "http.response.body", "body": self._pieces.pop(0), "more_body": True})

    async def start(self) -> None:
        """Send status and headers, to which nothing can be added any more."""
        if not self.started:
            self.started = True
            headers = [*self._headers, *self._ours()]
            await self._send({"type": "http.response.start", "status": self._status, "headers": headers})

    async def end(self) -> None:
        """Send what was held back, and the end."""
        await self.start()
        await self._send({"type": "http.response.body", "body": b"".join(self._pieces), "more_body": False})
