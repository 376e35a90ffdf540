"""Lines of a packed file, which can be read from its beginning only.

A line is placed by how much of the packed file had been taken in when it began, so that ranges of the file are known
before anything is unpacked.
"""

from __future__ import annotations

from io import BufferedReader

from historylab.errors import TooLarge
from historylab.formats.files.archives import FREE_BYTES, MAX_RATIO
from historylab.formats.files.packings import unpack_stream


class PackedLines:
    """The lines of a packed file, from its beginning on, up to where it was `reached`."""

    def __init__(self, file: BufferedReader):
        self._file, self._unpacked = file, unpack_stream(file)
        self._next: tuple[int, bytes] | None = (0, b"")
        self.reached = 0

    def between(self, start: int, stop: int) -> bytes:
        """The lines placed from `start`, which was not passed yet, up to `stop`. TooLarge if they unfold too far."""
        most = left = max(FREE_BYTES, MAX_RATIO * (stop - start))
        self.reached, lines = stop, list[bytes]()
        while self._next and self._next[0] < stop:
            place, line = self._next
            if place >= start:
                lines.append(line)
                left -= len(line)
            place = self._file.tell()
            line = self._unpacked.readline(most)
            if left < 0 or len(line) == most:
                raise TooLarge(f"some of its lines unfold to more than {most / 1e6:,.0f} MB; unpack it")
            self._next = (place, line) if line else None
        return b"".join(lines)
