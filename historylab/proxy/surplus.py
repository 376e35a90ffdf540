"""Surplus bytes of an upstream, after the end of an answer: their connection is dropped, so that nobody gets them."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sized
from typing import Any

import httpcore2
import httpx2

SECONDS_TO_LOOK = 0.001
BODILESS = (204, 304)


class WholeAnswer(httpx2.AsyncByteStream):
    """The body of an answer; when it is closed its connection is used again only if nothing else was read from it.

    What still waits in the socket then, or comes while the connection rests, is seen by its pool, which drops it. After
    an answer that has no body, to `method` or of its status, it is never used again: some servers send one late.
    """

    def __init__(self, response: httpx2.Response, method: str):
        assert isinstance(response.stream, httpx2.AsyncByteStream)
        self._stream, self._connection = response.stream, response.extensions["network_stream"]
        self._is_bodiless = method == "HEAD" or response.status_code in BODILESS

    def __aiter__(self) -> AsyncIterator[bytes]:
        return self._stream.__aiter__()

    async def aclose(self) -> None:
        more_came = True  # until it is known: a client that hangs up now leaves nobody to look
        try:
            more_came = self._is_bodiless or _has_read_on(self._stream) or await self._more_was_read()
        finally:
            try:
                if more_came:
                    await self._connection.aclose()
            finally:
                await self._stream.aclose()

    async def _more_was_read(self) -> bool:
        """Tell whether bytes lie between the socket and the parser: of the event loop's, or of encryption."""
        if (queue := _read_queue(self._connection)) is not None:
            return len(queue) > 0
        try:
            await self._connection.read(1, SECONDS_TO_LOOK)
        except httpcore2.ReadTimeout:
            return False
        except httpcore2.NetworkError:
            pass  # it has ended
        return True


def _read_queue(connection: Any) -> Sized | None:
    """The pieces that the event loop has read and nobody has taken yet; None where something else reads, as TLS does.

    The client shows no such place, so it is sought inside, in the stream of the socket and its protocol.
    """
    return getattr(getattr(getattr(connection, "_stream", None), "_protocol", None), "read_queue", None)


def _has_read_on(stream: Any) -> bool:
    """Tell whether the parser holds bytes that aren't of the answer; True where it isn't found.

    The client shows neither the parser nor those bytes, so it is sought inside: the body of an answer wraps the pool's,
    that wraps its connection's.
    """
    while stream is not None and not hasattr(stream, "_connection"):
        stream = getattr(stream, "_httpcore_stream", None) or getattr(stream, "_stream", None)
    parser = getattr(getattr(stream, "_connection", None), "_h11_state", None)
    return parser is None or bool(parser.trailing_data[0])
