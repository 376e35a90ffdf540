"""Files that were given: uploads and pasted text, which this tab alone holds; files of this machine, read in place."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from historylab.errors import HistoryLabError, LoadError, TooLarge
from historylab.formats.base import Report
from historylab.formats.load import UPLOAD_BYTES, Conversations, formats_read, load, load_alone
from historylab.ui.session.tab import GivenFile, ReadFile, RefusedFile, ToOpen
from historylab.wording.untrusted import code_span

MOST_FILES = 200
MOST_TOGETHER = 5 * UPLOAD_BYTES
"""Bytes of all files uploaded at once."""

QUICK = 1_000_000
"""Bytes of a single file that are read before anybody could see how far that is."""

Show = Callable[[float, str], object]
"""Shows which share is read, 0 to 1, and says in Markdown what is being read."""


def read_files(asked: ToOpen, show: Show) -> tuple[list[tuple[ReadFile, Conversations]], list[RefusedFile]]:
    """The files that could be read, with their conversations, and those that could not."""
    found: list[tuple[ReadFile, Conversations]] = []
    refused: list[RefusedFile] = []
    room = MOST_TOGETHER
    for number, given in enumerate(asked.files):
        if len(asked.files) > 1 or _takes_long(given):
            which = f" {number + 1:,} of {len(asked.files):,}:" if len(asked.files) > 1 else ""
            show(number / len(asked.files), f"Reading{which} {code_span(given.name)}")
        room -= len(given.data) if isinstance(given.data, bytes) else 0
        try:
            if number >= MOST_FILES:
                raise TooLarge(f"only {MOST_FILES:,} files are read at once")
            if room < 0:
                raise TooLarge(f"the files together have more than {MOST_TOGETHER // 1_000_000} MB; give fewer at once")
            loaded = _read(given, asked)
        except HistoryLabError as problem:
            refused.append(RefusedFile(given, problem))
        else:
            found.append((ReadFile(given, loaded.report, asked.shape), loaded))
    return found, refused


def _takes_long(given: GivenFile) -> bool:
    if isinstance(given.data, Path):
        return given.data.is_dir() or (given.data.is_file() and given.data.stat().st_size > QUICK)
    return len(given.data or b"") > QUICK


def _read(given: GivenFile, asked: ToOpen) -> Conversations:
    format = asked.format or None
    if given.data is None:
        raise LoadError("its bytes are no longer held; give it again")
    if isinstance(given.data, Path):
        read = load if len(asked.files) == 1 else load_alone  # several may be those beside each other
        return read(given.data, format, shape=asked.shape)
    return load(given.data, format, name=given.name, max_bytes=UPLOAD_BYTES, shape=asked.shape)


def merge_files(found: Sequence[tuple[ReadFile, Conversations]]) -> Conversations:
    """The conversations of all the files, under one report."""
    if len(found) == 1:
        return found[0][1]
    report = Report(format=formats_read(file.report for file, _ in found))
    for file, _ in found:
        report.add(file.report, file.given.name)
    return Conversations([one for _, loaded in found for one in loaded], report)


def bound_uploads(files: Iterable[GivenFile]) -> Iterator[GivenFile]:
    """The files, their bytes held for as many as fit the limit of one upload."""
    room = UPLOAD_BYTES
    for given in files:
        room -= len(given.data) if isinstance(given.data, bytes) else 0
        yield given if room >= 0 or not isinstance(given.data, bytes) else replace(given, data=None)


def files_to_open(paths: Iterable[str]) -> tuple[GivenFile, ...]:
    """The files at these paths; a folder is one of them, with all that is in it."""
    return tuple(GivenFile(path.name, path) for path in map(Path, paths))
