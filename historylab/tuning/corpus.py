"""The conversations of a sweep: values, or pieces of files that are read where the work is done.

A piece is a whole file, a range of a JSONL file's bytes whose lines are one conversation each, or a row group of a
Parquet file, so that a corpus is read by the workers and never sent to them.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from historylab.conversation.conversation import Conversation
from historylab.errors import LoadError
from historylab.formats.load import load

PIECE_BYTES = 8_000_000
LINES = (".jsonl", ".ndjson")


@dataclass(frozen=True, slots=True)
class Piece:
    """Part of a file: the lines that begin in bytes `start` up to `stop`, or a Parquet row group; else all of it.

    `stamp` is the file's size and time of change, so that a worker that outlives a file's content reads it anew.
    """

    path: str
    start: int = 0
    stop: int | None = None
    row_group: int | None = None
    stamp: tuple[int, int] = (0, 0)

    def read(self) -> Sequence[Conversation]:
        """The conversations of this piece, with the report of their loading. Raises LoadError naming the file."""
        try:
            return self._read()
        except (LoadError, OSError) as problem:
            why = str(problem)
            raise LoadError(why if os.path.basename(self.path) in why else f"{self}: {why}") from None

    def __str__(self) -> str:
        if self.row_group is not None:
            return f"{self.path}, row group {self.row_group + 1}"
        return self.path if self.stop is None else f"{self.path}, from byte {self.start:,}"

    def _read(self) -> Sequence[Conversation]:
        name = os.path.basename(self.path)
        if self.path.endswith(".parquet"):
            return load(_rows(self.path, self.row_group), name=f"{name}.jsonl")
        if self.stop is None:
            return load(self.path)
        lines = _lines(self.path, self.start, self.stop)
        return load(lines, name=name) if lines.strip() else ()


Source = Conversation | Piece


def to_sources(given: Iterable[Conversation | str | os.PathLike[str]]) -> Iterator[Source]:
    """Conversations as they are, paths as their pieces."""
    for item in given:
        yield from [item] if isinstance(item, Conversation) else split_file(os.fspath(item))


def split_file(path: str) -> list[Piece]:
    """The pieces of a file; one piece if it holds one conversation, can't be read, or only the workers can see it."""
    try:
        found, path = os.stat(path), os.path.abspath(path)  # a cluster's workers run in another folder
        whole = Piece(path, stamp=(found.st_size, found.st_mtime_ns))
        if path.endswith(".parquet"):
            return [replace(whole, row_group=k) for k in range(_parquet(path).num_row_groups)] or [whole]
        if path.endswith(LINES) and found.st_size > PIECE_BYTES and _is_corpus(path):
            starts = range(0, found.st_size, PIECE_BYTES)
            return [replace(whole, start=start, stop=start + PIECE_BYTES) for start in starts]
        return [whole]
    except (OSError, LoadError):
        return [Piece(path)]


def read_source(source: Source) -> Sequence[Conversation]:
    """The conversations of a source."""
    return (source,) if isinstance(source, Conversation) else source.read()


@lru_cache(maxsize=4)
def read_source_cached(source: Source) -> Sequence[Conversation]:
    """`read_source`, with the latest results cached: on a worker, batches of one conversation follow each other."""
    return read_source(source)


def picklable_source(source: Source) -> Source:
    """The source as sent to another process: a conversation without the callers' own objects."""
    if isinstance(source, Piece):
        return source
    return source.edited(m if m.source is None else replace(m, source=None) for m in source)


def _is_corpus(path: str) -> bool:
    """Whether the first line is a conversation by itself, not a message of one."""
    with open(path, "rb") as file:
        try:
            first = json.loads(file.readline())
        except (ValueError, RecursionError):
            return False
    return isinstance(first, dict) and any(isinstance(first.get(name), list) for name in ("messages", "traj"))


def _lines(path: str, start: int, stop: int) -> bytes:
    """The lines that begin in bytes start … stop - 1; the last is read to its end."""
    with open(path, "rb") as file:
        if start:
            file.seek(start - 1)
            file.readline()  # it began in the piece before
        begin = file.tell()
        if begin >= stop:
            return b""
        lines = file.read(stop - begin)
        return lines if lines.endswith(b"\n") else lines + file.readline()


def _parquet(path: str) -> Any:
    try:
        from pyarrow import parquet
    except ImportError:
        raise LoadError(f"{path!r} is a Parquet file; reading it needs pyarrow: pip install pyarrow") from None
    try:
        return parquet.ParquetFile(path)
    except Exception as problem:  # pyarrow's own errors share no base but Exception
        raise LoadError(f"{path!r} can't be read as Parquet: {problem}") from None


def _rows(path: str, row_group: int | None) -> bytes:
    """The rows of a row group, or of all, as JSON lines. A `messages` column may hold lists or their JSON text."""
    file = _parquet(path)
    try:
        rows = (file.read() if row_group is None else file.read_row_group(row_group)).to_pylist()
    except Exception as problem:
        raise LoadError(f"{path!r} is a broken Parquet file: {problem}") from None
    return b"\n".join(json.dumps(_record(row), default=str).encode() for row in rows)


def _record(row: dict[str, Any]) -> dict[str, Any]:
    messages = row.get("messages")
    read = _read_json(messages) if isinstance(messages, str) else messages
    return {k: _without_nulls(v) for k, v in {**row, "messages": read}.items() if v is not None}


def _read_json(text: str) -> Any:
    """The value; the text itself where it is none, which the format will report."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text


def _without_nulls(value: Any) -> Any:
    """Parquet fills what a struct lacks with nulls, which no message has."""
    if isinstance(value, dict):
        return {k: _without_nulls(v) for k, v in value.items() if v is not None}
    return [_without_nulls(v) for v in value] if isinstance(value, list) else value
