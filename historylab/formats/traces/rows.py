"""The rows of an export: JSON lines, a list, a list in an object, or a CSV table whose cells may hold JSON."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any

from historylab.formats.base import Recognise, Report, kind_of
from historylab.formats.files.content import Content
from historylab.formats.messages.fields import unpack_json
from historylab.formats.plain.csv_table import rows_of_table

LOOKED_AT = 200  # rows or spans that a format is recognised by
HOLDERS = ("data", "rows", "runs", "requests", "results", "items", "logs")


def rows_in(content: Content, most: int | None = None) -> Iterator[tuple[str, Any]]:
    """Every row with its location. `most`: rows of any list."""
    if not most:
        return _rows_of(content, most)
    return iter(content.once(("rows", most), lambda: list(_rows_of(content, most))))


def _rows_of(content: Content, most: int | None) -> Iterator[tuple[str, Any]]:
    if not _begins_as_json(content):
        for where, row in islice(rows_of_table(content.text), most):
            yield where, {name: unpack_json(cell) for name, cell in row.items() if cell != ""}
        return
    for where, value in content.values[:most]:
        yield from _rows(value, where, most)


def object_rows(content: Content, report: Report) -> Iterator[tuple[str, dict[str, Any]]]:
    """Every row that is an object; what is none is skipped on the report."""
    for where, row in rows_in(content):
        if isinstance(row, dict):
            yield where, row
        else:
            report.skip(f"{kind_of(row)}, not an object", where)


def sampled_rows(content: Content) -> list[dict[str, Any]]:
    """The rows that a format is recognised by."""
    return [row for _, row in rows_in(content, LOOKED_AT) if isinstance(row, dict)]


def row_recogniser(is_row: Callable[[dict[str, Any]], object], sure: float = 0.95) -> Recognise:
    """Recognises a file, nearly surely, by one row of which that is so."""
    return lambda content: sure if any(map(is_row, sampled_rows(content))) else 0


def _begins_as_json(content: Content) -> bool:
    """Read off the first bytes where they tell, as decoding a large file takes long."""
    begins = content.head.lstrip(b"\xef\xbb\xbf \t\r\n")[:1]
    return begins in (b"", b"{", b"[") or content.text.lstrip()[:1] in ("{", "[")


def _rows(value: Any, where: str, most: int | None) -> Iterator[tuple[str, Any]]:
    if isinstance(value, list):
        for i, item in enumerate(value[:most]):
            yield f"{where}[{i}]", item
        return
    if isinstance(value, dict) and isinstance(inner := value.get("results"), dict) and _holder(inner):
        value, where = inner, f"{where} results".strip()
    holder = _holder(value) if isinstance(value, dict) else ""
    if holder and all(isinstance(item, dict) for item in value[holder][:1]):
        yield from _rows(value[holder], f"{where} {holder}".strip(), most)
    else:
        yield where, value


def _holder(value: dict[str, Any]) -> str:
    if value.keys().isdisjoint(HOLDERS):  # most rows
        return ""
    return next((name for name in HOLDERS if isinstance(value.get(name), list)), "")
