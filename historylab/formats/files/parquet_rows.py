"""Rows of a Parquet file, read in batches of a few megabytes whatever the size of its row groups. Needs pyarrow.

A file of some kilobytes can stand for gigabytes, as its pages are compressed, and a text that is written once may be in
each row. So texts are decoded as they are written, once each, and counted before they are made into rows. Lists of
structs are the exception: pyarrow may hold several times the size of their row group while it decodes one.
"""

from __future__ import annotations

import io
import os
from collections.abc import Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import Any, TypeAlias

from historylab.errors import LoadError, TooLarge
from historylab.formats.files.content import Content
from historylab.formats.files.json_values import MAX_ITEMS, too_many
from historylab.formats.files.object_stores import ObjectFile, is_address
from historylab.formats.files.row_table import parse_cell

PARQUET = b"PAR1"
BATCH_BYTES, MAX_BATCH = 4_000_000, 1024
MAX_ROW_BYTES = 500_000_000  # that are loaded at once
LEAST_DECODED, TIMES = 20_000_000, 100
"""Bytes that are decoded whatever the size of the file, and how often its size."""
BUFFER = 1_000_000  # bytes read ahead of a column
MISSING = 'this is a Parquet table; reading it needs pyarrow: pip install "historylab[formats]"'

_Reading: TypeAlias = tuple[object, int, list[Any], Iterator[Any]]
"""A row group being read, and its columns; the number of rows before the batch at hand, that batch, and those after."""
_NOWHERE: _Reading = None, 0, [], iter(())


