"""The ledger of a sweep: which of its rows are measured, and in which part; the same sweep goes on from there.

Parts lie in a folder beside the table, or in memory. A row is found again by what it was measured from: its source as
it is now (a file's size and time of change, or a conversation's content), the settings that have an effect, prices,
questions, must-remember messages, and this code. Anything else is measured anew; rows of other sweeps stay there.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from historylab.errors import HistoryLabError, needs
from historylab.tuning.columns import Layout
from historylab.tuning.corpus import Source, path_of
from historylab.tuning.folders import Folder
from historylab.tuning.identity import settings_digest, source_digest
from historylab.tuning.jobs import Job, SourceTask
from historylab.tuning.parts import ENDING, Part, Rectangle, RowSpan, read_part_rows, read_spans

with needs('"historylab[formats]"', "a table of a sweep"):
    import pyarrow as pa

if TYPE_CHECKING:
    from pyarrow import Table

ROWS = 10_000  # of a table that are in memory at once
PARTS = 16  # of these, the parts that were read last


class Ledger:
    """The measured rows of a job over the `found` sources, in parts in a `folder` or in memory.

    `torn` counts the parts that can't be read: a loss of power may leave one. Of rows on disk it holds only the places.
    """

    def __init__(self, found: Sequence[Source], job: Job, folder: Folder | None = None):
        self.folder, self.torn, self._found = folder, 0, found
        self.layout = Layout(job.candidates, job.options.caches)
        self.sources = [source_digest(source) if folder else str(n) for n, source in enumerate(found)]
        every = range(len(job.candidates))
        self.settings = [settings_digest(job.candidates, c, job.options) if folder else str(c) for c in every]
        self._numbers = {name: n for n, name in enumerate(dict.fromkeys(self.sources))}
        self._part = lru_cache(PARTS)(self.figures_of)
        self.read()

    def read(self) -> None:
        """Look anew which parts are in the folder."""
        self.torn, self._parts, self._sizes = 0, list[Any](), list[int]()
        self._index = tuple(array("q") for _ in range(5))  # per span: source, first, stop, settings, its first row
        self._lists = dict[tuple[str, ...], int]()
        self._about = dict[int, tuple[int, int]]()
        self._part.cache_clear()
        for name in self.folder.names(ENDING) if self.folder else ():
            try:
                self._note(read_spans(self.home, name), name)
            except ValueError:
                self.torn += 1

    def add(self, part: Part) -> None:
        """Take a part that is in memory."""
        self._note(part.spans, part.table)

    def _note(self, spans: Sequence[RowSpan], part: str | Table) -> None:
        row, here = 0, len(self._parts)
        for span in spans:
            if (source := self._numbers.get(span.source)) is not None:
                self._about[source] = span.many, span.remarks
                settings = self._lists.setdefault(span.settings, len(self._lists))
                for column, value in zip(
                    self._index, (source, span.first, span.stop, settings, here << 32 | row), strict=True
                ):
                    column.append(value)
            row += span.rows
        self._parts.append(part)
        self._sizes.append(row)

    @property
    def home(self) -> Folder:
        """The folder of its parts, where they aren't in memory."""
        assert self.folder
        return self.folder

    @property
    def paths(self) -> list[str]:
        """The path of each source."""
        return [path_of(source) for source in self._found]

    # -- what is there

    def about(self, number: int) -> tuple[int, int] | None:
        """The number of conversations in a source and of remarks on reading it; None if nothing of it is measured."""
        return self._about.get(self._numbers[self.sources[number]])

    def todo(self) -> list[SourceTask]:
        """The work that is still to be done, a task per source."""
        wanted, every = list[SourceTask](), np.arange(len(self.settings))
        for number, (ks, at) in enumerate(self._places()):
            there = at >= 0
            many = (self.about(number) or (0, 0))[0]
            whole = there.all(axis=0) & (many > 0) & (len(ks) == many)
            if whole.all():
                continue
            lacking = every[~whole]
            areas = _areas(ks, there, set(lacking.tolist()))
            name = self.sources[number]
            wanted.append(SourceTask(number, name, self._found[number], tuple(lacking.tolist()), areas))
        return wanted

    def _places(self) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """For each source the conversations that have rows, and where these are, by conversation and candidate.

        A place is `part << 32 | row`; -1 where there is none.
        """
        place = self._open_places()
        return (place(number) for number in range(len(self.sources)))

    def _open_places(self) -> Callable[[int], tuple[np.ndarray, np.ndarray]]:
        of, *columns = (np.array(column, np.int64) for column in self._index)
        order = np.argsort(of, kind="stable")
        bounds = np.searchsorted(of[order], np.arange(len(self._numbers) + 1)).tolist()
        picks = [self._pick(each) for each in self._lists]

        def place(number: int) -> tuple[np.ndarray, np.ndarray]:
            n = self._numbers[self.sources[number]]
            mine = order[bounds[n] : bounds[n + 1]]
            spans = list(zip(*(column[mine].tolist() for column in columns), strict=True))
            return _places_of(spans, picks, len(self.settings))

        return place

    def _pick(self, settings: Sequence[str]) -> tuple[np.ndarray, np.ndarray, int]:
        """The candidates that are among these settings, the place of each, and how many settings there are."""
        where = {name: n for n, name in reversed([*enumerate(settings)])}
        found = [(c, where[name]) for c, name in enumerate(self.settings) if name in where]
        candidates, places = np.array(found, np.int64).reshape(-1, 2).T
        return candidates, places, len(settings)

    # -- the rows

    def rows_by_part(self) -> list[tuple[str, int, int]]:
        """Of each part its name, how many rows of this sweep only it has, and how many rows there are in it."""
        rows = np.zeros(len(self._parts), np.int64)
        for number, (_, at) in enumerate(self._places()):
            if self._numbers[self.sources[number]] == number:
                rows += np.bincount(at[at >= 0] >> 32, minlength=len(rows))
        return list(zip(self._parts, rows.tolist(), self._sizes, strict=True))

    def rows_in(self, part: int) -> Iterator[tuple[int, int, int, int, int, int]]:
        """The rows of this sweep in a part, in order: source, how many conversations it has, remarks; conversation,
        candidate; and where in the part.
        """
        of, at = (np.array(column, np.int64) for column in (self._index[0], self._index[-1]))
        place = self._open_places()
        for source in np.unique(of[at >> 32 == part]).tolist():
            ks, places = place(source)
            for k, c in zip(*np.nonzero((places >= 0) & (places >> 32 == part)), strict=True):
                yield source, *self._about[source], int(ks[k]), int(c), int(places[k, c]) & 0xFFFFFFFF

    def tables(self) -> Iterator[Table]:
        """The table, a few rows at a time: by source, conversation and candidate."""
        number, held, rows = 0, list[Any](), 0
        for source, (ks, at) in enumerate(self._places()):
            k, c = np.nonzero(at >= 0)
            if len(k):
                held.append((np.full(len(k), source), number + k, c, at[k, c]))
                number, rows = number + len(ks), rows + len(k)
            if rows >= ROWS:
                yield self._table(held)
                held, rows = [], 0
        if held or not number:
            yield self._table(held)

    def _table(self, held: Sequence[Any]) -> Table:
        empty = [np.zeros(0, np.int64)] * 4
        source, number, candidate, at = map(np.concatenate, zip(*held, strict=True)) if held else empty
        figures = self._figures(at)
        paths = pa.array([path_of(self._found[n]) for n in np.unique(source)], pa.string())
        file = paths.take(pa.array(np.unique(source, return_inverse=True)[1]))
        return self.layout.place(figures, candidate, {"conversation": number}, {"file": file})

    def _figures(self, at: np.ndarray) -> Table:
        """The figures at some places."""
        parts, rows = at >> 32, at & 0xFFFFFFFF
        tables, begins = [self.layout.figures.empty_table()], np.zeros(len(self._parts) + 1, np.int64)
        for n in np.unique(parts).tolist():
            begins[n] = sum(map(len, tables))
            tables.append(self._part(n))
        return pa.concat_tables(tables).take(pa.array(begins[parts] + rows))

    def figures_of(self, number: int) -> Table:
        """The figures of a part."""
        part = self._parts[number]
        if not isinstance(part, str):
            return part
        try:
            return read_part_rows(self.home, part, self.layout.figures)
        except ValueError as problem:
            raise HistoryLabError(f"{self.home.path}: {problem}; remove it, and it is measured again") from None


