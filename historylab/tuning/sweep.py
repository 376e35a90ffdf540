"""Sweep: many settings over many conversations, as one tidy table with a row for each pair.

    table = sweep([conversation, "more.jsonl"], grid(Settings(), budget=[4000, 8000], pruner=["fifo", "summarize"]))

Every message is counted once per conversation and counter, whatever is swept. The work runs in this process, over
processes of ours (`workers=2`), or on any executor handed in (`dask.distributed`'s `Client(…).get_executor()`); the
table is the same. Files are read where the work is done; one that can't be read is skipped, and named. With a file to
write to (`out="sweep.parquet"`), or a folder (`out="sweep/"`), workers write what they measured in a second as a part
of the table, and the same call goes on where an earlier one ended.
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
from historylab.tuning.corpus import path_of, read_source, to_sources
from historylab.tuning.executor import Workers, run_batches
from historylab.tuning.folders import Folder
from historylab.tuning.grid import grid, random_search
from historylab.tuning.jobs import (
    BATCHES_PER_WORKER,
    Destination,
    Job,
    SourceTask,
    Unread,
    Writer,
    left_of,
    run_batch,
    run_wanted,
    split_into_batches,
)
from historylab.tuning.ledger import Ledger
from historylab.tuning.manifest import begin_parts, is_parts_folder, leave_parts
from historylab.tuning.parts import Count, Part
from historylab.tuning.replayed import Lane, MeasureOptions, Questions, Stars
from historylab.tuning.sampled import draw_sources
from historylab.tuning.table import add_sample, check_table_name, make_table, write_tables
from historylab.tuning.tally import Progress, Tally

if TYPE_CHECKING:
    from historylab.tuning.table import DataFrame

__all__ = ["Sweep", "Swept", "grid", "random_search", "sweep"]

AT_LEAST_AT_ONCE = 32  # batches given to an executor whose size we don't know
Given = Conversation | Piece | str | os.PathLike[str]
Told = Callable[[Progress], object] | None
Keep = Callable[[Part], object]
ENDING = ".parts"  # of the folder beside a table


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
    sample: int | None = None,
    seed: int = 0,
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
        out: a file for the table, .parquet, .csv or .jsonl, or a folder that its parts are left in, as Parquet, with
            `_manifest.json`. The parts of a file are in a folder beside it (`sweep.parquet.parts`), at the same path on
            every worker. What they hold is not measured again.
        sample: so many conversations, of every length, in place of all; `seed` decides which. The column `sample` and
            `table.attrs["sample"]` say so.

    Raises NothingRead when no file could be read; LoadError if `strict` and one couldn't; HistoryLabError with the
    settings' problem; WorkerLost when workers die again and again.
    """
    options = MeasureOptions(all_caches() if caches is None else tuple(caches), prices, stars, questions)
    elsewhere = workers, executor
    work = Sweep(
        conversations, candidates, options, *elsewhere, strict=strict, cancelled=cancelled, sample=sample, seed=seed
    )
    told = (lambda now: progress(now.done, now.known)) if progress else None
    ledger = work.ledger(None if out is None else os.fspath(out))
    swept = work.measure(ledger, told) if out is None else work.write(ledger, os.fspath(out), told)
    table = work.table(ledger)
    table.attrs.update(cancelled=swept.cancelled, skipped=swept.skipped, partly_read=swept.partly_read)
    table.attrs.update({"sample": work.sampled} if work.sampled else {})
    return table


