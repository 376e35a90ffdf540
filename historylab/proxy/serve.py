"""The proxy's server: uvicorn with bounds of its own, on a socket that is bound before anything is said."""

from __future__ import annotations

import socket
from collections.abc import Callable

import uvicorn

from historylab.proxy.app import Proxy
from historylab.proxy.callers import LARGEST_HEADERS

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
            http="h11",
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