class ParquetRows:
    """The rows of a file, an object or bytes. Every fault of theirs is a LoadError."""

    def __init__(self, source: Path | str | bytes):
        try:
            from pyarrow import parquet
        except ImportError:
            raise LoadError(MISSING) from None
        try:
            given: Any = io.BytesIO(source) if isinstance(source, bytes) else str(source)
            if isinstance(source, str) and is_address(source):
                given = ObjectFile(source)
            about = parquet.read_metadata(given)
            shared = [about.schema.column(k).path for k in range(about.num_columns) if _is_shared(about, k)]
            self._flat = [path for path in shared if path in about.schema.to_arrow_schema().names]
            how = {"metadata": about, "buffer_size": BUFFER, "pre_buffer": False}
            self._file = parquet.ParquetFile(given, read_dictionary=shared, **how)
            nested = [path for path in shared if path not in self._flat]
            self._as_rows = parquet.ParquetFile(given, read_dictionary=nested, **how)
            self._schema = about.schema.to_arrow_schema()
            self.count: int = about.num_rows
            self._paused = _NOWHERE
            self._groups = [about.row_group(k) for k in range(about.num_row_groups)]
            size = given.seek(0, io.SEEK_END) if isinstance(given, io.IOBase) else os.path.getsize(given)
        except LoadError:
            raise
        except Exception as problem:  # pyarrow's own errors share no base but Exception
            raise LoadError(f"this can't be read as Parquet: {_one_line(problem)}") from None
        self._most = max(LEAST_DECODED, TIMES * size)
        if sum(group.total_byte_size for group in self._groups) > self._most:
            raise _unfolds(self._most)

    def batches(self, most: int) -> list[tuple[int, int]]:
        """The rows shared out: ranges of rows of about so many bytes each, none across two row groups."""
        ranges: list[tuple[int, int]] = []
        begin = 0
        for group in self._groups:
            rows = group.num_rows
            step = max(1, rows * most // max(group.total_byte_size, 1))
            ranges += [(begin + at, begin + min(at + step, rows)) for at in range(0, rows, step)]
            begin += rows
        return ranges

    def rows(
        self, start: int = 0, stop: int | None = None, columns: Sequence[str] | None = None, most: int | None = None
    ) -> Iterator[tuple[str, dict[str, Any]]]:
        """The rows from `start` up to `stop`, each with its location. TooLarge if they take over `most` bytes."""
        try:
            taken, most_at_once = 0, min(self._most, MAX_ROW_BYTES if most is None else most)
            if most is not None and self.count > MAX_ITEMS:
                raise too_many(MAX_ITEMS, "rows", "the table")
            for at, batch in self._arrow(start, self.count if stop is None else stop, columns):
                taken = sum(map(_size_of, batch.columns)) + (0 if most is None else taken)
                if taken > most_at_once:
                    raise _unfolds(most_at_once)
                rows = _with_texts(batch, self._schema).to_pylist()
                yield from ((f"row {at + i}", _record(row)) for i, row in enumerate(rows, 1))
        except LoadError:
            raise
        except Exception as problem:
            raise LoadError(f"this Parquet file is broken: {_one_line(problem)}") from None

    def _arrow(self, start: int, stop: int, columns: Sequence[str] | None) -> Iterator[tuple[int, Any]]:
        """Arrow batches of these rows, with the number of rows before each."""
        begin = 0
        for k, group in enumerate(self._groups):
            first, begin = begin, begin + group.num_rows
            if first < stop and begin > start:
                yield from self._group(k, first, start, stop, columns)

    def _group(
        self, k: int, first: int, start: int, stop: int, columns: Sequence[str] | None
    ) -> Iterator[tuple[int, Any]]:
        """The same of one row group, whose first row is `first`.

        It can be read from its beginning only: so a reading that ended before `start` is gone on with.
        """
        of, at, held, batches = self._paused
        self._paused = _NOWHERE
        if of != (k, columns) or at > start:
            of, at, held, batches = (k, columns), first, [], self._decode_group(k, columns)
        for batch in chain(held, batches):
            low, high, end = max(start - at, 0), min(stop - at, batch.num_rows), at + batch.num_rows
            if low < high:
                yield at + low, batch.slice(low, high - low)
            if end >= stop:
                self._paused = of, at, [batch], batches
                return
            at = end

    def _decode_group(self, k: int, columns: Sequence[str] | None) -> Iterator[Any]:
        """Batches of a row group. Texts are read as rows where no batch could take too much, which holds fewer."""
        group = self._groups[k]
        size = min(MAX_BATCH, max(1, group.num_rows * BATCH_BYTES // max(group.total_byte_size, 1)))
        flat = [path for path in self._flat if columns is None or path in columns]
        first = next(self._file.iter_batches(1, row_groups=[k], columns=flat), None) if flat else None
        bounded = first is None or size * sum(map(_longest, first.columns)) <= min(self._most, MAX_ROW_BYTES)
        file = self._as_rows if bounded else self._file
        found: Iterator[Any] = file.iter_batches(size, row_groups=[k], columns=columns, use_threads=False)
        return found


def is_parquet(content: Content) -> bool:
    """Whether it is a Parquet table."""
    return content.head.startswith(PARQUET)


def parquet_rows(content: Content) -> ParquetRows:
    """The rows of a content."""
    return ParquetRows(content.path or content.data)


def _is_shared(about: Any, k: int) -> bool:
    """Tell whether texts of a column are written once and named in the rows."""
    if about.schema.column(k).physical_type != "BYTE_ARRAY":
        return False
    return any(about.row_group(group).column(k).has_dictionary_page for group in range(about.num_row_groups))


def _with_texts(batch: Any, schema: Any) -> Any:
    """The batch with its texts in each row, which are quicker to read; as it is where pyarrow can't write them so."""
    from pyarrow import ArrowException
    from pyarrow import schema as schema_of

    try:
        return batch.cast(schema_of([schema.field(name) for name in batch.schema.names]))
    except (ArrowException, KeyError, ValueError):
        return batch


def _size_of(values: Any) -> int:
    """Bytes of a column whose texts stand in each row."""
    from pyarrow import compute, types

    if types.is_dictionary(values.type):
        lengths = compute.binary_length(values.dictionary).take(values.indices)
        return compute.sum(lengths).as_py() or 0
    if types.is_struct(values.type):
        return sum(map(_size_of, values.flatten()))
    if types.is_map(values.type):
        return _size_of(values.keys) + _size_of(values.items)
    if types.is_list(values.type) or types.is_large_list(values.type) or types.is_fixed_size_list(values.type):
        return _size_of(values.flatten())
    return int(values.nbytes)


def _longest(values: Any) -> int:
    """Bytes of the longest of the texts that rows share."""
    from pyarrow import compute

    return compute.max(compute.binary_length(values.dictionary)).as_py() or 0


def _unfolds(most: int) -> TooLarge:
    return TooLarge(f"the rows of this table take more than {most / 1e6:,.0f} MB; load a part of it")


def _record(row: dict[str, Any]) -> dict[str, Any]:
    """A row as JSON values: cells that hold JSON text are read, and what a row lacks is left out."""
    return {name: _plain_value(parse_cell(_text(cell))) for name, cell in row.items() if cell is not None}


def _plain_value(value: Any) -> Any:
    """A JSON value. Parquet fills what a struct lacks with nulls, which no message has."""
    if isinstance(value, dict):
        return {str(key): _plain_value(item) for key, item in value.items() if item is not None}
    if isinstance(value, list | tuple):
        return [_plain_value(item) for item in value]
    value = _text(value)
    return value if value is None or isinstance(value, str | int | float | bool) else str(value)


def _text(value: Any) -> Any:
    """The text of bytes, as which some programs write it; anything else as it is."""
    try:
        return value.decode("utf-8") if isinstance(value, bytes) else value
    except UnicodeDecodeError:
        return value


def _one_line(problem: Exception) -> str:
    return " ".join(str(problem).split())[:120]
