"""The body of a request, read whole and within a bound."""

from __future__ import annotations

from starlette.types import Receive

from historylab.proxy.refusals import Refused

LARGEST = 64_000_000  # bytes


class ClientGone(Exception):
    """The client closed its connection."""


async def read_body(receive: Receive, declared: str | None, largest: int = LARGEST) -> bytes:
    """The request's body; `declared`: its length, as its headers say.

    Raises Refused where it is larger than allowed, ClientGone where it never comes.
    """
    pieces: list[bytes] = []
    size, more = 0, True
    if declared is not None and int(declared) > largest:
        raise _too_large(largest)
    while more:
        message = await receive()
        if message["type"] != "http.request":
            raise ClientGone
        pieces.append(message.get("body", b""))
        size += len(pieces[-1])
        if size > largest:
            raise _too_large(largest)
        more = message.get("more_body", False)
    return b"".join(pieces)


def _too_large(largest: int) -> Refused:
    return Refused(413, f"the body has more than {largest:,} bytes", "too_large")


async def until_gone(receive: Receive) -> None:
    """Wait until the client closes its connection; its request was read."""
    while (await receive())["type"] != "http.disconnect":
        pass