@dataclass
class Swept:
    """The result of a sweep: its rows, how many of them were there before, and what could not be read.

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
        sample: int | None = None,
        seed: int = 0,
    ):
        given = (
            [conversations] if isinstance(conversations, Conversation | Piece | str | os.PathLike) else conversations
        )
        self.found, self.job = list(to_sources(given)), Job(tuple(candidates), options)
        if not self.job.candidates:
            raise SettingsError("there are no settings to sweep; give at least one")
        self.sampled = ""
        if sample is not None:
            taken = draw_sources(self.found, sample, seed)
            self.found, self.sampled = list(taken.sources), str(taken)
        self._workers, self._executor, self._strict, self._cancelled = workers, executor, strict, cancelled

    def ledger(self, out: str | None = None) -> Ledger:
        """The ledger of the parts beside that table or in that folder; without either, of parts in memory."""
        if out is None:
            return Ledger(self.found, self.job)
        if not is_parts_folder(out):
            check_table_name(out)
        folder = Folder(os.path.abspath(out if is_parts_folder(out) else out + ENDING))
        folder.make()
        return Ledger(self.found, self.job, folder)

    def write(self, ledger: Ledger, out: str, told: Told = None) -> Swept:
        """Measure what the ledger lacks, and write the table it makes; into a folder, the manifest of its parts."""
        if is_parts_folder(out):
            begin_parts(ledger)
        swept = self.measure(ledger, told, whole=is_parts_folder(out))
        if not swept.rows and swept.cancelled:
            return swept
        counted = swept.rows
        if is_parts_folder(out):
            read = {"skipped": swept.skipped, "partly_read": swept.partly_read}
            read |= {"sample": self.sampled} if self.sampled else {}
            swept.rows = leave_parts(ledger, {"complete": not swept.cancelled, **read})
        else:
            swept.rows = write_tables(add_sample(ledger.tables(), self.sampled), out)
        if swept.rows < counted:
            lost = f"{counted - swept.rows:,} of {counted:,} rows that workers wrote aren't in {ledger.home.path}"
            raise HistoryLabError(f"{lost}: every worker has to see that folder, and nobody else may change it")
        return swept

    def table(self, ledger: Ledger) -> DataFrame:
        """The table of the rows that are there, by source, conversation and candidate."""
        return make_table(add_sample(ledger.tables(), self.sampled))

    def measure(self, ledger: Ledger, told: Told = None, *, whole: bool = False) -> Swept:
        """Measure what the ledger lacks. Parts that are `whole` have every column of the table."""
        todo, target = ledger.todo(), Destination(tuple(ledger.settings), ledger.folder, whole)
        known = [ledger.about(number) for number in range(len(self.found))]
        tally = Tally(self.found, len(self.job.candidates), todo, [about and about[0] for about in known])
        remarks = {number: about[1] for number, about in enumerate(known) if about}
        before, unread = tally.now().done, dict[int, str]()
        if told and before:
            told(tally.now())
        for one in self._measure(todo, target, ledger.add):
            if isinstance(one, Count):
                remarks[one.source] = one.remarks
            elif one.why:
                if self._strict:
                    raise LoadError(one.why)
                unread[one.source] = one.why
            tally.add(one)
            if told:
                told(tally.now())
        if ledger.folder:
            ledger.read()
        swept = Swept(tally.now().done, before, self._cancelled())
        self._name(swept, unread, remarks)
        return swept

    def _name(self, swept: Swept, unread: Mapping[int, str], remarks: Mapping[int, int]) -> None:
        for number in sorted(unread):
            swept.skipped.setdefault(path_of(self.found[number]), unread[number])
        if swept.skipped and not swept.rows and not swept.cancelled:
            raise NothingRead(swept.skipped)
        for number, count in remarks.items():
            if count:
                path = path_of(self.found[number])
                swept.partly_read[path] = swept.partly_read.get(path, 0) + count

    # -- where the work is done

    def _measure(self, todo: Sequence[SourceTask], target: Destination, keep: Keep) -> Iterator[Count | Unread]:
        if self._executor is None and (self._workers or 1) <= 1:
            return self._here(todo, target, keep)
        return self._elsewhere(todo, target, keep)

    def _here(self, todo: Sequence[SourceTask], target: Destination, keep: Keep) -> Iterator[Count | Unread]:
        writer = Writer(self.job, target, todo)
        try:
            for wanted in todo:
                for one in run_wanted(wanted, read_source, self.job):
                    if isinstance(one, Unread):
                        yield one
                        continue
                    writer.rows.add(one)
                    if writer.is_due() and (part := writer.end_part()):
                        keep(part)
                    yield Count(one.source, one.many, one.remarks)
                    if self._cancelled():
                        return
        finally:
            if part := writer.end_part():
                keep(part)

    def _elsewhere(self, todo: Sequence[SourceTask], target: Destination, keep: Keep) -> Iterator[Count | Unread]:
        many = self._workers or 2 * BATCHES_PER_WORKER
        at_once = max(2 * many, AT_LEAST_AT_ONCE if self._executor else 0)
        batches = split_into_batches(todo, self.job, target, many)
        if not todo:
            return
        with Workers(self._executor, many) as opened:
            found = run_batches(
                run_batch,
                batches,
                opened,
                at_once=at_once,
                left_of=left_of,
                cancelled=self._cancelled,
                end_early=opened.end_early,
            )
            for _, result in found:
                if result.part:
                    keep(result.part)
                if result.problem:
                    raise HistoryLabError(result.problem)
                yield from result.counts
