"""The proxy's server: uvicorn with bounds of its own, on a socket that is bound before anything is said."""

from __future__ import annotations

import asyncio
import signal
import socket
import threading
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager

import uvicorn
from uvicorn.server import HANDLED_SIGNALS

from historylab.errors import HistoryLabError
from historylab.proxy.app import Proxy
from historylab.proxy.callers import LARGEST_HEADERS
from historylab.proxy.connection import Connection
from historylab.proxy.deciding import log_fault

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


class Serving:
    """Proxies on their sockets, in a thread, while the block runs; what is under way at its end may finish.

    `failed` is called if they end before that; `fault` then says of what. Raises HistoryLabError if they can't begin.
    """

    def __init__(self, proxies: Sequence[tuple[Proxy, socket.socket]], failed: Callable[[], None] = lambda: None):
        self.fault = ""
        self._servers = [(Server(proxy, self._one_is_ready), bound) for proxy, bound in proxies]
        self._failed, self._missing = failed, len(proxies)
        self._begun, self._ending = threading.Event(), False
        self._thread = threading.Thread(target=self._run, name="historylab-proxy", daemon=True)

    def __enter__(self) -> Serving:
        self._thread.start()
        self._begun.wait()
        if self.fault:
            raise HistoryLabError(f"the proxy can't be started ({self.fault})")
        return self

    def __exit__(self, *_: object) -> None:
        self._ending = True
        self._let_end()
        self._thread.join()

    def _one_is_ready(self) -> None:
        self._missing -= 1
        if not self._missing:
            self._begun.set()

    def _let_end(self) -> None:
        for server, _ in self._servers:
            server.should_exit = True

    def _run(self) -> None:
        try:
            asyncio.run(self._serve())
        except Exception as problem:
            log_fault("The proxy failed", problem)
            self.fault = type(problem).__name__
        if not self._ending:
            self.fault = self.fault or "it ended by itself"
            self._failed()
        self._begun.set()

    async def _serve(self) -> None:
        serving = [asyncio.ensure_future(server.serve([bound])) for server, bound in self._servers]
        await asyncio.wait(serving, return_when=asyncio.FIRST_COMPLETED)
        self._let_end()  # a program is told at once that one is gone
        await asyncio.gather(*serving)
