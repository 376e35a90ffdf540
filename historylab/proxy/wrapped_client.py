"""The HTTP client of a wrapped client: it decides each request and sends it by the one that was there.

The SDKs take clients of httpx, or of its successor, so the classes are put together when it is known of which.
"""

from __future__ import annotations

import asyncio
import sys
import threading
import weakref
from collections.abc import AsyncIterator, Iterator
from types import ModuleType
from typing import Any

from historylab.errors import SettingsError
from historylab.proxy.pending import BROKEN, HUNG_UP, PendingExchange
from historylab.proxy.refusals import Refused, error_body
from historylab.proxy.relay import EVENTS
from historylab.proxy.through import Through

NO_ANSWER = "no answer came"
PIECES = {"Client": "SyncByteStream", "AsyncClient": "AsyncByteStream"}


def trimming_client(inner: Any, through: Through) -> Any:
    """An HTTP client of the same library, sync or async as that one, by which it sends what was decided."""
    http, kind = http_library(inner)
    sends, pieces = (_Sends, _Pieces) if kind == "Client" else (_AsyncSends, _AsyncPieces)
    made = type("TrimmingClient", (sends, getattr(http, kind)), {})
    client = made(
        transport=http.MockTransport(_refuse_way),
        headers=inner.headers,
        cookies=inner.cookies,
        params=inner.params,
        timeout=inner.timeout,
        follow_redirects=inner.follow_redirects,
    )
    client.http, client.inner, client.through = http, inner, through
    weakref.finalize(client, _close_beside, through).atexit = False  # one that nobody closes leaves no thread or file
    client.pieces = type("Pieces", (pieces, getattr(http, PIECES[kind])), {})
    return client


def _close_beside(through: Through) -> None:
    """Close in a thread: garbage may be collected in any, even the one that writes."""
    threading.Thread(target=through.close, name="historylab closing", daemon=True).start()


def is_trimming(client: Any) -> bool:
    """Tell whether an HTTP client is one of these."""
    return isinstance(client, _Sends | _AsyncSends)


def http_library(inner: Any) -> tuple[ModuleType, str]:
    """The library of an HTTP client, and which of its two classes it is of. Raises SettingsError for another client."""
    for kind in type(inner).__mro__:
        library = kind.__module__.partition(".")[0]
        if kind.__name__ in PIECES and library.startswith("httpx"):
            return sys.modules[library], kind.__name__
    raise SettingsError(f"wrap() can't send by {type(inner).__name__}; give the client an HTTP client of httpx")


def _refuse_way(request: Any) -> Any:
    raise AssertionError("what is sent takes the other client's way")


class _Sends:
    """`send` of a sync client."""

    http: Any
    inner: Any
    pieces: Any
    through: Through

    def send(self, request: Any, *, stream: bool = False, **how: Any) -> Any:
        try:
            if not self.through.is_trimmed(request):
                return self.inner.send(request, stream=stream, **how)
            pending = self.through.decide(request, request.read())
        except Refused as refused:
            return _refusal(self.http, request, refused)
        try:
            response = self.inner.send(_as_decided(self.http, request, pending), stream=stream, **how)
        except BaseException as fault:  # who is interrupted has asked, too
            pending.record_now(f"{NO_ANSWER} ({type(fault).__name__})")
            raise
        _begin(pending, response)
        if stream:
            response.stream = self.pieces(response.stream, pending)
        else:
            pending.add(response.content)
            pending.record_now()
        response.headers.update(pending.headers())
        return response

    def close(self) -> None:
        super().close()  # type: ignore[misc]
        self.inner.close()
        self.through.close()


class _Pieces:
    """A stream that is noted as it passes; it is on record before its last event is passed on."""

    def __init__(self, pieces: Any, pending: PendingExchange):
        self._pieces, self._pending = pieces, pending

    def __iter__(self) -> Iterator[bytes]:
        try:
            for piece in self._pieces:
                last = self._pending.add(piece)
                if last:
                    self._pending.record_now()
                yield self._pending.comment(piece) if last else piece
        except BaseException as fault:
            self._pending.record_now(_why(fault))
            raise
        self._pending.record_now()

    def close(self) -> None:
        self._pending.record_now(HUNG_UP)
        self._pieces.close()


class _AsyncSends:
    """`send` of an async client; the decision is made in a thread."""

    http: Any
    inner: Any
    pieces: Any
    through: Through

    async def send(self, request: Any, *, stream: bool = False, **how: Any) -> Any:
        try:
            if not self.through.is_trimmed(request):
                return await self.inner.send(request, stream=stream, **how)
            pending = await asyncio.to_thread(self.through.decide, request, await request.aread())
        except Refused as refused:
            return _refusal(self.http, request, refused)
        try:
            response = await self.inner.send(_as_decided(self.http, request, pending), stream=stream, **how)
        except BaseException as fault:  # who is cancelled has asked, too
            await pending.record(f"{NO_ANSWER} ({type(fault).__name__})")
            raise
        _begin(pending, response)
        if stream:
            response.stream = self.pieces(response.stream, pending)
        else:
            pending.add(response.content)
            await pending.record()
        response.headers.update(pending.headers())
        return response

    async def aclose(self) -> None:
        await super().aclose()  # type: ignore[misc]
        await self.inner.aclose()
        await asyncio.to_thread(self.through.close)


class _AsyncPieces:
    """`_Pieces` of an async client."""

    def __init__(self, pieces: Any, pending: PendingExchange):
        self._pieces, self._pending = pieces, pending

    async def __aiter__(self) -> AsyncIterator[bytes]:
        try:
            async for piece in self._pieces:
                last = self._pending.add(piece)
                if last:
                    await self._pending.record()
                yield self._pending.comment(piece) if last else piece
        except BaseException as fault:
            await self._pending.record(_why(fault))
            raise
        await self._pending.record()

    async def aclose(self) -> None:
        await self._pending.record(HUNG_UP)
        await self._pieces.aclose()


def _why(fault: BaseException) -> str:
    """Reasons for a stream to end early: the upstream fails, or whoever reads it stops or is cancelled."""
    return BROKEN if isinstance(fault, Exception) else HUNG_UP


def _as_decided(http: Any, request: Any, pending: PendingExchange) -> Any:
    """The request with the body to send; an answer that is to be recorded must not come compressed."""
    left = (b"content-length", *((b"accept-encoding",) if pending.to_record else ()))
    headers = [(name, value) for name, value in request.headers.raw if name.lower() not in left]
    headers += [(b"accept-encoding", b"identity")] if pending.to_record else []
    body = pending.exchange.sent
    return http.Request(request.method, request.url, headers=headers, content=body, extensions=request.extensions)


def _begin(pending: PendingExchange, response: Any) -> None:
    streamed = response.headers.get("content-type", "").lower().startswith(EVENTS)
    pending.begin_answer(response.status_code, streamed, "content-encoding" in response.headers)


def _refusal(http: Any, request: Any, refused: Refused) -> Any:
    """The proxy's answer to what may not leave; the SDK raises it as any refusal of its API."""
    provider = "anthropic" if "anthropic-version" in request.headers else "openai"
    body = error_body(provider, refused.status, f"historylab: {refused.sentence}", code=f"historylab_{refused.code}")
    return http.Response(refused.status, json=body, headers={"x-should-retry": "false"}, request=request)
