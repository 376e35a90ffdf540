"""Listing: the conversations of a file too large to be loaded, found piece by piece; each is read when it is opened.

A JSON Lines or Parquet file of many conversations has one per line or row, or one per id that its lines or rows name,
wherever in the file they stand. Any other file is loaded whole.
"""

from __future__ import annotations

import json
import os
from array import array
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from historylab.conversation.conversation import Conversation
from historylab.errors import LoadError, TooLarge
from historylab.formats.files.content import Content, ValuesContent
from historylab.formats.files.parquet_rows import ParquetRows
from historylab.formats.files.pieces import (
    LINES,
    Piece,
    first_line,
    first_row,
    holds_conversation,
    is_table,
    read_lines,
    split_file,
)
from historylab.formats.files.row_table import columns_of
from historylab.formats.load import load_content
from historylab.formats.messages.flat_messages import conversation_id_of
from historylab.formats.messages.speakers import role_of
from historylab.formats.titles import QUESTION, opening

MAX_LISTED = 500_000
REPORT_EVERY = 10_000  # lines or rows

Progress = Callable[[int, int], object]
"""Called with how much was read and how much there is, in bytes or rows."""


@dataclass(frozen=True, slots=True)
class ListedConversation:
    """One conversation of a listing: its title, how many messages (or rows) it has, and where it is."""

    title: str
    messages: int
    where: str


class Listing:
    """The conversations of a file in its order: `entries`, and `open(i)`.

    `skipped`: pieces that could not be read, with the reason.
    """

    def __init__(self, entries: list[ListedConversation], read: Callable[[int], Conversation], skipped: dict[str, str]):
        self.entries, self._read, self.skipped = tuple(entries), read, skipped

    def __len__(self) -> int:
        return len(self.entries)

    def __repr__(self) -> str:
        return f"<Listing of {len(self):,} conversations>"

    def open(self, i: int) -> Conversation:
        """Read that conversation."""
        return self._read(range(len(self.entries))[i])


def list_conversations(path: str | os.PathLike[str], progress: Progress = lambda done, total: None) -> Listing:
    """List the conversations of a file in memory that doesn't grow with it. Raises LoadError as `load` does.

    `progress` is called now and then with how much was read and how much there is.
    """
    name = os.fspath(path)
    try:
        grouped = _open_grouped(name)
        pieces = [] if grouped else split_file(name)
    except OSError:
        grouped, pieces = None, []
    if grouped:
        return _listed_by_id(grouped, progress)
    if len(pieces) > 1:
        return _listed_by_piece(pieces, progress)
    loaded = (pieces or [Piece(name)])[0].read()
    progress(1, 1)
    entries = [ListedConversation(c.title, len(c), f"conversation {n}") for n, c in enumerate(loaded, 1)]
    return Listing(entries, loaded.__getitem__, {})


def _listed_by_piece(pieces: list[Piece], progress: Progress) -> Listing:
    """Conversations that are a line or a row each: pieces are read one by one, and what is opened is read again."""
    entries: list[ListedConversation] = []
    places: list[tuple[int, int]] = []
    skipped: dict[str, str] = {}
    for number, piece in enumerate(pieces):
        try:
            for k, found in enumerate(piece.read()):
                entries.append(ListedConversation(found.title, len(found), str(piece).removeprefix(f"{piece.path}, ")))
                places.append((number, k))
        except LoadError as problem:
            skipped[str(piece)] = str(problem)
        _refuse_over(len(entries))
        progress(number + 1, len(pieces))
    if not entries:
        raise LoadError(next(iter(skipped.values()), "no conversation is in it"))

    def read(i: int) -> Conversation:
        number, k = places[i]
        return pieces[number].read()[k]

    return Listing(entries, read, skipped)


# -- rows of conversations told apart by an id


@dataclass(slots=True)
class _Group:
    """The rows of one id: `runs` are where each stretch of them begins and ends, in bytes or rows."""

    id: str
    title: str = ""
    rows: int = 0
    runs: array[int] = field(default_factory=lambda: array("Q"))

    def add(self, start: int, stop: int, row: dict[str, Any]) -> None:
        """Count a row."""
        self.rows += 1
        if self.runs and self.runs[-1] == start:
            self.runs[-1] = stop
        else:
            self.runs.extend((start, stop))
        if not self.title:
            self.title = _question(row)


_Found = tuple[int, int, str, dict[str, Any]]
"""The places where a row begins and ends, the id that it names, and the row."""


class _Grouped(NamedTuple):
    """A file of rows that name their conversation: its size, its rows, and what reads the rows of some ranges."""

    total: int
    rows: Iterator[_Found]
    read: Callable[[Iterable[tuple[int, int]]], Content]


def _open_grouped(path: str) -> _Grouped | None:
    """The file as rows that name their conversation, if it is one."""
    if is_table(path):
        table = ParquetRows(path)
        row = first_row(table)
        names = columns_of(row).names if isinstance(row, dict) and not holds_conversation(row) else {}
        if not {"role", "content", "group"} <= names.keys():
            return None
        found = table.rows(columns=[names[name] for name in ("group", "role", "content")])
        rows = ((at, at + 1, str(row.get(names["group"], "")), row) for at, (_, row) in enumerate(found))
        return _Grouped(table.count, rows, lambda runs: ValuesContent([r for run in runs for r in table.rows(*run)]))
    line = first_line(path) if path.endswith(LINES) else None
    with suppress(LoadError):
        if isinstance(line, dict) and not holds_conversation(line) and conversation_id_of(line):
            size, lines = os.path.getsize(path), _named_lines(path)
            return _Grouped(size, lines, lambda runs: Content(_lines_of(path, runs)))
    return None


def _lines_of(path: str, runs: Iterable[tuple[int, int]]) -> bytes:
    with open(path, "rb") as file:
        return b"".join(read_lines(file, *run) for run in runs)


def _named_lines(path: str) -> Iterator[_Found]:
    at = 0
    with open(path, "rb") as file:
        for line in file:
            start, at = at, at + len(line)
            try:
                row = json.loads(line)
                named = conversation_id_of(row)
            except (ValueError, RecursionError):  # a LoadError is a ValueError
                continue
            if isinstance(row, dict):
                yield start, at, str(next(iter(named.values()), "")), row


def _listed_by_id(file: _Grouped, progress: Progress) -> Listing:
    groups: dict[str, _Group] = {}
    for count, (start, stop, named, row) in enumerate(file.rows):
        if named not in groups:
            groups[named] = _Group(named)
            _refuse_over(len(groups))
        groups[named].add(start, stop, row)
        if count % REPORT_EVERY == 0:
            progress(stop, file.total)
    progress(file.total, file.total)
    found = list(groups.values())
    entries = [ListedConversation(group.title or group.id, group.rows, group.id) for group in found]

    def read(i: int) -> Conversation:
        runs = found[i].runs
        return load_content(file.read(zip(runs[::2], runs[1::2], strict=True)))[0]

    return Listing(entries, read, {})


def _question(row: dict[str, Any]) -> str:
    """The opening words of a row, if the user speaks."""
    columns = columns_of(name for name in row if isinstance(name, str)).names
    said = row.get(columns.get("content", ""))
    asks = role_of(str(row.get(columns.get("role", ""), ""))) == "user"
    return opening(said, QUESTION) if asks and isinstance(said, str) else ""


def _refuse_over(count: int) -> None:
    if count > MAX_LISTED:
        raise TooLarge(f"the file holds more than {MAX_LISTED:,} conversations; list a part of it")
