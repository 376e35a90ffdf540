"""The progress of a sweep: pairs of a conversation and settings, and the share of the work by the size of files."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from historylab.conversation.conversation import Conversation
from historylab.formats.files.pieces import Piece
from historylab.tuning.corpus import Source
from historylab.tuning.jobs import SourceTask, Unread
from historylab.tuning.parts import Count

UNKNOWN_SIZE = 1_000  # bytes of a file that only workers can see


@dataclass(frozen=True, slots=True)
class Progress:
    """Pairs `done` of those `known`, and the `share` of the work that is done, from 0 to 1.

    While files are unread, their conversations aren't counted: then `known` is the least there are, and not `certain`.
    """

    done: int
    known: int
    certain: bool
    share: float


class Tally:
    """Counts the pairs of `found` sources and candidates as they are done; those not in `todo` were done before."""

    def __init__(
        self, found: Sequence[Source], candidates: int, todo: Sequence[SourceTask], many: Sequence[int | None]
    ):
        self._candidates = candidates
        sizes = sizes_of(found)
        self._size = [size / max(1, sum(sizes)) for size in sizes]
        self._many = [1 if isinstance(one, Conversation) else known for one, known in zip(found, many, strict=True)]
        lacking = {wanted.number: wanted for wanted in todo}
        self._done = self._known = 0
        self._share = 0.0
        for number, known in enumerate(self._many):
            pairs = (1 if known is None else known) * candidates
            wanted = lacking.get(number)
            left = (1 if known is None else known) * len(wanted.candidates) - wanted.pairs_measured if wanted else 0
            self._known += pairs
            self._done += pairs - left
            self._share += self._size[number] * (pairs - left) / max(1, pairs)
        self._unread = {n for n, known in enumerate(self._many) if known is None and n in lacking}

    def add(self, one: Count | Unread) -> None:
        """Count rows of a source, or a source that has none."""
        number, many, rows = one.source, *((one.many, one.rows) if isinstance(one, Count) else (0, 0))
        if number in self._unread:
            self._unread.remove(number)
            self._known += (many - 1) * self._candidates
            self._share += 0 if many else self._size[number]
        if many:
            self._done += rows
            self._share += self._size[number] * rows / (many * self._candidates)

    def now(self) -> Progress:
        """The progress so far."""
        return Progress(self._done, self._known, not self._unread, min(1.0, self._share))


def sizes_of(found: Sequence[Source]) -> list[float]:
    """The work that each source is beside the others: its bytes, or the characters of a conversation."""
    rows: dict[str, int] = {}  # of a Parquet file
    for source in found:
        if isinstance(source, Piece) and source.stop is not None:
            rows[source.path] = max(rows.get(source.path, 0), source.stop)
    return [_size(source, rows) for source in found]


def _size(source: Source, stops: dict[str, int]) -> float:
    if isinstance(source, Conversation):
        return 1.0 + sum(len(message.content) for message in source)
    size = source.stamp[0] or UNKNOWN_SIZE
    if source.stop is None:
        return size
    return size * (source.stop - source.start) / stops[source.path]
