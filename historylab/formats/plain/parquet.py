"""Parquet: a table with a message per row, or rows that hold conversations in any format of JSON. Needs pyarrow."""

from __future__ import annotations

from collections.abc import Iterator

from historylab.conversation.conversation import Conversation
from historylab.errors import LoadError
from historylab.formats.base import Format, Report
from historylab.formats.detect import claimants, match_strengths, refuse
from historylab.formats.files.content import Content, ValuesContent
from historylab.formats.files.parquet_rows import MAX_ROW_BYTES, is_parquet, parquet_rows
from historylab.formats.files.row_table import rows_to_conversations, table_columns
from historylab.registry import register


def has_magic(content: Content) -> float:
    """1 for Parquet's own mark."""
    return 1 if is_parquet(content) else 0


@register("format", title="Parquet table", recognise=has_magic)
def parquet(content: Content, report: Report) -> Iterator[Conversation]:
    """A table with a row per message, or per conversation."""
    rows = list(parquet_rows(content).rows(most=MAX_ROW_BYTES))
    if not rows:
        raise LoadError("the table has no rows")
    columns = table_columns(rows)
    held = ValuesContent(rows, content.name)
    claims = {} if columns and not columns.conversation else match_strengths(held)
    if columns and not claims:
        yield from rows_to_conversations(rows, report)
        return
    surest = next(claimants(claims), [])
    if len(surest) != 1:
        raise refuse(held, claims, [each.name for each in surest])
    read: Format = surest[0].target
    yield from read(held, report)
