"""Content: the bytes of a file, decoded and parsed as JSON at most once for all formats.

JSON lines are tried before whole-file JSON, because one line of JSONL is JSON too. Every error says where and why.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import Any

from historylab.errors import LoadError, TooLarge
from historylab.formats.base import Report
from historylab.formats.database import MAGIC, rows_of, tables_of

MAX_DEPTH = 200
"""Levels of nesting a JSON document may have: deeper ones could not be serialised again."""

MAX_ITEMS = 1_000_000
"""Lines of a file, items of a list and sibling objects: the most that load within a bearable time."""

BINARY_MARKS = {
    b"\x89PNG": "a PNG image",
    b"\xff\xd8\xff": "a JPEG image",
    b"GIF8": "a GIF image",
    b"RIFF": "a WebP image or a sound",
    b"%PDF": "a PDF",
    b"PK\x03\x04": "a ZIP archive",
    b"\x1f\x8b": "a gzip archive",
    b"SQLite format 3\0": "an SQLite database",
    b"PAR1": "a Parquet table",
}
ASK = "give a JSON or JSONL file of messages"
TOO_DEEP = f"the JSON is nested more than {MAX_DEPTH} levels deep, as no transcript is; {ASK}"


class Content:
    """The input of a format: `data` (bytes), `name` (of the file, or empty), `text`, `values`, `tables`."""

    def __init__(self, data: bytes, name: str = ""):
        self.data, self.name = data, name
        self.broken_lines: list[tuple[str, str]] = []  # (where, reason), known once `values` has been read
        self.undecodable = 0  # characters that replace bytes which are not text, known once `text` has been read
        self.repeated: Counter[str] = Counter()  # keys that an object has twice, known once `values` has been read
        # raw control characters inside strings are read, not refused
        self._decoder = json.JSONDecoder(strict=False, object_pairs_hook=self._object)

    @cached_property
    def tables(self) -> Mapping[str, frozenset[str]]:
        """Table → its columns, of an SQLite database; empty for anything else. LoadError if it is damaged."""
        return tables_of(self.data) if self.data.startswith(MAGIC) else {}

    def rows(self, query: str) -> Iterator[dict[str, Any]]:
        """The rows that an SQLite query returns, by column name. LoadError if the database is damaged."""
        return rows_of(self.data, query)

    @cached_property
    def text(self) -> str:
        """The decoded text (UTF-8, UTF-16 or UTF-32), without its byte order mark. Raises LoadError for binary data."""
        encoding = json.detect_encoding(self.data[:4])
        _refuse_binary(self.data[:4096], encoding)
        try:
            text = self.data.decode(encoding)
        except UnicodeDecodeError:
            text = self.data.decode(encoding, errors="replace")
            self.undecodable = text.count("\ufffd")
        if not text or text.isspace():
            raise LoadError(f"the file is empty; {ASK}")
        return text

    @property
    def values(self) -> list[tuple[str, Any]]:
        """The JSON values with their locations: ("line 7", value) for JSON lines, ("", value) for one document.

        Raises LoadError saying where the JSON is broken, or what the text is instead.
        """
        if isinstance(self._values, LoadError):
            raise self._values.with_traceback(None)
        return self._values

    @cached_property
    def _values(self) -> list[tuple[str, Any]] | LoadError:
        """The values, or the error: a failure is computed only once, too."""
        try:
            return self._read()
        except LoadError as problem:
            return problem

    def _read(self) -> list[tuple[str, Any]]:
        first_line, _, rest = self.text.lstrip().partition("\n")
        named_lines = self.name.lower().endswith((".jsonl", ".ndjson"))
        begins_as_lines = bool(rest) and self._parse(first_line) is not None
        values = self._lines() if named_lines or begins_as_lines else []
        values = values or self._document()
        _refuse_unwieldy([[value for _, value in values]])
        return values

    def report_faults(self, report: Report) -> None:
        """Report lines and characters that could not be read."""
        for where, reason in self.broken_lines:
            report.skip(reason, where)
        if self.undecodable:
            report.warn(f"the file is not clean Unicode: {self.undecodable:,} characters were replaced by \ufffd", "")
        for key in self.repeated:
            report.warn(f"a field {key[:40]!r} given twice, of which the last counts", "")

    def _lines(self) -> list[tuple[str, Any]]:
        """Every line that is JSON; none if fewer than half are."""
        if self.text.count("\n") > MAX_ITEMS:
            raise TooLarge(f"this has more than {MAX_ITEMS:,} lines; load a part of it")
        lines = [(f"line {i}", line.strip()) for i, line in enumerate(self.text.split("\n"), 1)]  # U+2028 ends no line
        lines = [(where, line) for where, line in lines if line]
        parsed = [(where, self._parse(line)) for where, line in lines]
        values = [(where, value) for where, value in parsed if value is not None]
        if len(values) * 2 < len(lines):
            return []
        last = lines[-1][0]
        self.broken_lines = [
            (where, "the last line breaks off" if where == last else "a line that holds no JSON value")
            for where, value in parsed
            if value is None
        ]
        return values

    def _parse(self, line: str) -> Any:
        """The JSON value, or None if there is none (a lone `null` holds nothing either)."""
        try:
            return self._decoder.decode(line)
        except RecursionError:
            raise LoadError(TOO_DEEP) from None
        except ValueError:
            return None

    def _object(self, pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        if len(found) < len(pairs):
            self.repeated += Counter(key for key, _ in pairs) - Counter(found.keys())
        return found

    def _document(self) -> list[tuple[str, Any]]:
        try:
            return [("", self._decoder.decode(self.text))]
        except RecursionError:
            raise LoadError(TOO_DEEP) from None
        except ValueError as problem:
            if "\n{" in self.text and (values := self._lines()):  # JSON lines of which the first is broken
                return values
            raise LoadError(_broken(self.text, problem)) from None


def _refuse_binary(head: bytes, encoding: str) -> None:
    found = next((what for mark, what in BINARY_MARKS.items() if head.startswith(mark)), None)
    if found:
        unpack = "unpack it, then " if "archive" in found else ""
        raise LoadError(f"this is {found}, not a transcript; {unpack}{ASK}")
    if head and not head.strip(b"\0"):
        raise LoadError(f"this is nothing but zero bytes; {ASK}")
    if encoding == "utf-8" and b"\0" in head and head.lstrip()[:1] not in (b"[", b"{"):
        raise LoadError(f"this is binary data, not text; {ASK}")


def _refuse_unwieldy(level: list[Any]) -> None:
    """Walk lists and objects level by level, so that no depth can exhaust the stack."""
    for _ in range(MAX_DEPTH):
        longest = max(map(len, level))
        if max(longest, len(level)) > MAX_ITEMS:
            raise TooLarge(f"the JSON holds more than {MAX_ITEMS:,} items side by side; load a part of it")
        level = [
            child
            for parent in level
            for child in (parent.values() if type(parent) is dict else parent if type(parent) is list else ())
            if type(child) is dict or type(child) is list
        ]
        if not level:
            return
    raise LoadError(TOO_DEEP)


def opening_of(text: str) -> str:
    """The beginning of a text, for an error message: "text that begins 'HEAR YE'"."""
    return f"text that begins {text.strip()[:40]!r}"


def _broken(text: str, problem: ValueError) -> str:
    if not isinstance(problem, json.JSONDecodeError):  # a number of more digits than Python reads
        return f"the JSON holds a value that can't be read: {str(problem).partition(';')[0].lower()}"
    if text.lstrip()[:1] not in "[{":
        return f"this is {opening_of(text)}, not JSON; {ASK}"
    where = f"line {problem.lineno}, column {problem.colno}"
    if problem.pos >= len(text.rstrip()) or problem.msg.startswith("Unterminated"):
        return f"the JSON breaks off at {where}: the file seems cut short; get it whole"
    return f"the JSON is broken at {where} ({problem.msg.lower()}); mend it there, or save it anew"
