"""`historylab sweep FILES…`: many settings over many conversations, into one table."""

from __future__ import annotations

import argparse
import contextlib
import os
from collections.abc import Iterator, Sequence
from concurrent.futures import Executor
from typing import TYPE_CHECKING, Any

from historylab.cli.base import (
    INTERRUPTED,
    Subparsers,
    add_must_remember,
    add_parser,
    add_settings,
    check_writable,
    console,
    format_cost,
    must_remember_from,
    parse_assignment,
    print_json,
    print_note,
    print_table,
    settings_from,
    whole_number,
)
from historylab.cli.files import add_shape, add_strict, report_skipped, shape_from
from historylab.cli.progress import interruptible
from historylab.costs.amounts import count_of
from historylab.errors import HistoryLabError, SettingsError, needs

if TYPE_CHECKING:
    from rich.progress import TaskID

    from historylab.formats.files.pieces import Piece
    from historylab.tuning.evidence import Interval
    from historylab.tuning.recommend import Recommendation
    from historylab.tuning.replayed import Lane
    from historylab.tuning.sweep import Sweep, Swept, Told
    from historylab.tuning.tally import Progress as Now

SHOWN = 20
WHOLE = 1_000_000  # of a progress bar


def add_to(commands: Subparsers) -> None:
    parser = add_parser(commands, "sweep", "Replay many settings over many conversations", run)
    parser.add_argument(
        "files", metavar="FILE", nargs="+", help="transcripts, folders, wildcards or addresses: s3://bucket/*.jsonl.gz"
    )
    parser.add_argument(
        "--grid",
        action="append",
        default=[],
        metavar="NAME=A,B,…",
        type=parse_assignment,
        help="values to try for a setting; repeat it for every combination",
    )
    parser.add_argument(
        "--random", type=whole_number, metavar="N", help="try N combinations picked at random instead of all"
    )
    parser.add_argument(
        "--sample",
        type=whole_number,
        metavar="N",
        help="take N of the conversations, of every length, and say how sure the figures are",
    )
    parser.add_argument("--seed", type=whole_number, default=0, help="for --random and --sample (default: %(default)s)")
    parser.add_argument("--workers", type=whole_number, metavar="N", help="processes to spread the work over")
    parser.add_argument("--scheduler", metavar="ADDRESS", help="a Dask cluster to run on (extra: cluster)")
    parser.add_argument(
        "--out",
        metavar="FILE|DIR/",
        help="where the table goes: .parquet, .csv or .jsonl, or a folder of Parquet files; run again, the same "
        "command goes on where it stopped",
    )
    parser.add_argument(
        "--as-sent",
        action="store_true",
        help="add a row of what was really sent; settings are then counted as each file was recorded",
    )
    add_strict(parser)
    add_shape(parser)
    add_must_remember(parser)
    add_settings(parser)


def run(arguments: argparse.Namespace) -> int:
    """Run the sweep; write the table or print the candidates."""
    from historylab.tuning.replayed import AS_SENT, MeasureOptions
    from historylab.tuning.sweep import Sweep, grid, random_search

    files = _files(arguments)
    base, axes = settings_from(arguments), dict(map(_axis, arguments.grid))
    samples = arguments.random
    candidates = grid(base, **axes) if samples is None else random_search(base, samples, arguments.seed, **axes)
    lanes: list[Lane] = [*candidates, *([AS_SENT] if arguments.as_sent else [])]
    options = MeasureOptions(stars=must_remember_from(arguments), questions=tuple(arguments.question))
    sampled = {"sample": arguments.sample, "seed": arguments.seed}
    cluster = _cluster(arguments.scheduler, arguments.workers)
    with _progress() as progress, cluster as elsewhere, interruptible() as interrupted:
        work = Sweep(files, lanes, options, *elsewhere, strict=arguments.strict, cancelled=interrupted, **sampled)
        swept, table = _run_sweep(work, arguments, progress)
    report_skipped(swept.skipped)
    if partly := swept.partly_read:
        read = count_of(len(partly), "file")
        print_note(f"{read} not read in full or read with warnings; `historylab show FILE` says why")
    sampled = {"sample": work.sampled} if work.sampled else {}
    if arguments.json:
        print_json({"rows": table.to_dict("records"), "skipped": swept.skipped, **sampled})
    elif sampled:
        print_note(f"a sample of the conversations: {work.sampled}")
    if swept.cancelled:
        kept = "" if arguments.json else ", and kept nowhere: name a file with --out"
        kept = "; the same command goes on from there" if arguments.out else kept
        print_note(f"interrupted; {count_of(swept.rows, 'row')} had been measured{kept}")
        return INTERRUPTED
    if not (arguments.json or arguments.out):
        _print_candidates(table, sampled=bool(sampled))
    return 0


def _files(arguments: argparse.Namespace) -> Sequence[Piece]:
    """The files to read, once it is sure that the table can be written. An earlier one of this sweep isn't read."""
    from historylab.formats.files.pieces import Piece
    from historylab.tuning.corpus import to_sources
    from historylab.tuning.manifest import is_parts_folder
    from historylab.tuning.sweep import ENDING
    from historylab.tuning.table import check_table_name

    out = arguments.out
    if out and not is_parts_folder(out):
        check_table_name(out)
        check_writable(out)
    found = [one for one in to_sources(arguments.files, shape_from(arguments)) if isinstance(one, Piece)]
    ours = [os.path.realpath(path) for path in (out, out + ENDING)] if out else []
    others = [source for source in found if not _is_within(os.path.realpath(source.path), ours)]
    if len(others) < len(found) and not (is_parts_folder(out) or os.path.exists(out + ENDING)):
        raise SettingsError(f"{out!r} is one of the files to read, and the table would take its place")
    return others


