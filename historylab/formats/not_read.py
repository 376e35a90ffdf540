"""Names files that are known and not read here, so that a refusal can say what was given."""

from __future__ import annotations

import glob
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

KEYS = {
    "nbformat cells": "a Jupyter notebook",
    "openapi paths": "an OpenAPI description",
    "swagger paths": "an OpenAPI description",
    "$schema properties": "a JSON schema",
    "features type": "GeoJSON",
    "name version dependencies": "a package.json",
    "name version lockfileVersion": "a package-lock.json",
    "ciphertext iv": "encrypted data",
    "participants messages thread_path": "a Facebook or Instagram export",
    "runs version $schema": "a SARIF report",
    "traceEvents": "a Chrome trace",
    "items role text": "a saved shape",
}
"""Keys that an object of that kind has → its name."""

TABLES = {
    "ItemTable": "the storage of VS Code or Cursor",
    "message handle chat": "an iMessage database",
    "ZWAMESSAGE": "a WhatsApp database",
    "urls visits": "a browser's history",
    "moz_places": "Firefox's history",
    "runs spans": "an Arize Phoenix or MLflow database",
}
"""Tables that an SQLite database of that kind has → its name."""

TRANSCRIPTS = ("{stem}.messages.json", "messages.jsonl", "*.messages.json")
"""Names of the files that hold the messages of a session, beside one that describes it: its own first."""

TEXTS: Mapping[str, str] = {
    r"<!doctype html|<html": "a web page",
    r"<\?xml|<svg": "XML",
    r"\{\\rtf": "rich text (RTF)",
    r"From \S+.*\n[\w-]+: ": "a mailbox (MBOX)",
    r"(?:[\w-]+: .*\n)*(?:MIME-Version|Message-ID|Received): ": "an e-mail",
    r"WEBVTT|1\r?\n\d\d:\d\d:\d\d,\d{3} --> ": "subtitles",
    r"BEGIN:VC": "a calendar or address book",
    r"-----BEGIN ": "a key or certificate",
    r"(?:export )?(?:HISTORYLAB|NEXT_PUBLIC)_\w+=": "settings (a template)",
}
"""Beginning of a text of that kind → its name."""


def known_as(value: Any) -> str:
    """The name of a JSON document, if it is a known one that isn't read; else empty."""
    return _known_by(KEYS, value) if isinstance(value, dict) else ""


def transcript_beside(value: Any, path: Path | None) -> str:
    """The name of the transcript in the folder of a file that describes a session; empty if there is none."""
    if path is None or not isinstance(value, dict) or "session_id" not in value:
        return ""
    names = (pattern.format(stem=glob.escape(path.stem)) for pattern in TRANSCRIPTS)
    return next((each.name for name in names for each in sorted(path.parent.glob(name))), "")


def known_database(tables: Mapping[str, object]) -> str:
    """Whose SQLite database it is, if it is a known one that isn't read; else empty."""
    return _known_by(TABLES, tables)


def known_text(text: str) -> str:
    """The name of a text by its beginning, if it is a known one that isn't read; else empty."""
    opening = text[:4096].lstrip("\ufeff \t\r\n\u200e")
    return next((what for begins, what in TEXTS.items() if re.match(begins, opening, re.IGNORECASE)), "")


def _known_by(names: Mapping[str, str], found: Mapping[str, object]) -> str:
    return next((what for keys, what in names.items() if found.keys() >= {*keys.split()}), "")
