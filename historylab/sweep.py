"""Sweep: many settings over many conversations, as one tidy table with a row for each pair.

    table = sweep([conversation, "more.jsonl"], grid(Settings(), budget=[4000, 8000], pruner=["fifo", "summarize"]))

Every message is counted once per conversation and counter, whatever is swept. The work runs in this process, over
processes of ours (`workers=2`), or on any executor handed in (`dask.distributed`'s `Client(…).get_executor()`); the
table is the same. Files are read where the work is done.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from math import ceil
from typing import TYPE_CHECKING, Any, NamedTuple

from historylab.batches import Workers, run_batches
from historylab.billing import CACHES, Cache
from historylab.candidates import grid, random_search
from historylab.conversation import Conversation
from historylab.corpus import Source, kept, read, sources, to_ship
from historylab.cost import Prices
from historylab.errors import HistoryLabError, LoadError, SettingsError
from historylab.measures import COLUMNS, Measures, Stars, measure
from historylab.settings.model import Settings, setting_names

if TYPE_CHECKING:
    import pandas

__all__ = ["grid", "random_search", "read_table", "settings_of", "sweep", "write_table"]

BATCHES_PER_WORKER = 4  # so that nobody waits long for the slowest one
AT_LEAST_AT_ONCE = 32  # batches given to an executor whose size we don't know
Row = dict[str, Any]
Given = Conversation | str | os.PathLike


class Done(NamedTuple):
    """One row, and where it belongs: which source, which of its `many` conversations, which candidate."""

    source: int
    conversation: int
    candidate: int
    many: int
    row: Row


def sweep(
    conversations: Given | Iterable[Given],
    candidates: Iterable[Settings],
    *,
    workers: int | None = None,
    executor: Executor | None = None,
    caches: Sequence[Cache] = tuple(CACHES.values()),
    prices: Prices | None = None,
    stars: Stars | None = None,
    questions: Sequence[str] = (),
    progress: Callable[[int, int], None] | None = None,
    cancelled: Callable[[], bool] = lambda: False,
) -> pandas.DataFrame:
    """A row per conversation × settings: where it comes from, the settings that differ, and `measures.COLUMNS`.

    `settings` holds, as JSON, what differs from the defaults, so that any row can be run again: `settings_of(row)`.

    Args:
        conversations: conversations, or paths of files (all conversations in them).
        workers: processes to start; None or 1 works in this one.
        executor: a running executor to use instead, with `workers` saying how many work for it.
        caches, prices, stars, questions: see `Measures`. Prices default to those of each candidate's model.
        progress: called with (pairs done, pairs known of) in this process.
        cancelled: asked often; once it says True, the rows done so far are the table (`table.attrs["cancelled"]`).

    Raises HistoryLabError, with the file's or settings' problem; WorkerLost when workers die again and again.
    """
    given = [conversations] if isinstance(conversations, Conversation | str | os.PathLike) else conversations
    found, chosen = list(sources(given)), list(candidates)
    if not chosen:
        raise SettingsError("there are no settings to sweep; give at least one")
    job = Job(tuple(chosen), Measures(tuple(caches), prices, stars, tuple(questions)))
    if executor is None and (workers or 1) <= 1:
        done = _here(found, job, cancelled)
    else:
        done = _elsewhere(found, job, workers, executor, cancelled)
    table = _table(_counting(done, len(found), len(chosen), progress), found, chosen)
    table.attrs["cancelled"] = cancelled()
    return table


def settings_of(row: Any) -> Settings:
    """The settings of one row of a table."""
    return Settings(**json.loads(row["settings"]))


# -- the work


@dataclass(frozen=True, slots=True)
class Job:
    """What is done to every conversation."""

    candidates: tuple[Settings, ...]
    measures: Measures


@dataclass(frozen=True, slots=True)
class Batch:
    """Some sources, by number, and the candidates to run over them, by number."""

    sources: tuple[tuple[int, Source], ...]
    candidates: tuple[int, ...]
    job: Job


def _here(found: Sequence[Source], job: Job, cancelled: Callable[[], bool]) -> Iterator[Done]:
    for number, source in enumerate(found):
        for done in _rows(number, read(source), range(len(job.candidates)), job):
            yield done
            if cancelled():
                return


def _rows(number: int, conversations: Sequence[Conversation], candidates: Iterable[int], job: Job) -> Iterator[Done]:
    """Candidates that differ in options of stages they don't choose are measured once."""
    for k, conversation in enumerate(conversations):
        known: dict[str, Row] = {}
        for c in candidates:
            settings = job.candidates[c]
            same = effective(settings)
            if same not in known:
                known[same] = measure(conversation, settings, job.measures)
            yield Done(number, k, c, len(conversations), dict(known[same]))


def effective(settings: Settings) -> str:
    """A key that settings share when they differ only in options of members they don't choose."""
    options = {
        name: value
        for name, value in settings.options.items()
        if name.split(".")[1] in str(getattr(settings, name.split(".")[0])).split("+")
    }
    return json.dumps({**settings.model_dump(), "options": options}, sort_keys=True)


def _elsewhere(
    found: Sequence[Source],
    job: Job,
    workers: int | None,
    executor: Executor | None,
    cancelled: Callable[[], bool],
) -> Iterator[Done]:
    many = workers or 2 * BATCHES_PER_WORKER
    at_once = max(2 * many, AT_LEAST_AT_ONCE if executor else 0)
    with Workers(executor, many) as opened:
        work = run_batches(run, batches(found, job, many), opened, at_once=at_once, cancelled=cancelled)
        for _, result in work:
            if isinstance(result, str):
                raise HistoryLabError(result)
            yield from result


