"""The proxy's server: uvicorn with bounds of its own, on a socket that is bound before anything is said."""

from __future__ import annotations

import signal
import socket
import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager

import uvicorn
from uvicorn.server import HANDLED_SIGNALS

from historylab.proxy.app import Proxy
from historylab.proxy.callers import LARGEST_HEADERS
from historylab.proxy.connection import Connection

GRACE = 10
"""Seconds in which answers that are under way may end before their connections are cut."""

KEEP_ALIVE = 65
"""Seconds that a connection is kept for another request: longer than clients keep theirs, so that they end it."""


class Server(uvicorn.Server):
    """Serves a proxy; `ready` is called once it is listening."""

    def __init__(self, proxy: Proxy, ready: Callable[[], None] = lambda: None, *, grace: int = GRACE):
        # h11 bounds the headers, and refuses what may be read in two ways. No line is logged of a request, as its
        # path, headers and faults may hold keys; what goes wrong, the proxy logs itself.
        config = uvicorn.Config(
            proxy,
            http=Connection,
            ws="none",
            lifespan="on",
            log_config=None,
            log_level="critical",
            access_log=False,
            server_header=False,
            date_header=False,
            proxy_headers=False,
            h11_max_incomplete_event_size=LARGEST_HEADERS,
            timeout_keep_alive=KEEP_ALIVE,
            timeout_graceful_shutdown=grace,
        )
        super().__init__(config)
        self._ready = ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started:
            self._ready()

    @contextmanager
    def capture_signals(self) -> Generator[None, None, None]:
        """End when told to, with status 0: uvicorn would raise the signal once more when it is done."""
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        before = {number: signal.signal(number, self.handle_exit) for number in HANDLED_SIGNALS}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)
