"""Content: what a file holds, decoded and parsed as JSON at most once for all formats.

JSON lines are tried before whole-file JSON, because one line of JSONL is JSON too; they are read one by one, so that a
large file is never held as bytes, text and values at once. Every error says where and why.
"""

from __future__ import annotations

import io
import json
import weakref
from collections.abc import Callable, Hashable, Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import Any, BinaryIO, Protocol, TypeVar

from historylab.errors import LoadError
from historylab.formats.files.database import MAGIC, query_rows, read_database, tables_of
from historylab.formats.files.json_values import ASK, MAX_ITEMS, JsonParser, too_many
from historylab.formats.files.refusals import refuse_binary, where_broken
from historylab.formats.files.sampling import take_sample

T = TypeVar("T")
HEAD = 4096
BUFFER_BYTES = 1_000_000  # read at once
VALUES = (b"{", b"[")  # as lines of JSON begin
SAMPLE_BYTES = 256_000  # of the text that formats are recognised by


class Faults(Protocol):
    """Counts faults of a file, as a `Report` does, by what is wrong and where it first was."""

    def skip(self, reason: str, where: str) -> None: ...

    def warn(self, reason: str, where: str) -> None: ...


class Content:
    """The input of a format: `data` (bytes), `name` (of the file, or empty), `text`, `values`, `tables`.

    `siblings` are the other files of the archive it comes from, by name. A format that reads some of them names them
    in `taken`, and they aren't read once more.
    """

    def __init__(
        self,
        data: bytes | None = None,
        name: str = "",
        *,
        path: Path | None = None,
        siblings: Mapping[str, bytes] | None = None,
    ):
        self.name, self.path, self.siblings = name, path, siblings or {}
        self.taken: set[str] = set()
        self.broken_lines: list[tuple[str, str]] = []  # (where, reason), known once `values` has been read
        self.undecodable = 0  # characters that replace bytes which are not text, known once they have been read
        self._parser = JsonParser()
        self._found: dict[Hashable, Any] = {}
        if data is not None:
            self.data = data

    @cached_property
    def data(self) -> bytes:
        """All bytes. Those of a large file are better not asked for: `head`, `text` and `values` do without."""
        if self.path is None:
            return b""
        return read_database(self.path) if self.head.startswith(MAGIC) else self.path.read_bytes()

    @cached_property
    def head(self) -> bytes:
        """The first bytes."""
        with self._open() as file:
            return file.read(HEAD)

    @cached_property
    def tables(self) -> Mapping[str, frozenset[str]]:
        """Table → its columns, of an SQLite database; empty for anything else. LoadError if it is damaged."""
        return tables_of(self.data) if self.head.startswith(MAGIC) else {}

    def rows(self, query: str) -> Iterator[dict[str, Any]]:
        """The rows that an SQLite query returns, by column name. LoadError if the database is damaged."""
        return query_rows(self.data, query)

    @cached_property
    def text(self) -> str:
        """The decoded text (UTF-8, UTF-16 or UTF-32), without its byte order mark. Raises LoadError for binary data."""
        return self._text()

    @property
    def values(self) -> list[tuple[str, Any]]:
        """The JSON values with their locations: ("line 7", value) for JSON lines, ("", value) for one document.

        Raises LoadError saying where the JSON is broken, or what the text is instead.
        """
        if isinstance(self._values, LoadError):
            raise self._values.with_traceback(None)
        return self._values

    @cached_property
    def sample(self) -> Content:
        """A part of it, to recognise a format by: the first lines of the text, and some of the values."""
        return _Sample(self)

    def once(self, key: Hashable, find: Callable[[], T]) -> T:
        """The find, made once: several formats look for the same in a sample."""
        if key not in self._found:
            self._found[key] = find()
        found: T = self._found[key]
        return found

    def report_faults(self, report: Faults) -> None:
        """Report lines and characters that could not be read."""
        for where, reason in self.broken_lines:
            report.skip(reason, where)
        if self.undecodable:
            report.warn(f"the file is not clean Unicode: {self.undecodable:,} characters were replaced by \ufffd", "")
        for key in self._parser.repeated:
            report.warn(f"a field {key[:40]!r} given twice, of which the last counts", "")

    def _open(self) -> BinaryIO:
        if self.path and "data" not in self.__dict__:
            return self.path.open("rb", BUFFER_BYTES)
        return io.BytesIO(self.data)

    def _text(self) -> str:
        encoding = self._encoding()
        data = self.__dict__.get("data") or (self.path.read_bytes() if self.path else b"")
        text = self._decode(data, encoding)
        if not text or text.isspace():
            raise LoadError(f"the file is empty; {ASK}")
        return text

    def _encoding(self) -> str:
        encoding = json.detect_encoding(self.head[:4])
        refuse_binary(self.head, encoding, self.name)
        return encoding

    def _decode(self, data: bytes, encoding: str) -> str:
        try:
            return data.decode(encoding)
        except UnicodeDecodeError:
            text = data.decode(encoding, errors="replace")
            self.undecodable += text.count("\ufffd")
            return text

    @cached_property
    def _values(self) -> list[tuple[str, Any]] | LoadError:
        """The values, or the error: a failure is computed only once, too."""
        try:
            named_lines = self.name.lower().endswith((".jsonl", ".ndjson"))
            lines = self._lines() if named_lines or self._begins_as_lines() else []
            return lines or self._document()
        except LoadError as problem:
            return problem

    def _begins_as_lines(self) -> bool:
        """Whether the first line is a JSON value, and not all there is."""
        texts = self._line_texts()
        (_, first), more = next(texts, (0, b"")), next(texts, None)
        return more is not None and self._parse(first) is not None

    def _line_texts(self) -> Iterator[tuple[int, str | bytes]]:
        """Every line that isn't empty, with its number; its bytes if they are UTF-8.

        Only line feeds end a line: U+2028 may stand in a string.
        """
        encoding = self._encoding()
        if not encoding.startswith("utf-8"):
            yield from ((i, line) for i, given in enumerate(self._text().split("\n"), 1) if (line := given.strip()))
            return
        with self._open() as file:
            file.seek(len(b"\xef\xbb\xbf") if encoding == "utf-8-sig" else 0)
            yield from ((i, line) for i, line in enumerate(file, 1) if line[:1] in VALUES or not _is_blank(line))

    def _lines(self) -> list[tuple[str, Any]]:
        """Every line that is JSON; none if fewer than half are."""
        values: list[tuple[str, Any]] = []
        broken: list[int] = []
        last = self.undecodable = 0
        for last, line in self._line_texts():
            if (value := self._parse(line)) is None:
                broken.append(last)
            else:
                values.append((f"line {last}", value))
            if last > MAX_ITEMS:
                raise too_many(MAX_ITEMS, "lines")
        if len(values) < len(broken):
            return []
        reasons = ((i, "the last line breaks off" if i == last else "a line that holds no JSON value") for i in broken)
        self.broken_lines = [(f"line {i}", reason) for i, reason in reasons]
        return values

    def _parse(self, line: str | bytes) -> Any:
        """The JSON value, or None if there is none (a lone `null` holds nothing either)."""
        try:
            return self._parser.value(line)
        except UnicodeDecodeError:
            return self._parse(self._decode(line, "utf-8") if isinstance(line, bytes) else line)
        except LoadError:
            raise
        except ValueError:
            return None

    def _document(self) -> list[tuple[str, Any]]:
        self.undecodable = 0
        text = self._text()
        try:
            return [("", self._parser.value(text))]
        except LoadError:
            raise
        except ValueError as problem:
            if "\n{" in text and (values := self._lines()):  # JSON lines of which the first is broken
                return values
            raise LoadError(where_broken(text, problem)) from None


