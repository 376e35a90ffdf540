"""`historylab recommend TABLE "never over 8k, cheapest"`: one answer from a sweep's table."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from historylab.cli.base import (
    Subparsers,
    add_parser,
    format_cost,
    print_export,
    print_json,
    print_line,
    print_table,
)
from historylab.cli.files import add_strict, read_each, report_skipped
from historylab.errors import SettingsError

if TYPE_CHECKING:
    from historylab.tuning.points import Point
    from historylab.tuning.recommend import Recommendation

NOTHING_FITS = 1


def add_to(commands: Subparsers) -> None:
    parser = add_parser(commands, "recommend", "Choose settings from a sweep's table", run)
    parser.add_argument("table", metavar="TABLE", help="what `historylab sweep --out` wrote")
    parser.add_argument(
        "more",
        metavar="MORE",
        nargs="*",
        help='more tables; and the constraints, in words: "keep every must-remember message, never over the budget, '
        'cheapest under automatic caching"',
    )
    add_strict(parser)
    parser.add_argument("--target", help="print the chosen settings as this export (dotenv, json, …) and nothing else")


def run(arguments: argparse.Namespace) -> int:
    """Print the choice, why, what it gives up, the frontier and the sensitivity; 1 if nothing meets the constraints."""
    from historylab.tuning.recommend import recommend
    from historylab.tuning.table import read_table, rows_of

    skipped: dict[str, str] = {}
    tables, constraints = _tables_and_constraints([arguments.table, *arguments.more])
    read = read_each(tables, read_table, skipped, strict=arguments.strict)
    found = recommend([row for table in read for row in rows_of(table)], constraints)
    report_skipped(skipped)
    if arguments.json:
        print_json({**_as_json(found), "skipped": skipped})
    elif arguments.target and found.settings:
        print_export(found.settings, arguments.target)
    else:
        _print(found)
    return 0 if found.choice else NOTHING_FITS


def _tables_and_constraints(given: Sequence[str]) -> tuple[list[str], str]:
    """The arguments that are tables, and the one with the constraints in words."""
    if not _is_table(given[0]):
        raise SettingsError(
            f"{given[0]!r:.80} is no table of a sweep; write one with `historylab sweep FILES --out sweep.parquet`"
        )
    tables = [name for k, name in enumerate(given) if not k or _is_table(name)]
    constraints = [words for words in given if words not in tables] or ["balanced"]
    if len(constraints) > 1:
        raise SettingsError(f'the wishes are one text, in quotes: "{", ".join(constraints)}"')
    return tables, constraints[0]


def _is_table(given: str) -> bool:
    """Tell whether an argument names a table of a sweep, which may be a folder of its parts."""
    from historylab.tuning.manifest import is_parts_folder
    from historylab.tuning.table import ENDINGS

    return given.endswith(ENDINGS) or is_parts_folder(given)


def _print(found: Recommendation) -> None:
    for line in found.why:
        print_line(line)
    for line in found.gives_up:
        print_line(f"Given up: {line}")
    rows = [(p.label, p.kept, format_cost(p.cost, found.cost_is), "; ".join(p.broken)) for p in found.frontier]
    print_table("The frontier", ("settings", f"{found.kept_is} kept", found.cost_is, "breaks"), rows)
    effects = [
        (s.setting, value, kept, format_cost(cost, found.cost_is))
        for s in found.sensitivity
        for value, kept, cost in zip(s.values, s.kept, s.cost, strict=True)
    ]
    if effects:
        print_table("Each setting by itself", ("setting", "value", f"{found.kept_is} kept", found.cost_is), effects)


def _as_json(found: Recommendation) -> dict[str, Any]:
    return {
        "choice": _point(found.choice) if found.choice else None,
        "why": found.why,
        "gives_up": found.gives_up,
        "frontier": [_point(point) for point in found.frontier],
        "excluded": dict(found.excluded),
        "sensitivity": [
            {"knob": s.setting, "values": s.values, "kept": s.kept, "cost": s.cost} for s in found.sensitivity
        ],
        "kept_is": found.kept_is,
        "cost_is": found.cost_is,
    }


def _point(point: Point) -> dict[str, Any]:
    figures = {"knobs": dict(point.changes), "kept": point.kept, "cost": point.cost, "breaks": point.broken}
    return {**figures, "settings": point.settings.model_dump(exclude_defaults=True)}
