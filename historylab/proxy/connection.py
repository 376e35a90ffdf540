"""One client's connection: uvicorn's, which ends where the client falls silent in the middle of a request."""

from __future__ import annotations

import asyncio
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

SILENCE = 60.0
"""Seconds without a byte of a request that is due, until its connection is closed."""


class Connection(H11Protocol):
    """A connection with a bound on silence. Every byte begins it anew, so a slow client that goes on is served.

    While an answer is under way nothing is due; between two requests the server's keep-alive time counts.
    """

    silence = SILENCE
    _heard = 0.0
    _check: asyncio.TimerHandle | None = None

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        self._heard = self.loop.time()
        self._check_after(self.silence)

    def connection_lost(self, exc: Exception | None) -> None:
        if self._check is not None:
            self._check.cancel()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        self._heard = self.loop.time()
        super().data_received(data)

    def _check_after(self, seconds: float) -> None:
        self._check = self.loop.call_later(seconds, self._check_silence)

    def _check_silence(self) -> None:
        left = self._heard + self.silence - self.loop.time()
        if not self._is_due():
            self._check_after(self.silence)
        elif left > 0 and not self._is_refused():
            self._check_after(left)
        else:
            self.transport.close()  # whoever waits for the rest of the body is told that the client is gone

    def _is_due(self) -> bool:
        """Tell whether the client has to send something, and is listened to."""
        idle = self.timeout_keep_alive_task is not None  # uvicorn's own clock is running
        return self.conn.their_state in (h11.IDLE, h11.SEND_BODY) and not idle and not self.flow.read_paused

    def _is_refused(self) -> bool:
        """Tell whether this is the rest of a body whose request has its answer: read past, but not for ever."""
        return self.conn.our_state is h11.DONE and self.conn.their_state is h11.SEND_BODY
