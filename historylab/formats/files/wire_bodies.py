"""Bodies of HTTP requests and answers as they came over the wire: unpacked, decoded, and streams as their events."""

from __future__ import annotations

import json
import struct
import zlib
from collections.abc import Iterator
from typing import Any

from historylab.errors import LoadError, TooLarge
from historylab.formats.files.content import Content
from historylab.formats.files.event_stream import of_events
from historylab.formats.files.packings import GZIP

MOST_UNPACKED, MAX_RATIO = 200_000_000, 10
"""Bytes that the packed bodies of one file may hold, or so many times what they take packed, if that is more."""
PRELUDE, ENDING = 12, 4  # bytes of a frame of AWS' event stream before its headers, and after its payload


class Bodies:
    """The bodies of one file, which share what may be unpacked of them."""

    def __init__(self) -> None:
        self._left = MOST_UNPACKED

    def values(self, body: str | bytes) -> list[Any]:
        """The JSON values that a body holds: one, or those of a stream in their order; none if it holds anything else.

        Raises TooLarge where more is packed than may be unpacked.
        """
        data = body.encode(errors="replace") if isinstance(body, str) else self._unpack(body)
        if framed := list(_framed_events(data)):
            return framed
        try:
            return [value for _, value in of_events(Content(data)).values]
        except LoadError:
            return []

    def _unpack(self, data: bytes) -> bytes:
        if not data.startswith(GZIP):
            return data
        self._left += MAX_RATIO * len(data)
        try:
            unpacked = zlib.decompressobj(31).decompress(data, self._left + 1)
        except zlib.error:
            return b""
        self._left -= len(unpacked)
        if self._left < 0:
            raise TooLarge(f"the packed bodies in this file hold more than {MOST_UNPACKED / 1e6:,.0f} MB; cut it down")
        return unpacked


def _framed_events(data: bytes) -> Iterator[Any]:
    """The events of AWS' binary event stream: `{kind: payload}` each."""
    at = 0
    while at + PRELUDE + ENDING <= len(data):
        size, headers = struct.unpack_from(">II", data, at)
        end = at + size
        if size < PRELUDE + headers + ENDING or end > len(data):
            return
        kind = _event_kind(data[at + PRELUDE : at + PRELUDE + headers])
        try:
            payload = json.loads(data[at + PRELUDE + headers : end - ENDING])
        except (ValueError, RecursionError):
            return
        yield {kind: payload}
        at = end


def _event_kind(headers: bytes) -> str:
    """The value of the header `:event-type`, a text."""
    _, found, rest = headers.partition(b":event-type\x07")
    size = int.from_bytes(rest[:2]) if found else 0
    return rest[2 : 2 + size].decode(errors="replace")
