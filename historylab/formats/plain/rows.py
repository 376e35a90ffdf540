"""Rows: flat JSON objects of which one field says who speaks and another what, such as `speaker` and `utterance`.

A list, an object that holds one, or JSON Lines. Rows with `role` and `content` are Chat Completions; see `row_table`
for the names of the fields.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any

from historylab.conversation.conversation import Conversation
from historylab.formats.base import Report
from historylab.formats.files.content import Content
from historylab.formats.files.row_table import LOOKED_AT, rows_to_conversations, table_columns
from historylab.registry import register

HOLDERS = ("rows", "data", "messages", "utterances", "turns", "dialogue", "dialog", "history", "items", "records")


def has_rows(content: Content) -> float:
    """0.4, as any other format whose records have such fields, too, knows them better."""
    sample = list(islice(_rows(content.values), LOOKED_AT))
    columns = table_columns(sample)
    if not columns or columns.conversation:
        return 0
    pair = (columns.names["role"], columns.names["content"])
    full = [row for _, row in sample if isinstance(row, Mapping) and row.keys() >= set(pair)]
    return 0.4 if pair != ("role", "content") and len(full) * 2 > len(sample) else 0


@register("format", title="Rows with a speaker and a text", recognise=has_rows, marks="speaker utterance")
def rows(content: Content, report: Report) -> Iterator[Conversation]:
    """Flat records of who said what, under other names than `role` and `content`."""
    for where, value in content.values:
        if _holder(value):
            report.leave(value, {_holder(value)}, where)
    yield from rows_to_conversations(_rows(content.values), report)


def _rows(values: list[tuple[str, Any]]) -> Iterator[tuple[str, Any]]:
    for where, value in values:
        holder = _holder(value)
        items = value[holder] if holder else value
        if isinstance(items, list):
            yield from ((f"{where} {holder}[{i}]".strip(), item) for i, item in enumerate(items))
        else:
            yield where, value


def _holder(value: Any) -> str:
    if not isinstance(value, dict) or value.keys().isdisjoint(HOLDERS):
        return ""
    held = (key for key in HOLDERS if isinstance(value.get(key), list))
    return next((key for key in held if all(isinstance(item, dict) for item in value[key][:LOOKED_AT])), "")
