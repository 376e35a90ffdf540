"""Refusals of what is no JSON text: what it is instead, or where the JSON is broken, and what to do."""

from __future__ import annotations

import json

from historylab.errors import LoadError
from historylab.formats.files.database import MAGIC
from historylab.formats.files.json_values import ASK
from historylab.secrets.redaction import without_keys

LONGEST_KEY = 4_000  # characters at the beginning of a text: a key that is cut off may look like none

BINARY_MARKS = {
    b"\x89PNG": "a PNG image",
    b"\xff\xd8\xff": "a JPEG image",
    b"GIF8": "a GIF image",
    b"RIFF": "a WebP image or a sound",
    b"%PDF": "a PDF",
    b"PK\x03\x04": "a ZIP archive",
    b"\x1f\x8b": "a gzip archive",
    b"BZh": "a bzip2 archive",
    b"\xfd7zXZ": "an xz archive",
    b"7z\xbc\xaf": "a 7-Zip archive",
    b"(\xb5/\xfd": "a Zstandard archive",
    MAGIC: "an SQLite database",
    b"PAR1": "a Parquet table",
}
"""First bytes of a kind of file → what it is."""


PROTOCOL_BUFFERS = "protocol buffers, in which Antigravity keeps conversations encrypted; give its transcript.jsonl"


def refuse_binary(head: bytes, encoding: str, name: str) -> None:
    """Raise LoadError, which names what it is, if a file that begins so, or is called so, is no text."""
    if name.casefold().endswith(".pb"):
        raise LoadError(f"this is a file of {PROTOCOL_BUFFERS}")
    found = next((what for mark, what in BINARY_MARKS.items() if head.startswith(mark)), None)
    if found:
        unpack = "unpack it, then " if "archive" in found else ""
        raise LoadError(f"this is {found}, not a transcript; {unpack}{ASK}")
    if head and not head.strip(b"\0"):
        raise LoadError(f"this is nothing but zero bytes; {ASK}")
    if encoding == "utf-8" and b"\0" in head and head.lstrip()[:1] not in (b"[", b"{"):
        raise LoadError(f"this is binary data, not text; {ASK}")


def opening_of(text: str) -> str:
    """The beginning of a text without keys, for an error message: "text that begins 'HEAR YE'"."""
    return f"text that begins {without_keys(text.strip()[:LONGEST_KEY])[:40]!r}"


def where_broken(text: str, problem: ValueError) -> str:
    """An error message with the place where the JSON is broken, or what the text is instead."""
    if not isinstance(problem, json.JSONDecodeError):  # a number of more digits than Python reads
        return f"the JSON holds a value that can't be read: {str(problem).partition(';')[0].lower()}"
    if text.lstrip()[:1] not in "[{":
        return f"this is {opening_of(text)}, not JSON; {ASK}"
    position = problem.pos + len(text) - len(text.lstrip())  # it was parsed without the spaces before it
    line, column = text.count("\n", 0, position) + 1, position - text.rfind("\n", 0, position)
    where = f"line {line}, column {column}"
    if position >= len(text.rstrip()) or problem.msg.startswith("Unterminated"):
        return f"the JSON breaks off at {where}: it seems cut short; get it whole"
    return f"the JSON is broken at {where} ({problem.msg.lower()}); mend it there, or save it anew"
