"""Tables of a content that is an SQLite database."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from historylab.formats.files.content import Content


def has_table(content: Content, table: str, columns: str) -> bool:
    """Tell whether it is a database with a table that has these columns."""
    return content.tables.get(table, frozenset()) >= {*columns.split()}


def table_rows(content: Content, table: str, order: str = "rowid") -> Iterator[dict[str, Any]]:
    """The rows of a table in that order; none where there is no such table."""
    return content.rows(f"SELECT * FROM {table} ORDER BY {order}") if table in content.tables else iter(())
