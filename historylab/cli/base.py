"""Shared by the subcommands: settings from --set, --from and the environment; tables, notes and JSON as output."""

from __future__ import annotations

import argparse
import json
import logging
import math
import os
import re
import sys
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from historylab.costs.amounts import money
from historylab.errors import HistoryLabError, SettingsError
from historylab.wording.untrusted import replace_hidden, visible_json

if TYPE_CHECKING:
    from rich.console import Console

    from historylab.settings.model import Settings
    from historylab.settings.resolve import Candidate, Resolution

INTERRUPTED = 130
"""The exit code of a command that Ctrl-C ended, as shells know it."""

Subparsers: TypeAlias = "argparse._SubParsersAction[argparse.ArgumentParser]"
"""The type that `add_subparsers()` returns."""


def add_parser(
    commands: Subparsers, name: str, summary: str, run: Callable[[argparse.Namespace], int]
) -> argparse.ArgumentParser:
    """A subcommand's parser with `--json` and its settings."""
    parser = commands.add_parser(name, help=summary, description=summary, allow_abbrev=False)
    parser.add_argument("--json", action="store_true", help="print JSON instead of tables")
    parser.set_defaults(run=run)
    return parser


def add_settings(parser: argparse.ArgumentParser) -> None:
    """--set and --from: where the settings come from, beside the environment; --strict-environment shuts --set out."""
    add_set(parser)
    parser.add_argument(
        "--from", dest="source", metavar="FILE", help="settings to start from: AgentDock's JSON, ours, or a .env file"
    )


def add_set(
    parser: argparse.ArgumentParser,
    about: str = "a setting, for instance budget=4000 or pruner.fifo.unit=block; repeat it for more",
) -> None:
    """--set and --strict-environment."""
    parser.set_defaults(source=None)
    parser.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        type=parse_assignment,
        help=about,
    )
    add_strict_environment(parser, default=argparse.SUPPRESS)


def add_strict_environment(parser: argparse.ArgumentParser, default: Any = False) -> None:
    """--strict-environment, as HISTORYLAB_STRICT_ENVIRONMENT=true. A subcommand's leaves what was given before it."""
    parser.add_argument(
        "--strict-environment",
        action="store_true",
        default=default,
        help="once the environment sets anything, ignore links, choices on screen and --set altogether",
    )


def add_must_remember(parser: argparse.ArgumentParser) -> None:
    """--star and --question: messages that must be remembered, and questions that might be asked later."""
    add_star(parser)
    parser.add_argument(
        "--question",
        action="append",
        default=[],
        metavar="TEXT",
        help="something that might be asked later; repeat it for more",
    )


def add_star(parser: argparse.ArgumentParser) -> None:
    """--star."""
    parser.add_argument(
        "--star",
        action="append",
        default=[],
        metavar="N",
        type=_from_one,
        help="a message that must be remembered, counted from 1; repeat it for more (default: those the file marks)",
    )


def must_remember_from(arguments: argparse.Namespace) -> tuple[int, ...] | None:
    """Indices of the messages that must be remembered; None if none was named."""
    return tuple(number - 1 for number in arguments.star) or None


def whole_number(text: str) -> int:
    """A whole number, written in ASCII digits alone."""
    if not re.fullmatch(r"-?[0-9]{1,18}", text):
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number")
    return int(text)


def _from_one(text: str) -> int:
    if not text.isascii() or not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of 1 or more")
    return int(text)


def parse_assignment(text: str) -> tuple[str, str]:
    """NAME=VALUE as a pair."""
    name, equals, value = text.partition("=")
    if not equals or not name.strip():
        raise argparse.ArgumentTypeError(f"{text!r} is not NAME=VALUE, for instance budget=4000")
    return name.strip(), value.strip()


def settings_from(arguments: argparse.Namespace) -> Settings:
    """The settings to use: the environment overrides --set, and --set overrides the file, as everywhere.

    Raises SettingsError for an unknown name or an invalid value; notes on stderr where the environment overrides --set.
    """
    resolution, assigned = resolve(arguments), dict(arguments.set)
    if refused := [c for c in resolution.refused if c.source != "environment"]:
        raise SettingsError("; ".join(f"{c.name}={c.raw}: {c.why}{_near(c)}" for c in refused))
    for c in resolution.refused:
        print_note(f"ignored {c.name}={c.raw} in the environment: {c.why}")
    for name in assigned:
        if (decided := resolution.provenance[name]).source == "environment":
            print_note(f"{name} stays {decided.value!r}: {decided.name} is set in the environment, which comes first")
        elif decided.locked:
            print_note(f"{name} stays {decided.value!r}: the environment is strict, so --set is ignored")
    return resolution.settings


