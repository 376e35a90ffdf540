"""The jobs of a sweep: conversations × candidates in batches, one row for each pair, on any worker.

Batches and results can be pickled; the reason why a file could not be read is a result too. A batch ends after about a
second: its rows are a part of the table, which the worker writes, and what is left of it is given out again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from math import ceil
from time import monotonic, thread_time
from typing import NamedTuple

from historylab.conversation.conversation import Conversation
from historylab.errors import HistoryLabError, LoadError
from historylab.formats.files.pieces import Piece
from historylab.formats.load import Conversations as Loaded
from historylab.tuning.columns import Layout
from historylab.tuning.corpus import Source, path_of, picklable_source, read_source_cached
from historylab.tuning.executor import is_ending
from historylab.tuning.folders import Folder
from historylab.tuning.lanes import measure_lanes
from historylab.tuning.parts import Count, Done, Part, PartRows, Rectangle, make_part, place_rows, write_part
from historylab.tuning.replayed import AS_SENT, Lane, MeasureOptions

ENOUGH_PER_WORKER = 2  # conversations: to share them out by settings would cost more than it evens out
BATCHES_PER_WORKER = 8  # so that the slowest one ends soon after the others
MOST_TOGETHER = 3_000  # pairs of a source and settings in a batch: what is left after a second is sent again
SECONDS = 1.0  # of CPU time in a part, which are lost if its worker is
MOST_SECONDS = 5.0  # of a part on the wall, where others use the machine or data is far away
Conversations = Sequence[Conversation]


class Unread(NamedTuple):
    """A source that could not be read, and why; without a reason, it holds no conversation."""

    source: int
    why: str = ""


@dataclass(frozen=True, slots=True)
class Job:
    """The work to do for every conversation."""

    candidates: tuple[Lane, ...]
    options: MeasureOptions

    @property
    def beside(self) -> Lane | None:
        """The lane "as-sent" where it is a candidate: settings are then counted as what was sent is."""
        return AS_SENT if AS_SENT in self.candidates else None


@dataclass(frozen=True, slots=True)
class SourceTask:
    """A source, by number, with its name in parts, and the candidates to run over it, by number.

    `measured`: pairs of a conversation and a candidate that have their row already.
    """

    number: int
    name: str
    source: Source
    candidates: tuple[int, ...]
    measured: tuple[Rectangle, ...] = ()

    @property
    def pairs_measured(self) -> int:
        """The number of pairs that have their row."""
        return sum((area.stop - area.first) * len(area.candidates) for area in self.measured)

    def candidates_left(self, conversation: int) -> list[int]:
        """The candidates that have no row of that conversation."""
        there = {c for first, stop, candidates in self.measured if first <= conversation < stop for c in candidates}
        return [c for c in self.candidates if c not in there]


@dataclass(frozen=True, slots=True)
class Destination:
    """The folder that parts go to (None: they stay in memory), and the names of all candidates in them.

    Parts that are `whole` have every column of the table.
    """

    settings: tuple[str, ...]
    folder: Folder | None = None
    whole: bool = False


@dataclass(frozen=True, slots=True)
class Batch:
    """Some of a job."""

    wanted: tuple[SourceTask, ...]
    job: Job
    target: Destination


class Result(NamedTuple):
    """The result of a batch: how many rows, a part where it stays in memory, and what is left to do, from `begin` on.

    Of the first of that, some pairs are `measured`. `problem` is one with the settings, which no retry would solve.
    """

    counts: tuple[Count | Unread, ...]
    part: Part | None
    begin: int
    measured: tuple[Rectangle, ...] = ()
    problem: str = ""


def run_wanted(wanted: SourceTask, reader: Callable[[Source], Conversations], job: Job) -> Iterator[Done | Unread]:
    """The rows of a source read by `reader`, or the reason why there are none."""
    try:
        conversations = reader(wanted.source)
    except LoadError as problem:
        yield Unread(wanted.number, str(problem))
        return
    if not conversations:
        yield Unread(wanted.number)
    yield from _rows(wanted, conversations, job)


def _rows(wanted: SourceTask, conversations: Conversations, job: Job) -> Iterator[Done]:
    """The rows of conversations, in order.

    What a conversation of a file remembers refers back to it, and would wait for the garbage collector with it: it is
    let go of, unless another batch may have other candidates for it.
    """
    remarks = conversations.report.remarks if isinstance(conversations, Loaded) else 0
    for k, conversation in enumerate(conversations):
        left = wanted.candidates_left(k)
        rows = measure_lanes(conversation, [job.candidates[c] for c in left], job.options, job.beside)
        for c, row in zip(left, rows, strict=True):
            yield Done(wanted.number, k, c, len(conversations), row, remarks)
        if isinstance(wanted.source, Piece) and len(wanted.candidates) == len(job.candidates):
            conversation.derived.clear()


class Writer:
    """Makes a part of the rows of a batch or, in this process, one after the other."""

    def __init__(self, job: Job, target: Destination, wanted: Sequence[SourceTask]):
        self._job, self._target, self._wanted = job, target, {one.number: one for one in wanted}
        self.rows, self._since = PartRows(), (thread_time(), monotonic())

    def is_due(self) -> bool:
        """Tell whether the part holds as much work as may be lost."""
        cpu, wall = self._since
        return thread_time() - cpu > SECONDS or monotonic() - wall > MOST_SECONDS

    def end_part(self) -> Part | None:
        """Write the rows since the last part, or return them as one where parts stay in memory."""
        rows, self.rows, self._since = self.rows, PartRows(), (thread_time(), monotonic())
        if not rows.done:
            return None
        job, target = self._job, self._target
        wanted = {done.source: self._wanted[done.source] for done in rows.done}
        names = {n: one.name for n, one in wanted.items()}
        part = make_part(rows, names, target.settings, job.options.caches)
        if not target.folder:
            return part
        if target.whole:
            paths = {n: path_of(one.source) for n, one in wanted.items()}
            layout = Layout(job.candidates, job.options.caches)
            part = part._replace(table=place_rows(part.table, rows, names, paths, layout))
        write_part(target.folder, part)
        return None


def split_into_batches(todo: Sequence[SourceTask], job: Job, target: Destination, workers: int) -> Iterator[Batch]:
    """Split by conversation, so that facts about one are computed once; if there are few, by candidate too."""
    wanted = workers * BATCHES_PER_WORKER
    together = max(1, min(len(todo) // wanted, MOST_TOGETHER // len(job.candidates)))
    enough = len(todo) >= workers * ENOUGH_PER_WORKER
    shares = 1 if enough or not todo else min(len(job.candidates), ceil(wanted / len(todo)))
    size = ceil(len(job.candidates) / shares)
    for start in range(0, len(todo), together):
        some = [replace(one, source=picklable_source(one.source)) for one in todo[start : start + together]]
        for first in range(0, len(job.candidates), size):
            within = range(first, first + size)
            shared = (replace(one, candidates=tuple(c for c in one.candidates if c in within)) for one in some)
            if given := tuple(one for one in shared if one.candidates):
                yield Batch(given, job, target)


def run_batch(batch: Batch) -> Result:
    """Measure, on a worker, the rows that a second is enough for, or those so far once the work is stopped."""
    writer, unread = Writer(batch.job, batch.target, batch.wanted), list[Unread]()
    at, over, problem = 0, False, ""
    try:
        while at < len(batch.wanted) and not over:
            for one in run_wanted(batch.wanted[at], read_source_cached, batch.job):
                if isinstance(one, Unread):
                    unread.append(one)
                    continue
                writer.rows.add(one)
                if over := is_ending() or writer.is_due():
                    break
            else:
                at, over = at + 1, is_ending() or writer.is_due()
    except HistoryLabError as trouble:
        problem = str(trouble)
    measured = writer.rows.areas(batch.wanted[at].number) if at < len(batch.wanted) else ()
    counts = writer.rows.counts()
    try:
        return Result((*counts, *unread), writer.end_part(), at, measured, problem)
    except HistoryLabError as trouble:
        return Result((), None, 0, problem=str(trouble))


def left_of(batch: Batch, result: Result) -> Batch | None:
    """The rest of a batch that was given back early; None if nothing is left."""
    first, *others = batch.wanted[result.begin :] or [None]
    if first is None:
        return None
    return replace(batch, wanted=(replace(first, measured=(*first.measured, *result.measured)), *others))