def _is_within(path: str, places: Sequence[str]) -> bool:
    return any(path == place or path.startswith(place + os.sep) for place in places)


def _run_sweep(work: Sweep, arguments: argparse.Namespace, progress: Told) -> tuple[Swept, Any]:
    """Measure, and write or make the table; with both, of what was written."""
    ledger = work.ledger(arguments.out)
    if not arguments.out:
        return work.measure(ledger, progress), work.table(ledger)
    torn = ledger.torn
    swept = work.write(ledger, arguments.out, progress)
    if torn:
        print_note(f"{count_of(torn, 'file')} in {ledger.home.path} could not be read as parts, and stood for nothing")
    if swept.rows or not swept.cancelled:
        before = f", {swept.before:,} of them measured before" if swept.before else ""
        before = "; nothing was left to do" if swept.before == swept.rows > 0 else before
        print_note(f"{count_of(swept.rows, 'row')} written to {arguments.out}{before}")
    return swept, work.table(ledger) if arguments.json else None


def _axis(given: tuple[str, str]) -> tuple[str, list[Any]]:
    """The name and values of one --grid, parsed as that setting's values."""
    from historylab.settings.model import Settings, read_setting, setting_names

    name, values = given
    try:
        if name not in setting_names():
            unknown: dict[str, Any] = {name: values}
            Settings(**unknown)  # raises, suggesting the nearest name
        return name, [read_setting(name, value.strip()) for value in values.split(",")]
    except HistoryLabError as problem:
        raise SettingsError(f"--grid {name}: {problem}") from None


@contextlib.contextmanager
def _progress() -> Iterator[Told]:
    """A progress bar on stderr, if that is a terminal."""
    screen = console(stderr=True)
    if not screen.is_terminal:
        yield None
        return
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("Replaying"), BarColumn(), TextColumn("{task.description}"), TimeRemainingColumn())
    with Progress(*columns, console=screen, transient=True) as bar:
        tasks: list[TaskID] = []

        def show(now: Now) -> None:
            share = int(now.share * WHOLE)
            if not tasks:  # what was done before says nothing of the pace
                tasks.append(bar.add_task("", total=WHOLE, completed=share))
            bar.update(tasks[0], completed=share, description=pairs_done(now))

        yield show


def pairs_done(now: Now) -> str:
    """ "1,204 of at least 24,000": pairs done of those known, while files still are to be opened."""
    return f"{now.done:,} of {'' if now.certain else 'at least '}{now.known:,}"


@contextlib.contextmanager
def _cluster(address: str | None, workers: int | None) -> Iterator[tuple[int | None, Executor | None]]:
    """The executor of a Dask cluster, with as many workers as it has unless told; None without an address."""
    if address is None:
        yield workers, None
        return
    with needs("'historylab[cluster]'", "a cluster"):
        from distributed import Client
    try:
        client = Client(address, timeout=10)
    except (OSError, ValueError) as problem:
        raise HistoryLabError(f"no Dask scheduler answers at {address!r}: {problem}") from None
    with client:
        yield workers or sum(client.nthreads().values()), client.get_executor()


def _as_sent_figures(table: Any) -> dict[str, Any]:
    """The figures of what was really sent over all conversations; empty where the table has none."""
    from historylab.tuning.measures import combine_rows
    from historylab.tuning.replayed import AS_SENT
    from historylab.tuning.table import rows_of

    sent = [row for row in rows_of(table) if row["settings"] == AS_SENT]
    return combine_rows(sent) if sent else {}


def _print_surety(table: Any, found: Recommendation) -> None:
    """Print the bounds of a sample's figures, and the settings that it can't tell from the best."""
    from historylab.tuning.sampled import find_surety

    def in_words(interval: Interval) -> str:
        return f"{interval.value:.3f} ({interval.low:.3f} to {interval.high:.3f})"

    surety = sorted(zip(found.points, find_surety(table, found), strict=False), key=lambda both: both[0].cost)
    rows = [
        (point.label, in_words(sure.kept), in_words(sure.cost_ratio), "yes" if sure.tied else "no")
        for point, sure in surety
    ]
    best = f"as good as {found.choice.label}?" if found.choice else "as good as the best?"
    columns = ("settings", f"{found.kept_is} kept", "cost ÷ not trimming", best)
    print_table("How sure this sample is, 95 times of 100", columns, rows[:SHOWN])
    if tied := [point.label for point, sure in surety if sure.tied and point is not found.choice]:
        print_note(f"not to be told from the best by this sample: {'; '.join(tied)}; a larger --sample may")


def _print_candidates(table: Any, *, sampled: bool = False) -> None:
    from historylab.tuning.recommend import KEPT, recommend

    found = recommend(table)
    figures = ("tokens_mean", "tokens_peak", "over_budget", "losses")
    cheapest_first = sorted(found.points, key=lambda p: p.cost)
    rows = [
        (p.label, p.kept, format_cost(p.cost, found.cost_is), *(p.figures[name] for name in figures))
        for p in cheapest_first
    ]
    kept = next(column for column, noun in KEPT.items() if noun == found.kept_is)
    if sent := _as_sent_figures(table):
        cost = format_cost(sent[found.cost_is], found.cost_is)
        rows.insert(0, ("as sent", sent[kept], cost, *(sent[name] for name in figures)))
    columns = ("settings", f"{found.kept_is} kept", found.cost_is, "tokens mean", "peak", "over budget", "losses")
    more = f", the {SHOWN} cheapest" if len(rows) > SHOWN else ""
    print_table(f"{count_of(len(found.points), 'settings')}{more}", columns, rows[:SHOWN])
    if sampled:
        _print_surety(table, found)
    if len(rows) > SHOWN:
        print_note("write all of them with --out results.csv, or print them with --json")
