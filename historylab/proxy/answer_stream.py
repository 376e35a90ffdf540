"""An answer on its way back to the client, over the ASGI `send` of its request."""

from __future__ import annotations

from collections.abc import Callable

from starlette.types import Send

from historylab.proxy.headers import RawHeaders

MOST_HELD = 1_000_000  # bytes


class AnswerStream:
    """Sends an answer's beginning and its pieces; `ours` gives our own headers once it begins.

    What is `held` is sent at the end, or when more comes than may be held; its last piece always waits for the end. An
    answer that isn't ended is broken off by the server: its client sees a network error.
    """

    def __init__(self, send: Send, status: int, headers: RawHeaders, ours: Callable[[], RawHeaders], *, held: bool):
        self.started = False
        self._send, self._status, self._headers, self._ours, self._held = send, status, headers, ours, held
        self._pieces: list[bytes] = []
        self._size = 0

    async def piece(self, piece: bytes) -> None:
        """Send the next piece, or hold it back."""
        self._pieces.append(piece)
        self._size += len(piece)
        while self._pieces and (not self._held or (self._size > MOST_HELD and len(self._pieces) > 1)):
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
