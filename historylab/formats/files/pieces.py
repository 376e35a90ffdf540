"""Pieces of a file of many conversations: lines or rows that are read where they are needed, and never sent about.

A piece is a whole file, a range of a JSON Lines file's bytes whose lines are one conversation each, packed ones too, or
of a Parquet file's rows; on a disk or in an object store.
"""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from threading import local
from typing import Any, BinaryIO

from historylab.conversation.conversation import Conversation
from historylab.errors import LoadError, TooLarge, UnknownFormat
from historylab.formats.files.content import Content, ValuesContent
from historylab.formats.files.object_stores import Stamp, is_address, open_file
from historylab.formats.files.packed_lines import PackedLines
from historylab.formats.files.packings import unpack_stream
from historylab.formats.files.parquet_rows import PARQUET, ParquetRows
from historylab.formats.load import MAX_BYTES, load_alone, load_content
from historylab.formats.messages.flat_messages import conversation_id_of
from historylab.formats.shapes.shape import Shape

PIECE_BYTES = 8_000_000
LINES = (".jsonl", ".ndjson")
PACKED_LINES = tuple(name + packed for name in LINES for packed in (".gz", ".zst"))
UNFOLDS = 5  # bytes of lines that a packed byte stands for, about
BYTE, PACKED_BYTE, ROW = "byte", "packed byte", "row"
HELD = ("messages", "traj", "conversations", "conversation", "chat_messages", "dialogue", "dialog")
"""Keys under which a line or a row holds a conversation of its own."""

OF_REQUEST = {"call_type", "response_cost", "spend", "run_type", "observations"}
"""Keys of logs in which several lines belong to one conversation, each with the messages so far."""


@dataclass(frozen=True, slots=True)
class Piece:
    """Part of a file, by `unit`: the lines that begin in those bytes, packed or not, or those rows of a table.

    Without a `stop` all of it. `stamp` tells whether the file has changed, so that a worker that outlives its content
    reads it anew.
    """

    path: str
    start: int = 0
    stop: int | None = None
    stamp: Stamp = (0, 0)
    shape: Shape | None = None
    unit: str = BYTE

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
        return self.path if self.stop is None else f"{self.path}, from {self.unit} {self.start:,}"

    def _read(self) -> Sequence[Conversation]:
        if self.stop is None:
            if self.stamp[0] > MAX_BYTES:
                raise _refusal(self)
            return load_alone(self.path, shape=self.shape)
        if self.unit == ROW:
            return load_content(ValuesContent(self._rows(self.stop)), shape=self.shape)
        read = self._packed_lines if self.unit == PACKED_BYTE else self._lines
        lines = read(self.stop)
        return load_content(Content(lines), shape=self.shape) if lines.strip() else ()

    def _lines(self, stop: int) -> bytes:
        with open_file(self.path, self.stamp[0]) as file:
            return read_lines(file, self.start, stop)

    def _packed_lines(self, stop: int) -> bytes:
        """The lines of the piece. A thread's next one goes on from there, as unpacking starts at the beginning."""
        packed = _take_paused(self)
        if not isinstance(packed, PackedLines) or packed.reached > self.start:
            packed = PackedLines(open_file(self.path, self.stamp[0]))
        lines = packed.between(self.start, stop)
        _pause(self, packed)
        return lines

    def _rows(self, stop: int) -> list[Any]:
        """The rows of the piece. A thread's next one goes on from there, as a row group is read from its beginning."""
        rows = _take_paused(self)
        if not isinstance(rows, ParquetRows):
            rows = ParquetRows(self.path)
        found = list(rows.rows(self.start, stop))
        if stop < rows.count:
            _pause(self, rows)
        return found


_reading = local()
"""The file that a thread reads in pieces: its `reader`, and the file it is `of`."""


def _take_paused(piece: Piece) -> Any:
    """The reader that this thread paused in that file, if any; one that then fails isn't gone on with."""
    before, _reading.of = getattr(_reading, "of", None), None
    return _reading.reader if before == (piece.path, piece.stamp) else None


def _pause(piece: Piece, reader: Any) -> None:
    _reading.of, _reading.reader = (piece.path, piece.stamp), reader


def split_file(
    path: str, shape: Shape | None = None, *, most: int | None = None, stamp: Stamp | None = None
) -> list[Piece]:
    """The pieces of a file, of about `most` bytes each (PIECE_BYTES by default); `stamp`, if it is known.

    One piece if it holds one conversation, can't be read, or only the workers can see it.
    """
    whole = Piece(path, stamp=stamp or (0, 0), shape=shape)
    try:
        if not is_address(path):
            found = os.stat(path)  # a cluster's workers run in another folder
            whole = Piece(os.path.abspath(path), stamp=(found.st_size, found.st_mtime_ns), shape=shape)
        unit, ranges = _ranges(whole, most or PIECE_BYTES)
    except (OSError, LoadError):
        return [whole]
    return [replace(whole, start=start, stop=stop, unit=unit) for start, stop in ranges] or [whole]


def _ranges(whole: Piece, most: int) -> tuple[str, list[tuple[int, int]]]:
    """The ranges of `most` bytes each in which a file can be read, and their unit; none if it can't be.

    An object of at most so many bytes isn't looked at: there may be a million of them.
    """
    path, size = whole.path, whole.stamp[0]
    packed = path.endswith(PACKED_LINES)
    step = max(1, most // UNFOLDS) if packed else most
    if size <= step and is_address(path):
        return BYTE, []
    if is_table(path):
        rows = ParquetRows(path)
        return ROW, rows.batches(most) if holds_conversation(first_row(rows)) else []
    if size <= step or not (packed or path.endswith(LINES)) or not holds_conversation(first_line(path)):
        return BYTE, []
    unit = PACKED_BYTE if packed else BYTE
    return unit, [(start, start + step) for start in range(0, size + packed, step)]


def is_table(path: str) -> bool:
    """Tell whether it is a Parquet file, by its mark; an object by its name."""
    if is_address(path):
        return path.endswith(".parquet")
    with open(path, "rb") as file:
        return file.read(len(PARQUET)) == PARQUET


def holds_conversation(record: Any) -> bool:
    """Tell whether a line or a row is a conversation by itself, not a message of one, nor a logged request of it."""
    if not isinstance(record, dict) or not OF_REQUEST.isdisjoint(record):
        return False
    return any(isinstance(record.get(name), list) for name in HELD)


def _refusal(piece: Piece) -> TooLarge:
    """The refusal of a file too large to be read whole that can't be read in pieces either; with what to do instead."""
    table = is_table(piece.path)
    first = first_row(ParquetRows(piece.path)) if table else None
    if piece.path.endswith((*LINES, *PACKED_LINES)):
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
    with open_file(path) as file:
        try:
            return json.loads((unpack_stream(file) if path.endswith(PACKED_LINES) else file).readline(MAX_BYTES))
        except (ValueError, RecursionError):  # a LoadError is a ValueError
            return None


def read_lines(file: BinaryIO, start: int, stop: int) -> bytes:
    """The lines that begin in bytes start … stop - 1; the last is read to its end."""
    if start:
        file.seek(start - 1)
        file.readline()  # it began in the piece before
    lines = file.read(max(stop - file.tell(), 0))
    return lines if lines[-1:] in (b"", b"\n") else lines + file.readline()
