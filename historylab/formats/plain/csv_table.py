"""CSV: a table with a header, separated by commas, semicolons, tabs or bars; see `row_table` for its columns."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from itertools import islice
from typing import Any

from historylab.conversation.conversation import Conversation
from historylab.errors import LoadError
from historylab.formats.base import Report
from historylab.formats.files.content import Content
from historylab.formats.files.json_values import MAX_ITEMS, too_many
from historylab.formats.files.row_table import columns_of, rows_to_conversations, table_columns
from historylab.registry import register

DELIMITERS = ",;\t|"
LOOKED_AT = 20  # rows read to recognise a table
HEADER = 10_000  # characters a header may have
MOST_IN_CELL = 50_000_000
MOST_COLUMNS = 10_000
FEW_ROWS, CHARACTERS_OF_A_ROW = 100_000, 35
"""Rows that are read however short they are; more have so many characters on average: a row takes 20 times them."""
EXCEL = "sep="  # the first line of a file that names its delimiter to Excel


def has_columns(content: Content) -> float:
    """0.7 for a header that names a speaker's and a content's column, or rows that hold conversations."""
    first = content.text[:HEADER].lstrip().partition("\n")[0]
    if first[:1] in ("{", "[", "<", "#", "") or not any(d in first for d in DELIMITERS):
        return 0
    sample = list(islice(rows_of_table(content.text), LOOKED_AT))
    return 0.7 if sample and table_columns(sample) else 0


@register("format", "csv", title="CSV table", recognise=has_columns)
def csv_table(content: Content, report: Report) -> Iterator[Conversation]:
    """A table with a header: a row per message, or per conversation."""
    yield from rows_to_conversations(rows_of_table(content.text), report)


def rows_of_table(text: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Each row by column name, with its location; cells beyond the header are a column without a name."""
    text = text.lstrip("\r\n")
    before = 1 if text[: len(EXCEL)].casefold() == EXCEL else 0
    text = text.partition("\n")[2] if before else text
    most = csv.field_size_limit(MOST_IN_CELL)  # the default of 131,072 is less than a long tool result
    try:
        table = csv.reader(io.StringIO(text, newline=""), delimiter=_delimiter(text), skipinitialspace=True)
        header = [name.strip() for name in next(table, [])]
        if len(header) > MOST_COLUMNS:
            raise too_many(MOST_COLUMNS, "columns", "the table")
        rows, most_rows = 0, min(MAX_ITEMS, FEW_ROWS + len(text) // CHARACTERS_OF_A_ROW)
        for cells in table:
            if any(cells):
                rows += 1
                if rows > most_rows:
                    things = "rows" if most_rows == MAX_ITEMS else "rows of a few letters"
                    raise too_many(most_rows, things, "the table")
                row: dict[str, Any] = dict(zip(header, cells, strict=False))
                if len(cells) > len(header):
                    row[""] = cells[len(header) :]
                yield f"line {table.line_num + before}", row
    except csv.Error as problem:
        raise LoadError(f"the table can't be read as CSV: {problem}") from None
    finally:
        csv.field_size_limit(most)


def _delimiter(text: str) -> str:
    """The delimiter that makes most of the header's names known, else the most frequent."""
    header = text[:HEADER].partition("\n")[0]

    def count_known(delimiter: str) -> tuple[int, int]:
        names = next(csv.reader([header], delimiter=delimiter), [])
        return len(columns_of(names).names), len(names)

    return max(DELIMITERS, key=count_known)
