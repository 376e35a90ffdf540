"""The jobs of a sweep: conversations × candidates in batches, one row for each pair, on any worker.

Batches and results can be pickled; the reason why a file could not be read is a result too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from math import ceil
from typing import Any, NamedTuple

from historylab.conversation.conversation import Conversation
from historylab.errors import HistoryLabError, LoadError
from historylab.formats.files.pieces import Piece
from historylab.formats.load import Conversations as Loaded
from historylab.tuning.corpus import Source, picklable_source, read_source_cached
from historylab.tuning.executor import is_ending
from historylab.tuning.lanes import measure_lanes
from historylab.tuning.replayed import AS_SENT, Lane, MeasureOptions

ENOUGH_PER_WORKER = 2  # conversations: to share them out by settings would cost more than it evens out
BATCHES_PER_WORKER = 8  # so that the slowest one ends soon after the others
MOST_TOGETHER = 32  # pairs of a source and settings in a batch, whose rows come when it is done
Row = dict[str, Any]
Conversations = Sequence[Conversation]


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
        """Decisions of others among the candidates, beside which the settings are counted as those."""
        return AS_SENT if AS_SENT in self.candidates else None


@dataclass(frozen=True, slots=True)
class Part:
    """A source, by number, and the candidates to run over it, by number.

    `measured`: pairs of a conversation and a candidate that have their row already.
    """

    number: int
    source: Source
    candidates: tuple[int, ...]
    measured: frozenset[tuple[int, int]] = frozenset()


@dataclass(frozen=True, slots=True)
class Batch:
    """Some parts of a job."""

    parts: tuple[Part, ...]
    job: Job


def run_part(part: Part, reader: Callable[[Source], Conversations], job: Job) -> Iterator[Done | Unread]:
    """The rows of a source read by `reader`, or the reason why there are none."""
    try:
        conversations = reader(part.source)
    except LoadError as problem:
        yield Unread(part.number, str(problem))
        return
    if not conversations:
        yield Unread(part.number)
    yield from _rows(part, conversations, job)


def _rows(part: Part, conversations: Conversations, job: Job) -> Iterator[Done]:
    """The rows of conversations, in order.

    What a conversation of a file remembers refers back to it, and would wait for the garbage collector with it: it is
    let go of, unless another batch may have other candidates for it.
    """
    remarks = conversations.report.remarks if isinstance(conversations, Loaded) else 0
    for k, conversation in enumerate(conversations):
        wanted = [c for c in part.candidates if (k, c) not in part.measured]
        rows = measure_lanes(conversation, [job.candidates[c] for c in wanted], job.options, job.beside)
        for c, row in zip(wanted, rows, strict=True):
            yield Done(part.number, k, c, len(conversations), row, remarks)
        if isinstance(part.source, Piece) and len(part.candidates) == len(job.candidates):
            conversation.derived.clear()


def split_into_batches(parts: Sequence[Part], job: Job, workers: int) -> Iterator[Batch]:
    """Split by conversation, so that facts about one are computed once; if there are few, by candidate too."""
    wanted = workers * BATCHES_PER_WORKER
    together = max(1, min(len(parts) // wanted, MOST_TOGETHER // len(job.candidates)))
    enough = len(parts) >= workers * ENOUGH_PER_WORKER
    shares = 1 if enough or not parts else min(len(job.candidates), ceil(wanted / len(parts)))
    size = ceil(len(job.candidates) / shares)
    for start in range(0, len(parts), together):
        some = [replace(part, source=picklable_source(part.source)) for part in parts[start : start + together]]
        for first in range(0, len(job.candidates), size):
            within = range(first, first + size)
            shared = (replace(part, candidates=tuple(c for c in part.candidates if c in within)) for part in some)
            if given := tuple(part for part in shared if part.candidates):
                yield Batch(given, job)


def run_batch(batch: Batch) -> list[Done | Unread] | str:
    """On a worker: the rows of a batch, or the problem with its settings as text, which no retry would solve.

    Where the work is stopped meanwhile: the rows so far.
    """
    rows: list[Done | Unread] = []
    try:
        for part in batch.parts:
            for done in run_part(part, read_source_cached, batch.job):
                rows.append(done)
                if is_ending():
                    return rows
    except HistoryLabError as problem:
        return str(problem)
    return rows
