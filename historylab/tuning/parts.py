"""Parts of a sweep's table: what a worker measured in about a second, and in the part's metadata, of what.

A part is rows of figures, as Parquet or in memory. Its spans say which: so many conversations of a source, each under
the same settings, both named by a digest. So a row needs no columns for that, and what is done is known without
reading rows.
"""

from __future__ import annotations

import json
import secrets
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from historylab.costs.caches.base import Cache
from historylab.errors import needs
from historylab.tuning.columns import Layout, figures_schema, make_figures, text
from historylab.tuning.combine import Row
from historylab.tuning.folders import Folder

with needs('"historylab[formats]"', "a table of a sweep"):
    import pyarrow as pa
    from pyarrow import parquet

if TYPE_CHECKING:
    from pyarrow import Schema, Table

ENDING = ".parquet"
KEY = "historylab.spans"
MOST_CONVERSATIONS = 2**31  # of a source; a part that says more was not written here


class RowSpan(NamedTuple):
    """Rows that follow each other: those of `settings`, for each of the conversations `first` … `stop` - 1 in turn.

    `source` and `settings` are digests; `many` conversations the source has, `remarks` there are on reading it.
    """

    source: str
    many: int
    remarks: int
    first: int
    stop: int
    settings: tuple[str, ...]

    @property
    def rows(self) -> int:
        return (self.stop - self.first) * len(self.settings)


class Done(NamedTuple):
    """One row, and where it belongs: which source, which of its `many` conversations, which candidate.

    `remarks`: what the report of loading the source counts as skipped, or as read with a warning.
    """

    source: int
    conversation: int
    candidate: int
    many: int
    row: Row
    remarks: int = 0


class Count(NamedTuple):
    """Rows measured of a source, which has `many` conversations."""

    source: int
    many: int
    remarks: int
    rows: int = 1


class Rectangle(NamedTuple):
    """Conversations `first` … `stop` - 1 under each of these candidates, by number."""

    first: int
    stop: int
    candidates: tuple[int, ...]


class PartRows:
    """Rows as they are measured, until they are a part; in the order of their sources, conversations, candidates."""

    def __init__(self) -> None:
        self.done: list[Done] = []
        self._areas: list[tuple[int, Rectangle]] = []

    def add(self, done: Done) -> None:
        """Take a row."""
        self.done.append(done)
        source, k, c = done[:3]
        if self._areas and (last := self._areas[-1])[0] == source and last[1].stop == k + 1:
            self._areas[-1] = source, last[1]._replace(candidates=(*last[1].candidates, c))
        else:
            self._join()
            self._areas.append((source, Rectangle(k, k + 1, (c,))))

    def _join(self) -> None:
        """Make one of the last conversation and those before it, where it is of the same source and candidates."""
        if len(self._areas) > 1:
            (one, before), (other, last) = self._areas[-2:]
            if (one, before.stop, before.candidates) == (other, last.first, last.candidates):
                self._areas[-2:] = [(one, before._replace(stop=last.stop))]

    def areas(self, source: int) -> tuple[Rectangle, ...]:
        """The pairs of that source."""
        return tuple(area for number, area in self._areas if number == source)

    def counts(self) -> list[Count]:
        """The number of rows of each source."""
        rows = Counter(done.source for done in self.done)
        return [Count(done.source, done.many, done.remarks, rows[done.source]) for done in self._one_each()]

    def _one_each(self) -> Iterable[Done]:
        return {done.source: done for done in self.done}.values()

    def spans(self, sources: Mapping[int, str], settings: Sequence[str]) -> list[RowSpan]:
        """The pairs, named by digests."""
        self._join()
        about = {done.source: (sources[done.source], done.many, done.remarks) for done in self._one_each()}
        return [
            RowSpan(*about[number], area.first, area.stop, tuple(settings[c] for c in area.candidates))
            for number, area in self._areas
        ]


class Part(NamedTuple):
    """Rows of figures in memory, and which they are."""

    spans: list[RowSpan]
    table: Table


def make_part(rows: PartRows, names: Mapping[int, str], settings: Sequence[str], caches: Iterable[Cache]) -> Part:
    """A part of rows, whose sources and candidates have these names."""
    figures = make_figures([done.row for done in rows.done], figures_schema(caches))
    return Part(rows.spans(names, settings), figures)


def place_rows(
    figures: Table, rows: PartRows, names: Mapping[int, str], paths: Mapping[int, str], layout: Layout
) -> Table:
    """The rows of a part with every column of a table; `conversation` counts those of its source."""
    sources = [done.source for done in rows.done]
    before = {"source": [names[n] for n in sources], "conversation": [done.conversation for done in rows.done]}
    return layout.place(
        figures, [done.candidate for done in rows.done], before, {"file": [text(paths[n]) for n in sources]}
    )


def write_part(folder: Folder, part: Part) -> None:
    """Write a part under a name of its own."""
    lists = {settings: n for n, settings in enumerate(dict.fromkeys(span.settings for span in part.spans))}
    spans = [[*span[:-1], lists[span.settings]] for span in part.spans]
    sink = pa.BufferOutputStream()
    how: dict[str, Any] = {"compression": "zstd", "write_statistics": False, "store_schema": False}
    with parquet.ParquetWriter(sink, part.table.schema, **how) as writer:
        writer.write_table(part.table)
        writer.add_key_value_metadata({KEY: json.dumps({"settings": [*lists], "spans": spans})})
    folder.write(f"part-{secrets.token_hex(8)}{ENDING}", sink.getvalue())


def read_spans(folder: Folder, name: str) -> list[RowSpan]:
    """The spans of a part, without reading its rows. Raises ValueError for a file that is no part."""
    try:
        with folder.open(name) as file:
            about = parquet.read_metadata(file)
        said = json.loads(about.metadata[KEY.encode()])
        lists = [tuple(map(str, settings)) for settings in said["settings"]]
        spans = [RowSpan(str(a), int(b), int(c), int(d), int(e), lists[n]) for a, b, c, d, e, n in said["spans"]]
    except (OSError, pa.ArrowException, ValueError, TypeError, LookupError, OverflowError, RecursionError) as problem:
        raise ValueError(f"{name} is no part of a sweep: {problem}") from None
    there = all(0 <= s.first < s.stop <= s.many < MOST_CONVERSATIONS and s.remarks >= 0 for s in spans)
    if not there or sum(span.rows for span in spans) != about.num_rows:
        raise ValueError(f"{name} is no part of a sweep: it says other rows than it has")
    return spans


def read_part_rows(folder: Folder, name: str, schema: Schema) -> Table:
    """The figures of a part. Raises ValueError for a file that has others."""
    try:
        with folder.open(name) as file:
            return parquet.read_table(file, columns=schema.names).cast(schema)
    except (OSError, pa.ArrowException, ValueError) as problem:
        said = " ".join(str(problem).split())  # Arrow's reasons have several lines
        raise ValueError(f"{name} is no part of a sweep: {said}") from None