class _Sample(Content):
    """The beginning of a content's text and some of its values; its tables and rows are those of the whole."""

    def __init__(self, whole: Content):
        with whole._open() as file:
            head = file.read(SAMPLE_BYTES)
        lines = head if len(head) < SAMPLE_BYTES else head[: head.rfind(b"\n") + 1]
        super().__init__(lines or head, whole.name, siblings=whole.siblings)
        self._whole: Content = weakref.proxy(whole)  # a cycle would keep a large file until garbage is collected

    @property
    def tables(self) -> Mapping[str, frozenset[str]]:
        return self._whole.tables

    def rows(self, query: str) -> Iterator[dict[str, Any]]:
        return self._whole.rows(query)

    @cached_property
    def _values(self) -> list[tuple[str, Any]] | LoadError:
        found = self._whole._values
        return (
            found if isinstance(found, LoadError) else [(at, take_sample(value)) for at, value in take_sample(found, 0)]
        )


def _is_blank(line: bytes) -> bool:
    return line.decode(errors="replace").isspace()  # of Unicode's spaces, too


class ValuesContent(Content):
    """Values that were read elsewhere, with their locations, such as the rows of a table."""

    def __init__(self, values: list[tuple[str, Any]], name: str = ""):
        super().__init__(b"", name)
        self._values = values

    @cached_property
    def text(self) -> str:
        """The first value as JSON, to tell it from other text."""
        return json.dumps([value for _, value in self.values[:1]], default=str)
