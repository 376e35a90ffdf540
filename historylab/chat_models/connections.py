"""The connections that requests are made over: they can be ended from another thread, and be kept to public addresses.

A client hands each request to `watch`, and with it whoever opens a connection tells where it leads. Closing a client
doesn't wake a thread that waits for an answer; shutting its socket down does.
"""

from __future__ import annotations

import contextlib
import socket
from ipaddress import ip_address
from threading import Lock
from typing import Any


class ClientConnections:
    """Those of one client. `refused`: a connection led to a private address although only public ones are allowed."""

    def __init__(self, *, public_only: bool = False):
        self.refused = False
        self._public_only, self._ended, self._lock = public_only, False, Lock()
        self._open = list[Any]()

    def watch(self, request: Any) -> None:
        """A request is about to be sent. Raises ConnectionAbortedError after `end`."""
        if self._ended:
            raise ConnectionAbortedError("stopped")
        request.extensions["trace"] = self._note

    def end(self) -> None:
        """Shut all connections down, and open none any more."""
        self._ended = True
        with self._lock:
            streams, self._open = self._open, []
        for stream in streams:
            _shut_down(stream)

    def _note(self, event: str, about: Any) -> None:
        if not event.endswith((".connect_tcp.complete", ".start_tls.complete")):
            return
        stream = about["return_value"]
        if self._public_only and not _is_public(stream):
            self.refused = True
            _shut_down(stream)
            raise ConnectionRefusedError("a private address")
        with self._lock:
            self._open = [*self._open[-3:], stream]
        if self._ended:
            _shut_down(stream)


def _is_public(stream: Any) -> bool:
    """Whether it is connected to an address of the internet, whatever name was asked for."""
    try:
        return ip_address(stream.get_extra_info("server_addr")[0]).is_global
    except (TypeError, ValueError, IndexError):
        return False


def _shut_down(stream: Any) -> None:
    with contextlib.suppress(OSError, AttributeError):  # it is closed already
        stream.get_extra_info("socket").shutdown(socket.SHUT_RDWR)
