"""Packed files (gzip, Zstandard), unpacked as they are read. Needs pyarrow."""

from __future__ import annotations

from io import BufferedReader, RawIOBase
from typing import Any

from historylab.errors import LoadError

GZIP, ZSTD = b"\x1f\x8b", b"(\xb5/\xfd"
PACKINGS = {GZIP: "gzip", ZSTD: "zstd"}
"""First bytes of a packed file → pyarrow's name for how it is packed."""

AT_ONCE = 64_000  # bytes unpacked at once: part of what places lines in a packed file
DAMAGED = "this archive is damaged; get it whole"
MISSING = 'this is packed; unpacking it needs pyarrow: pip install "historylab[formats]"'


def packing_of(head: bytes) -> str:
    """The packing of a file that begins so; empty for another file."""
    return next((packing for mark, packing in PACKINGS.items() if head.startswith(mark)), "")


def unpack_stream(file: BufferedReader) -> BufferedReader:
    """The bytes that a packed file stands for; the file itself, if it isn't. Every fault of theirs is a LoadError."""
    packing = packing_of(file.peek(4))
    if not packing:
        return file
    try:
        import pyarrow
    except ImportError:
        raise LoadError(MISSING) from None
    return BufferedReader(_Unpacked(pyarrow.input_stream(file, packing)), AT_ONCE)


class _Unpacked(RawIOBase):
    """A stream of pyarrow's, whose errors share no base."""

    def __init__(self, stream: Any):
        self._stream = stream

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        try:
            return int(self._stream.readinto(buffer))
        except LoadError:
            raise
        except Exception:
            raise LoadError(DAMAGED) from None
