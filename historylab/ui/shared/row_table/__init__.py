"""A table in the browser of which a click anywhere on a row goes where the row says; on a narrow screen, cards."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from historylab.ui.session import session
from historylab.ui.shared.browser import component


@dataclass(frozen=True, slots=True)
class Column:
    """A column's heading, and whether it holds numbers, dates, whole words, or what a card needn't name."""

    label: str
    kind: str = "text"  # or "number", "date", "word", "plain"


def row_table(
    key: str,
    columns: Sequence[Column],
    rows: Sequence[Sequence[str]],
    choose: Callable[[int], None],
    *,
    label: str,
    chosen: int | None = None,
    names: Sequence[str] = (),
    lines: bool = False,
) -> None:
    """Draw the rows, untrusted texts; `choose(row)` is called for the one that is clicked, `chosen` is marked.

    With `lines` the first two cells of a row stand in one line, and the others in the one below.

    Where rows move while they are looked at, each has a name: a click on what is no longer there does nothing.
    """
    heads = [{"label": column.label, "kind": column.kind} for column in columns]
    component(Path(__file__).parent, ("table",))(
        key=key,
        data={
            "label": label,
            "columns": heads,
            "rows": [list(row) for row in rows],
            "chosen": chosen,
            "names": list(names),
            "lines": lines,
        },
        on_row_change=lambda: _choose_row(key, list(names) or list(range(len(rows))), choose),
    )


def _choose_row(key: str, names: list[str] | list[int], choose: Callable[[int], None]) -> None:
    row = session.told_by(key, "row")
    if type(row) in (int, str) and row in names:
        choose(names.index(row))
