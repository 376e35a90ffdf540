"""The address a server listens on, refused in a sentence where it can't be had."""

from __future__ import annotations

import errno
import os
import socket

from historylab.errors import HistoryLabError

HOST = "127.0.0.1"
EVERY_INTERFACE = ("0.0.0.0", "::")


class CannotListen(HistoryLabError):
    """The address or port cannot be had; the message says why and what to do."""


def check_address(host: str, port: int) -> None:
    """Refuse, in one sentence, what a server could not bind."""
    listen(host, port).close()


def listen(host: str, port: int) -> socket.socket:
    """A socket bound to the address; port 0 takes any free one. Raises CannotListen."""
    # With the protocol named, asyncio sends small packets at once; else each may wait 40 ms for an acknowledgement.
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    bound = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        if os.name != "nt":
            bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        bound.bind((host or "?", port))
        return bound
    except (OSError, UnicodeError) as problem:
        bound.close()
        raise CannotListen(_why(problem, host, port)) from None


def url_of(host: str, port: int) -> str:
    """The server's address, to be opened on this machine."""
    shown = "localhost" if host in EVERY_INTERFACE else f"[{host}]" if ":" in host else host
    return f"http://{shown}:{port}"


def _why(problem: Exception, host: str, port: int) -> str:
    number = problem.errno if isinstance(problem, OSError) else None
    if number == errno.EADDRINUSE:
        return f"port {port} on {host} is already in use; choose another with --port (0 takes any free one)"
    if number == errno.EACCES:
        return f"port {port} is not yours to open; choose one of 1024 or more with --port"
    return f"--host {host!r} is no address of this machine; 127.0.0.1 serves only you, 0.0.0.0 the whole network"
