"""The list of conversations in the browser: a table whose rows open them, with what was found of each under it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from historylab.ui.session import session
from historylab.ui.shared.browser import component


def browser_list(
    mount: str,
    data: Mapping[str, Any],
    on_open: Callable[[], None],
    on_tick: Callable[[], None],
    on_sort: Callable[[], None],
) -> None:
    """Draw `data`: label, columns, the column sorted by, and rows of texts, which may quote anything; see `rows.py`."""
    component(Path(__file__).parent, ("list",))(
        key=mount, data=dict(data), on_open_change=on_open, on_tick_change=on_tick, on_sort_change=on_sort
    )


def opened_row(mount: str) -> tuple[int, int | None] | None:
    """The row whose conversation was clicked, and the message if it was one of those found; both from 0."""
    given = session.told_by(mount, "open") or {}
    row, message = given.get("row"), given.get("message")
    return (row, message if type(message) is int else None) if type(row) is int else None


def ticked_rows(mount: str) -> tuple[list[int], bool]:
    """The rows whose box was clicked, and whether they are ticked now."""
    given = session.told_by(mount, "tick") or {}
    rows = given.get("rows")
    return [row for row in rows if type(row) is int] if isinstance(rows, list) else [], given.get("yes") is True


def sorted_column(mount: str) -> str:
    """The column whose heading was clicked."""
    return str((session.told_by(mount, "sort") or {}).get("column"))