def _places_of(
    spans: Sequence[tuple[int, int, int, int]], picks: Sequence[tuple[np.ndarray, np.ndarray, int]], candidates: int
) -> tuple[np.ndarray, np.ndarray]:
    if not spans:
        return np.zeros(0, np.int64), np.full((0, candidates), -1)
    ks = np.unique(np.concatenate([np.arange(first, stop) for first, stop, *_ in spans]))
    at = np.full((len(ks), candidates), -1)
    for first, stop, settings, begin in reversed(spans):  # what was measured twice stands once
        chosen, places, width = picks[settings]
        rows = np.arange(stop - first)[:, None] * width + places + begin
        at[np.searchsorted(ks, first) + np.arange(stop - first)[:, None], chosen] = rows
    return ks, at


def _areas(ks: np.ndarray, there: np.ndarray, lacking: set[int]) -> tuple[Rectangle, ...]:
    """The pairs that are there of candidates that some conversation lacks."""
    found: list[Rectangle] = []
    for k, row in zip(ks.tolist(), there, strict=True):
        candidates = tuple(c for c in np.flatnonzero(row).tolist() if c in lacking)
        if found and found[-1].stop == k and found[-1].candidates == candidates:
            found[-1] = found[-1]._replace(stop=k + 1)
        elif candidates:
            found.append(Rectangle(k, k + 1, candidates))
    return tuple(found)