def resolve(arguments: argparse.Namespace, recorded: Mapping[str, Any] | None = None) -> Resolution:
    """The same with its provenance, and with what the file in view was `recorded` with; says nothing."""
    from historylab.settings.resolve import resolve_settings
    from historylab.settings.sources import read_template

    template = read_template(Path(arguments.source)) if arguments.source else None
    logging.getLogger("historylab.settings").setLevel(logging.ERROR)  # `settings_from` reports refused values, once
    return resolve_settings(
        template=template,
        you=dict(arguments.set),
        url={},
        recorded=recorded,
        strict_environment=arguments.strict_environment,
    )


def _near(refused: Candidate) -> str:
    from historylab.settings.model import did_you_mean, setting_names

    return "" if refused.name in setting_names() else did_you_mean(refused.name, setting_names())


def print_note(text: str) -> None:
    """Print a note to stderr, apart from the output."""
    print(f"historylab: {replace_hidden(text)}", file=sys.stderr)


def print_json(value: Any) -> None:
    """JSON that any reader takes: NaN and infinity become null; escaped where the output can't show it as it is."""
    value, output = _finite(value), sys.stdout.encoding or "utf-8"
    text = visible_json(value)
    try:
        text.encode(output)
    except UnicodeEncodeError:
        text = json.dumps(value, indent=2, default=str)
    print(text)


def _finite(value: Any) -> Any:
    if isinstance(value, dict):
        return {str(k): _finite(v) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(v) for v in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def print_table(
    title: str, columns: Sequence[str], rows: Iterable[Sequence[Any]], *, unbroken: Collection[str] = ()
) -> None:
    """A table on stdout, numbers aligned right, and the cells of the `unbroken` columns on one line.

    Text is never interpreted as markup or terminal codes.
    """
    from rich.box import SIMPLE_HEAD
    from rich.table import Table
    from rich.text import Text

    rows = [[format_cell(cell) for cell in row] for row in rows]
    table = Table(title=Text(strip_controls(title)), title_justify="left", box=SIMPLE_HEAD, pad_edge=False)
    for k, column in enumerate(columns):
        numeric = all(row[k][:1].isdigit() or row[k][:1] in "-–$" for row in rows)
        whole = column in unbroken
        table.add_column(column, justify="right" if numeric else "left", overflow="fold", no_wrap=whole)
    for row in rows:
        table.add_row(*(Text(cell) for cell in row))
    console().print(table)


def print_line(text: str) -> None:
    """One paragraph on stdout."""
    console().print(strip_controls(text), markup=False, highlight=False, soft_wrap=True)


def print_file(text: str) -> None:
    """A file's text on stdout: exactly, but for a terminal, which would obey what is hidden in it."""
    sys.stdout.write(replace_hidden(text) if sys.stdout.isatty() else text)


def print_export(settings: Settings, target: str) -> None:
    """Settings as an export on stdout, with a note on stderr for each that is something else there."""
    from historylab.exporters.base import differences, export

    for difference in differences(settings, target):
        print_note(str(difference))
    print_file(export(settings, target))


def console(*, stderr: bool = False) -> Console:
    """Standard output (or stderr), as wide as the terminal; 160 columns if it is not a terminal."""
    from rich.console import Console

    output = Console(stderr=stderr, emoji=False)
    if not output.is_terminal:
        output.width = 160
    return output


def format_cell(value: Any) -> str:
    """A cell: – if unknown, thousands separated, three significant digits."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return "–"
    if isinstance(value, float):
        return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.3g}"
    return f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else strip_controls(str(value))


def format_cost(cost: float, measure: str) -> str | float:
    """A cost for a cell: dollars as everywhere; tokens, where `measure` counts those, and an unknown cost as it is."""
    return cost if math.isnan(cost) or measure == "tokens_total" else money(cost)


def strip_controls(text: str, width: int = 0) -> str:
    """Text without control characters, which a terminal would obey; cut to `width` characters unless that is 0."""
    flat = "".join(c if c.isprintable() else " " for c in text[: 4 * width or None])
    return flat if not width or len(flat) <= width else flat[: width - 1] + "…"


def write_text(path: str, text: str) -> None:
    """Write a UTF-8 file. Raises HistoryLabError if it can't be written."""
    try:
        Path(path).write_text(text, encoding="utf-8")
    except OSError as problem:
        raise HistoryLabError(f"{path} can't be written: {problem.strerror or problem}") from None
    except UnicodeEncodeError as problem:
        raise HistoryLabError(f"{path} can't be written: {problem.object[problem.start]!r} is no UTF-8 text") from None


def check_writable(path: str) -> None:
    """Raises HistoryLabError for a path that can't be written, before the work is done; leaves a file as it is."""
    there = os.path.exists(path)
    try:
        with open(path, "ab"):
            pass
        if not there:
            os.remove(path)
    except (OSError, ValueError) as problem:
        raise HistoryLabError(f"{path!r} can't be written: {getattr(problem, 'strerror', '') or problem}") from None
