"""The connections that requests are made over: they can be ended from another thread, and be kept to public addresses.

A client hands each request to `watch`, and with it whoever opens a connection tells where it leads. Closing a client
doesn't wake a thread that waits for an answer; shutting its socket down does.

Where only public addresses are allowed, a name is resolved and judged before anything is connected, so that nobody
learns which ports are open inside; and the request goes to the address that was judged, whatever the name says next.
"""

from __future__ import annotations

import contextlib
import socket
from ipaddress import IPv4Network, IPv6Network, ip_address, ip_network
from socket import getaddrinfo
from threading import Lock
from typing import Any

NOT_PUBLIC: tuple[IPv4Network | IPv6Network, ...] = tuple(
    map(
        ip_network,
        (
            *("::ffff:0:0/96", "64:ff9b::/96", "64:ff9b:1::/48", "2001::/32", "2002::/16"),  # lead to IPv4 addresses
            *("192.0.0.0/24", "192.88.99.0/24", "fec0::/10"),
        ),
    )
)
"""Networks that lead nowhere or into another one, though Python calls some of their addresses global."""


class ClientConnections:
    """The connections of a client. `refused`: a request led to a private address where only public ones are allowed."""

    def __init__(self, *, public_only: bool = False):
        self.refused = False
        self._public_only, self._ended, self._lock = public_only, False, Lock()
        self._open = list[Any]()

    def watch(self, request: Any) -> None:
        """A request is about to be sent. Raises ConnectionAbortedError after `end`."""
        if self._ended:
            raise ConnectionAbortedError("stopped")
        request.extensions["trace"] = self._note
        if self._public_only:
            self._pin(request)

    def end(self) -> None:
        """Shut all connections down, and open none any more."""
        self._ended = True
        with self._lock:
            streams, self._open = self._open, []
        for stream in streams:
            _shut_down(stream)

    def _pin(self, request: Any) -> None:
        """Have the request sent to an address that is public; its host stays what the server and its certificate see.

        Raises ConnectionRefusedError if the host has another one as well.
        """
        host = request.url.raw_host.decode("ascii")
        found = getaddrinfo(host, request.url.port or request.url.scheme, type=socket.SOCK_STREAM)
        addresses = [str(address[0]) for *_, address in sorted(found, key=lambda one: one[0] != socket.AF_INET)]
        if not all(map(is_public, addresses)):
            self._refuse()
        request.url = request.url.copy_with(host=addresses[0])
        request.extensions["sni_hostname"] = host

    def _refuse(self) -> None:
        self.refused = True
        raise ConnectionRefusedError("a private address")

    def _note(self, event: str, about: Any) -> None:
        if not event.endswith((".connect_tcp.complete", ".start_tls.complete")):
            return
        stream = about["return_value"]
        if self._public_only and not is_public(str((stream.get_extra_info("server_addr") or [""])[0])):  # by a proxy
            _shut_down(stream)
            self._refuse()
        with self._lock:
            self._open = [*self._open[-3:], stream]
        if self._ended:
            _shut_down(stream)


def is_public(address: str) -> bool:
    """Tell whether it is an address of one machine on the internet."""
    try:
        found = ip_address(address)
    except ValueError:
        return False
    return found.is_global and not found.is_multicast and not any(found in network for network in NOT_PUBLIC)


def _shut_down(stream: Any) -> None:
    with contextlib.suppress(OSError, AttributeError):  # it is closed already
        stream.get_extra_info("socket").shutdown(socket.SHUT_RDWR)
