"""A sweep's table left in parts: a folder of Parquet files, and a manifest that says what they are.

Each part has every column of the table; `source` and `conversation` together are one conversation. The folder holds
the rows of the last command alone, each once: a part with others is written anew without them.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from typing import Any

from historylab.tuning.folders import Folder
from historylab.tuning.ledger import Ledger
from historylab.tuning.parts import Done, Part, PartRows, place_rows, write_part

NAME = "_manifest.json"  # readers of Parquet folders pass over what begins so
SCHEMA = 1


def is_parts_folder(out: str) -> bool:
    """Tell whether a table goes into a folder of parts: one that is there, or a path that ends in a slash."""
    return out.endswith(("/", os.sep)) or os.path.isdir(out)


def begin_parts(ledger: Ledger) -> None:
    """Have the parts of earlier commands say what this one does: the settings that differ, and the candidates."""
    if _manifest(ledger.home).get("candidates") != _candidates(ledger):
        _settle(ledger, every=True)
    _write(ledger, {"complete": False})


def leave_parts(ledger: Ledger, about: Mapping[str, Any]) -> int:
    """Leave the parts with a manifest, which has what is told `about` them. Returns how many rows they have."""
    rows = _settle(ledger)
    _write(ledger, {**about, "rows": rows})
    return rows


def _settle(ledger: Ledger, *, every: bool = False) -> int:
    """Write parts anew that have other rows than those of this sweep, or all of them. Returns the rows there are."""
    wanted, changed = ledger.rows_by_part(), False
    for number, (name, rows, there) in enumerate(wanted):
        if not every and rows == there:
            continue
        if rows:
            write_part(ledger.home, _rewritten(ledger, number))
        if there:
            ledger.home.remove(name)
            changed = True
    if changed:
        ledger.read()
    return sum(rows for _, rows, _ in wanted)


def _rewritten(ledger: Ledger, number: int) -> Part:
    """The rows of a part that are of this sweep, with its columns."""
    rows, places = PartRows(), list[int]()
    for source, many, remarks, k, candidate, place in ledger.rows_in(number):
        rows.add(Done(source, k, candidate, many, {}, remarks))
        places.append(place)
    figures = ledger.figures_of(number).take(places)
    names, paths = dict(enumerate(ledger.sources)), dict(enumerate(ledger.paths))
    table = place_rows(figures, rows, names, paths, ledger.layout)
    return Part(rows.spans(names, ledger.settings), table)


def _candidates(ledger: Ledger) -> list[str]:
    return [str(one) for one in ledger.layout.settings["settings"].to_pylist()]


def _manifest(folder: Folder) -> dict[str, Any]:
    """The manifest that is there; empty without one."""
    try:
        with folder.open(NAME) as file:
            found = json.loads(file.read())
    except (OSError, ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _write(ledger: Ledger, about: Mapping[str, Any]) -> None:
    said = {
        "historylab": "the parts of a sweep's table",
        "schema": SCHEMA,
        **about,
        "sources": len(ledger.sources),
        "differing": ledger.layout.settings.column_names[1:-1],
        "candidates": _candidates(ledger),
    }
    ledger.home.write(NAME, json.dumps(said, indent=1).encode())
