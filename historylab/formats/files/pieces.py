"""Pieces of a file of many conversations: lines or rows that are read where they are needed, and never sent about.

A piece is a whole file, a range of a JSON Lines file's bytes whose lines are one conversation each, or of a Parquet
file's rows.
"""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from threading import local
from typing import Any

from historylab.conversation.conversation import Conversation
from historylab.errors import LoadError, TooLarge, UnknownFormat
from historylab.formats.files.content import Content, ValuesContent
from historylab.formats.files.parquet_rows import PARQUET, ParquetRows
from historylab.formats.load import MAX_BYTES, load_alone, load_content
from historylab.formats.messages.flat_messages import conversation_id_of
from historylab.formats.shapes.shape import Shape

PIECE_BYTES = 8_000_000
LINES = (".jsonl", ".ndjson")
HELD = ("messages", "traj", "conversations", "conversation", "chat_messages", "dialogue", "dialog")
"""Keys under which a line or a row holds a conversation of its own."""

OF_REQUEST = {"call_type", "response_cost", "spend", "run_type", "observations"}
"""Keys of logs in which several lines belong to one conversation, each with the messages so far."""


@dataclass(frozen=True, slots=True)
class Piece:
    """Part of a file: the lines that begin in bytes `start` up to `stop`, or those rows of a table; else all of it.

    `stamp` is the file's size and time of change, so that a worker that outlives a file's content reads it anew.
    """

    path: str
    start: int = 0
    stop: int | None = None
    stamp: tuple[int, int] = (0, 0)
    shape: Shape | None = None

    def read(self) -> Sequence[Conversation]:
        """The conversations of this piece, with the report of their loading. Raises LoadError naming the file.

        Sub-agents' files beside it are pieces of their own.
        """
        try:
            return self._read()
        except (LoadError, OSError) as problem:
            why = str(problem)
            error = type(problem) if isinstance(problem, UnknownFormat | TooLarge) else LoadError
            raise error(why if os.path.basename(self.path) in why else f"{self}: {why}") from None

    def __str__(self) -> str:
        if self.stop is None:
            return self.path
        return f"{self.path}, from {'row' if is_table(self.path) else 'byte'} {self.start:,}"

    def _read(self) -> Sequence[Conversation]:
        if self.stop is None:
            if self.stamp[0] > MAX_BYTES:
                raise _refusal(self)
            return load_alone(self.path, shape=self.shape)
        if is_table(self.path):
            return load_content(ValuesContent(self._rows(self.stop)), shape=self.shape)
        lines = read_lines(self.path, self.start, self.stop)
        return load_content(Content(lines), shape=self.shape) if lines.strip() else ()

    def _rows(self, stop: int) -> list[Any]:
        """Those rows of a table. A thread's next piece of it goes on from there, as a row group has one beginning."""
        of = (self.path, self.stamp)
        before, _reading.of = getattr(_reading, "of", None), None
        rows: ParquetRows = _reading.rows if before == of else ParquetRows(Path(self.path))
        found = list(rows.rows(self.start, stop))
        if stop < rows.count:
            _reading.of, _reading.rows = of, rows
        return found


_reading = local()
"""The Parquet file that a thread is reading: `rows`, and what they are `of`."""


def split_file(path: str, shape: Shape | None = None, *, most: int | None = None) -> list[Piece]:
    """The pieces of a file, of about `most` bytes each (PIECE_BYTES by default).

    One piece if it holds one conversation, can't be read, or only the workers can see it.
    """
    most = most or PIECE_BYTES
    whole = Piece(path, shape=shape)
    try:
        found = os.stat(path)  # a cluster's workers run in another folder
        whole = Piece(os.path.abspath(path), stamp=(found.st_size, found.st_mtime_ns), shape=shape)
        ranges: list[tuple[int, int]] = []
        if is_table(path):
            rows = ParquetRows(Path(path))
            ranges = rows.batches(most) if holds_conversation(first_row(rows)) else []
        elif path.endswith(LINES) and found.st_size > most and holds_conversation(first_line(path)):
            ranges = [(start, start + most) for start in range(0, found.st_size, most)]
    except (OSError, LoadError):
        return [whole]
    return [replace(whole, start=start, stop=stop) for start, stop in ranges] or [whole]


def is_table(path: str) -> bool:
    """Whether it is a Parquet file, by its mark."""
    with open(path, "rb") as file:
        return file.read(len(PARQUET)) == PARQUET


def holds_conversation(record: Any) -> bool:
    """Whether a line or a row is a conversation by itself, not a message of one, nor one of its logged requests."""
    if not isinstance(record, dict) or not OF_REQUEST.isdisjoint(record):
        return False
    return any(isinstance(record.get(name), list) for name in HELD)


def _refusal(piece: Piece) -> TooLarge:
    """What a file is that is too large to be read whole, and can't be read in pieces; and what to do."""
    table = is_table(piece.path)
    first = first_row(ParquetRows(Path(piece.path))) if table else None
    if piece.path.endswith(LINES):
        first = first_line(piece.path)
    instead, found = 'write a line for each conversation, {"messages": […]}, or a file for each', ""
    if isinstance(first, dict):
        found = f", and here one has {', '.join(f'{name!r:.40}' for name in list(first)[:4])}"
        if conversation_id_of(first):
            instead = f"`historylab FILE` opens one conversation of it; for all of them, {instead}"
    unit = "row" if table else "line"
    size = f"{piece.stamp[0] / 1e6:,.1f} MB; more than {MAX_BYTES / 1e6:,.0f} MB"
    return TooLarge(f"{piece.path!r} has {size} are read only where each {unit} is a conversation{found}; {instead}")


def first_row(rows: ParquetRows) -> Any:
    """The first row of a table; None if it is empty."""
    return next((row for _, row in rows.rows(0, 1)), None)


def first_line(path: str) -> Any:
    """The JSON value of the first line; None if it is none."""
    with open(path, "rb") as file:
        try:
            return json.loads(file.readline(MAX_BYTES))
        except (ValueError, RecursionError):
            return None


def read_lines(path: str, start: int, stop: int) -> bytes:
    """The lines that begin in bytes start … stop - 1; the last is read to its end."""
    with open(path, "rb") as file:
        if start:
            file.seek(start - 1)
            file.readline()  # it began in the piece before
        lines = file.read(max(stop - file.tell(), 0))
        return lines if lines[-1:] in (b"", b"\n") else lines + file.readline()