def batches(found: Sequence[Source], job: Job, workers: int) -> Iterator[Batch]:
    """By conversation, so that each is tokenised once per worker; a few large ones are shared out by settings."""
    wanted = workers * BATCHES_PER_WORKER
    together = max(1, len(found) // wanted)
    groups = max(1, ceil(len(found) / together))
    size = ceil(len(job.candidates) / min(len(job.candidates), ceil(wanted / groups)))
    numbered = [(number, to_ship(source)) for number, source in enumerate(found)]
    for start in range(0, len(numbered), together):
        for first in range(0, len(job.candidates), size):
            some = tuple(range(first, min(first + size, len(job.candidates))))
            yield Batch(tuple(numbered[start : start + together]), some, job)


def run(batch: Batch) -> list[Done] | str:
    """On a worker: the rows of a batch, or in words what is wrong with a file or with settings: no retry mends that."""
    try:
        return [
            done
            for number, source in batch.sources
            for done in _rows(number, kept(source), batch.candidates, batch.job)
        ]
    except HistoryLabError as problem:
        return str(problem)


# -- the table


def _counting(
    done: Iterable[Done], found: int, candidates: int, progress: Callable[[int, int], None] | None
) -> Iterator[Done]:
    """How many conversations a file holds is known once its first row is in, so the total may grow."""
    many: dict[int, int] = {}
    for count, one in enumerate(done, 1):
        many[one.source] = one.many
        if progress:
            progress(count, (sum(many.values()) + found - len(many)) * candidates)
        yield one


def _table(rows: Iterable[Done], found: Sequence[Source], chosen: Sequence[Settings]) -> pandas.DataFrame:
    import pandas

    differing = _differing(chosen)
    ordered = sorted(rows, key=lambda done: done[:3])
    numbers = {pair: n for n, pair in enumerate(dict.fromkeys(done[:2] for done in ordered))}
    records = []
    for done in ordered:
        settings, at = chosen[done.candidate], found[done.source]
        record = {
            "conversation": numbers[done[:2]],
            "title": done.row["title"],
            "file": "" if isinstance(at, Conversation) else at.path,
            "candidate": done.candidate,
            **{name: settings.value(name) for name in differing},
            "settings": json.dumps(_changed(settings), sort_keys=True),
        }
        records.append({**record, **done.row})
    return pandas.DataFrame.from_records(records)


def _differing(chosen: Sequence[Settings]) -> list[str]:
    """Names of the fields and options the candidates don't all have in common, in the order they are shown."""
    given = {name for settings in chosen for name in (*Settings.model_fields, *settings.options)} - {"options"}
    different = {name for name in given if len({repr(settings.value(name)) for settings in chosen}) > 1}
    return [name for name in setting_names() if name in different]


def _changed(settings: Settings) -> dict[str, Any]:
    dumped, default = settings.model_dump(), Settings().model_dump()
    return {name: value for name, value in dumped.items() if value != default[name]}


# -- tables on disk

ENDINGS = (".parquet", ".csv", ".jsonl")


def check_table_name(path: str) -> None:
    """Raises SettingsError for an ending no table is written in."""
    if not path.endswith(ENDINGS):
        raise SettingsError(f"{path!r} says no kind of table; end it in one of {', '.join(ENDINGS)}")


def write_table(table: pandas.DataFrame, path: str) -> None:
    """Write the table in the kind its name ends in."""
    check_table_name(path)
    try:
        if path.endswith(".parquet"):
            table.to_parquet(path, index=False)
        elif path.endswith(".csv"):
            table.to_csv(path, index=False)
        else:
            table.to_json(path, orient="records", lines=True, force_ascii=False)
    except OSError as problem:
        raise HistoryLabError(f"{path} can't be written: {problem.strerror or problem}") from None


def read_table(path: str) -> pandas.DataFrame:
    """Read what `write_table` wrote. Raises LoadError for a file that is no table of ours."""
    import pandas

    check_table_name(path)
    if not os.path.exists(path):
        raise LoadError(f"there is no file {str(path)!r}; write one with `historylab sweep FILES --out {path}`")
    read = {".csv": pandas.read_csv, ".parquet": pandas.read_parquet, ".jsonl": _read_lines}
    try:
        table = read[os.path.splitext(path)[1]](path)
    except (OSError, ValueError) as problem:  # pandas' and pyarrow's refusals are ValueErrors
        raise LoadError(f"{path} can't be read as a table: {problem}") from None
    if missing := [name for name in ("settings", *COLUMNS) if name not in table]:
        raise LoadError(f"{path} is no table of `historylab sweep`: it has no column {missing[0]!r}")
    figures = [name for name in table if name != "title" and (name in COLUMNS or name.startswith(("cost_", "ratio_")))]
    table[figures] = table[figures].apply(pandas.to_numeric)  # null where JSON has no NaN
    table["file"] = table["file"].astype(object).fillna("")
    return table


def _read_lines(path: str) -> pandas.DataFrame:
    import pandas

    with open(path, encoding="utf-8") as file:
        return pandas.DataFrame.from_records([json.loads(line) for line in file])
