"""`historylab sweep FILES…`: many settings over many conversations, into one table."""

from __future__ import annotations

import argparse
import contextlib
import signal
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Executor
from typing import Any

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
from historylab.cli.files import add_mapping, add_strict, mapped, report_skipped
from historylab.costs.amounts import count_of
from historylab.errors import HistoryLabError, SettingsError

SHOWN = 20


def add_to(commands: Subparsers) -> None:
    parser = add_parser(commands, "sweep", "Replay many settings over many conversations", run)
    parser.add_argument("files", metavar="FILE", nargs="+", help="transcripts; JSONL or Parquet for many of them")
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
    parser.add_argument("--seed", type=whole_number, default=0, help="for --random (default: %(default)s)")
    parser.add_argument("--workers", type=whole_number, metavar="N", help="processes to spread the work over")
    parser.add_argument("--scheduler", metavar="ADDRESS", help="a Dask cluster to run on (extra: cluster)")
    parser.add_argument("--out", metavar="FILE", help="where the table goes: .parquet, .csv or .jsonl")
    add_strict(parser)
    add_mapping(parser)
    add_must_remember(parser)
    add_settings(parser)


def run(arguments: argparse.Namespace) -> int:
    """Run the sweep; write the table or print the candidates."""
    from historylab.tuning.sweep import grid, random_search, sweep
    from historylab.tuning.table import check_table_name, write_table

    if arguments.out:
        check_table_name(arguments.out)
        check_writable(arguments.out)
    base, axes = settings_from(arguments), dict(map(_axis, arguments.grid))
    samples = arguments.random
    candidates = grid(base, **axes) if samples is None else random_search(base, samples, arguments.seed, **axes)
    with _progress() as progress, _cluster(arguments.scheduler) as executor, _interruptible() as interrupted:
        table = sweep(
            mapped(arguments.files, arguments.mapping),
            candidates,
            workers=arguments.workers,
            executor=executor,
            stars=must_remember_from(arguments),
            questions=arguments.question,
            strict=arguments.strict,
            progress=progress,
            cancelled=interrupted,
        )
    if arguments.out and not (table.attrs["cancelled"] and table.empty):
        write_table(table, arguments.out)
        print_note(f"{count_of(len(table), 'row')} written to {arguments.out}")
    report_skipped(table.attrs["skipped"])
    if partly := table.attrs["partly_read"]:
        files = count_of(len(partly), "file")
        print_note(f"{files} not read in full or read with warnings; `historylab show FILE` says what of it")
    if arguments.json:
        print_json({"rows": table.to_dict("records"), "skipped": table.attrs["skipped"]})
    if table.attrs["cancelled"]:
        kept = "" if arguments.out or arguments.json else ", and kept nowhere: name a file with --out"
        print_note(f"interrupted; {count_of(len(table), 'row')} had been measured{kept}")
        return INTERRUPTED
    if not (arguments.json or arguments.out):
        _print_candidates(table)
    return 0


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
def _progress() -> Iterator[Callable[[int, int], None] | None]:
    """A progress bar on stderr, if that is a terminal."""
    screen = console(stderr=True)
    if not screen.is_terminal:
        yield None
        return
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("Replaying"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=screen, transient=True) as bar:
        task = bar.add_task("", total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)


@contextlib.contextmanager
def _interruptible() -> Iterator[Callable[[], bool]]:
    """Whether Ctrl-C was pressed: what is done is then kept. Pressed again, it ends the command as always."""
    pressed = False

    def stop(*_: object) -> None:
        nonlocal pressed
        pressed = True
        signal.signal(signal.SIGINT, before)

    if threading.current_thread() is not threading.main_thread():  # only the main thread is told of signals
        yield lambda: False
        return
    before = signal.signal(signal.SIGINT, stop)
    try:
        yield lambda: pressed
    finally:
        signal.signal(signal.SIGINT, before)


@contextlib.contextmanager
def _cluster(address: str | None) -> Iterator[Executor | None]:
    """The executor of a Dask cluster; None without an address."""
    if address is None:
        yield None
        return
    try:
        from distributed import Client
    except ImportError:
        raise HistoryLabError("a cluster needs Dask: pip install 'historylab[cluster]'") from None
    try:
        client = Client(address, timeout=10)
    except (OSError, ValueError) as problem:
        raise HistoryLabError(f"no Dask scheduler answers at {address!r}: {problem}") from None
    with client:
        yield client.get_executor()


def _print_candidates(table: Any) -> None:
    from historylab.tuning.recommend import recommend

    found = recommend(table)
    figures = ("tokens_mean", "tokens_peak", "over_budget", "losses")
    cheapest_first = sorted(found.points, key=lambda p: p.cost)
    rows = [
        (p.label, p.kept, format_cost(p.cost, found.cost_is), *(p.figures[name] for name in figures))
        for p in cheapest_first
    ]
    columns = ("settings", f"{found.kept_is} kept", found.cost_is, "tokens mean", "peak", "over budget", "losses")
    more = f", the {SHOWN} cheapest" if len(rows) > SHOWN else ""
    print_table(f"{count_of(len(rows), 'settings')}{more}", columns, rows[:SHOWN])
    if len(rows) > SHOWN:
        print_note("write all of them with --out results.csv, or print them with --json")
