"""Surplus bytes of an upstream, after the end of an answer: their connection is dropped, so that nobody gets them."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import httpcore2
import httpx2

ONE_READ = 65_536
"""Bytes of an answer, from which on some that came with it may lie between the socket and its reader."""
SECONDS_TO_LOOK = 0.001


class WholeAnswer(httpx2.AsyncByteStream):
    """The body of an answer; after its end the connection is used again only if nothing else came on it.

    What comes later still, while the connection rests, is seen by its pool, which then drops it.
    """

    def __init__(self, response: httpx2.Response):
        assert isinstance(response.stream, httpx2.AsyncByteStream)
        self._stream, self._connection = response.stream, response.extensions["network_stream"]

    async def __aiter__(self) -> AsyncIterator[bytes]:
        size = 0
        async for piece in self._stream:
            size += len(piece)
            yield piece
        if _has_read_on(self._stream) or await self._more_came(size):
            await self._connection.aclose()

    async def aclose(self) -> None:
        await self._stream.aclose()

    async def _more_came(self, size: int) -> bool:
        if self._connection.get_extra_info("is_readable"):
            return True
        if size < ONE_READ and self._connection.get_extra_info("ssl_object") is None:
            return False
        try:
            await self._connection.read(1, SECONDS_TO_LOOK)
        except httpcore2.ReadTimeout:
            return False
        except httpcore2.NetworkError:
            pass  # it has ended
        return True


def _has_read_on(stream: Any) -> bool:
    """Tell whether the parser holds bytes that aren't of the answer; True where it isn't found.

    The client shows neither the parser nor those bytes, so it is sought inside: the body of an answer wraps the pool's,
    that wraps its connection's.
    """
    while stream is not None and not hasattr(stream, "_connection"):
        stream = getattr(stream, "_httpcore_stream", None) or getattr(stream, "_stream", None)
    parser = getattr(getattr(stream, "_connection", None), "_h11_state", None)
    return parser is None or bool(parser.trailing_data[0])
