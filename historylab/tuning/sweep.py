"""Sweep: many settings over many conversations, as one tidy table with a row for each pair.

    table = sweep([conversation, "more.jsonl"], grid(Settings(), budget=[4000, 8000], pruner=["fifo", "summarize"]))

Every message is counted once per conversation and counter, whatever is swept. The work runs in this process, over
processes of ours (`workers=2`), or on any executor handed in (`dask.distributed`'s `Client(…).get_executor()`); the
table is the same. Files are read where the work is done; one that can't be read is skipped, and named. With a file to
write to (`out="sweep.parquet"`), rows are on disk as they come, and the same call goes on where an earlier one ended.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from historylab.conversation.conversation import Conversation
from historylab.costs.caches.base import Cache, all_caches
from historylab.errors import HistoryLabError, LoadError, NothingRead, SettingsError
from historylab.formats.files.pieces import Piece
from historylab.pricing import Prices
from historylab.tuning.corpus import Source, read_source, to_sources
from historylab.tuning.executor import Workers, run_batches
from historylab.tuning.grid import grid, random_search
from historylab.tuning.jobs import BATCHES_PER_WORKER, Done, Job, Part, Unread, run_batch, run_part, split_into_batches
from historylab.tuning.journal import ENDING, Journal
from historylab.tuning.replayed import Lane, MeasureOptions, Questions, Stars
from historylab.tuning.table import Placed, check_table_name, make_table, write_rows
from historylab.tuning.tally import Progress, Tally

if TYPE_CHECKING:
    from historylab.tuning.table import DataFrame

__all__ = ["Sweep", "Swept", "grid", "random_search", "sweep"]

AT_LEAST_AT_ONCE = 32  # batches given to an executor whose size we don't know
Given = Conversation | Piece | str | os.PathLike[str]
Told = Callable[[Progress], object] | None


def sweep(
    conversations: Given | Iterable[Given],
    candidates: Iterable[Lane],
    *,
    workers: int | None = None,
    executor: Executor | None = None,
    caches: Sequence[Cache] | None = None,
    prices: Prices | None = None,
    stars: Stars | None = None,
    questions: Questions = (),
    strict: bool = False,
    progress: Callable[[int, int], None] | None = None,
    cancelled: Callable[[], bool] = lambda: False,
    out: str | os.PathLike[str] | None = None,
) -> DataFrame:
    """A row per conversation × settings: where it comes from, the settings that differ, and `measures.COLUMNS`.

    A candidate may be "as-sent": a row of what was really sent, its figures NaN where the file doesn't say, beside
    which settings are counted as each file was recorded (`adopt_recorded`).

    `settings` holds, as JSON, what differs from the defaults, so that any row can be run again: `settings_of(row)`. A
    file that can't be read is skipped: `table.attrs["skipped"]` maps its path to the reason. `attrs["partly_read"]`
    maps the path of any other to how many of its records were skipped or read with a warning, if any were.

    Args:
        conversations: conversations, or paths of files (all conversations in them).
        workers: processes to start; None or 1 works in this one.
        executor: a running executor to use instead, with `workers` saying how many work for it.
        caches, prices, stars, questions: see `MeasureOptions`. The default is every cache model, and the prices of each
            candidate's model.
        strict: stop at the first file that can't be read.
        progress: called with (pairs done, pairs known of) in this process.
        cancelled: asked often; once it says True, the rows done so far are the table (`table.attrs["cancelled"]`).
        out: a file for the table, .parquet, .csv or .jsonl. Its rows are in a journal beside it as soon as they are
            measured, and those found there are not measured again.

    Raises NothingRead when no file could be read; LoadError if `strict` and one couldn't; HistoryLabError with the
    settings' problem; WorkerLost when workers die again and again.
    """
    options = MeasureOptions(all_caches() if caches is None else tuple(caches), prices, stars, questions)
    work = Sweep(conversations, candidates, options, workers, executor, strict=strict, cancelled=cancelled)
    told = (lambda now: progress(now.done, now.known)) if progress else None
    if out is None:
        swept, table = work.measure(told)
    else:
        with work.journal(os.fspath(out)) as journal:
            swept = work.write(journal, os.fspath(out), told)
            table = work.table(journal.rows())
    table.attrs.update(cancelled=swept.cancelled, skipped=swept.skipped, partly_read=swept.partly_read)
    return table


@dataclass
class Swept:
    """What came of a sweep: its rows, how many of them were there before, and what could not be read.

    `skipped` and `partly_read` are by path, as `sweep` says.
    """

    rows: int
    before: int
    cancelled: bool = False
    skipped: dict[str, str] = field(default_factory=dict)
    partly_read: dict[str, int] = field(default_factory=dict)


class Sweep:
    """The work of a sweep, by the arguments of `sweep`."""

    def __init__(
        self,
        conversations: Given | Iterable[Given],
        candidates: Iterable[Lane],
        options: MeasureOptions,
        workers: int | None = None,
        executor: Executor | None = None,
        *,
        strict: bool = False,
        cancelled: Callable[[], bool] = lambda: False,
    ):
        given = (
            [conversations] if isinstance(conversations, Conversation | Piece | str | os.PathLike) else conversations
        )
        self.found, self.job = list(to_sources(given)), Job(tuple(candidates), options)
        if not self.job.candidates:
            raise SettingsError("there are no settings to sweep; give at least one")
        self._workers, self._executor, self._strict, self._cancelled = workers, executor, strict, cancelled

    def measure(self, told: Told = None) -> tuple[Swept, DataFrame]:
        """Measure every pair, into a table in memory."""
        done: list[Done] = []
        swept = self._run(done.append, told)
        return swept, self.table(sorted(done, key=lambda one: one[:3]))

    def journal(self, out: str) -> Journal:
        """The journal beside that table, with the rows of this sweep that are there. Open it with `with`."""
        check_table_name(out)
        return Journal(out + ENDING, self.found, self.job)

    def write(self, journal: Journal, out: str, told: Told = None) -> Swept:
        """Measure what the journal lacks, and write the table that it makes."""
        swept = self._run(journal.add, told, journal)
        if swept.rows or not swept.cancelled:
            write_rows(lambda: self._place(journal.rows()), self.job.candidates, out)
        return swept

    def table(self, done: Iterable[Done]) -> DataFrame:
        """The table of these rows, which come by source, conversation and candidate."""
        return make_table(self._place(done), self.job.candidates)

    def _run(self, take: Callable[[Done], object], told: Told = None, journal: Journal | None = None) -> Swept:
        """Hand every row to `take` as it is measured, but for those the journal has."""
        todo = journal.todo() if journal else self._all_parts()
        known = [journal.about(number) if journal else None for number in range(len(self.found))]
        tally = Tally(self.found, len(self.job.candidates), todo, [about and about[0] for about in known])
        remarks = {number: about[1] for number, about in enumerate(known) if about}
        before, unread = tally.now().done, dict[int, str]()
        if told and before:
            told(tally.now())
        for one in self._measure_parts(todo):
            if isinstance(one, Done):
                take(one)
                remarks[one.source] = one.remarks
            elif one.why:
                if self._strict:
                    raise LoadError(one.why)
                unread[one.source] = one.why
            tally.add(one)
            if told:
                told(tally.now())
        swept = Swept(tally.now().done, before, self._cancelled())
        self._name(swept, unread, remarks)
        return swept

    def _name(self, swept: Swept, unread: Mapping[int, str], remarks: Mapping[int, int]) -> None:
        for number in sorted(unread):
            swept.skipped.setdefault(_path(self.found[number]), unread[number])
        if swept.skipped and not swept.rows and not swept.cancelled:
            raise NothingRead(swept.skipped)
        for number, count in remarks.items():
            if count:
                path = _path(self.found[number])
                swept.partly_read[path] = swept.partly_read.get(path, 0) + count

    def _place(self, done: Iterable[Done]) -> Iterator[Placed]:
        number, last = -1, (-1, -1)
        for one in done:
            number += last != one[:2]
            last = one[:2]
            origin = {"conversation": number, "title": one.row["title"], "file": _path(self.found[one.source])}
            yield origin, one.candidate, one.row

    # -- where the work is done

    def _all_parts(self) -> list[Part]:
        every = tuple(range(len(self.job.candidates)))
        return [Part(number, source, every) for number, source in enumerate(self.found)]

    def _measure_parts(self, todo: Sequence[Part]) -> Iterator[Done | Unread]:
        if self._executor is None and (self._workers or 1) <= 1:
            return self._here(todo)
        return self._elsewhere(todo)

    def _here(self, todo: Sequence[Part]) -> Iterator[Done | Unread]:
        for part in todo:
            for done in run_part(part, read_source, self.job):
                yield done
                if self._cancelled():
                    return

    def _elsewhere(self, todo: Sequence[Part]) -> Iterator[Done | Unread]:
        many = self._workers or 2 * BATCHES_PER_WORKER
        at_once = max(2 * many, AT_LEAST_AT_ONCE if self._executor else 0)
        batches = split_into_batches(todo, self.job, many)
        if not todo:
            return
        with Workers(self._executor, many) as opened:
            stops = {"cancelled": self._cancelled, "end_early": opened.end_early}
            for _, result in run_batches(run_batch, batches, opened, at_once=at_once, **stops):
                if isinstance(result, str):
                    raise HistoryLabError(result)
                yield from result


def _path(source: Source) -> str:
    """Where a source is read from; empty for a conversation that was handed in."""
    return "" if isinstance(source, Conversation) else source.path
