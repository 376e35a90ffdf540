"""The files of a command: each that can be read in its turn; the others are skipped, named and counted."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TypeVar

from historylab.cli.base import print_note
from historylab.errors import LoadError, NothingRead
from historylab.wording.amounts import count_of

T = TypeVar("T")


def add_strict(parser: argparse.ArgumentParser) -> None:
    """--strict."""
    parser.add_argument("--strict", action="store_true", help="stop at the first file that can't be read")


def read_files(
    paths: Iterable[str], read: Callable[[str], T], skipped: dict[str, str], *, strict: bool = False
) -> Iterator[T]:
    """What `read` makes of each file; why it couldn't goes into `skipped`.

    Raises NothingRead if no file could be read; LoadError if `strict` and one couldn't.
    """
    some = False
    for path in paths:
        try:
            found = read(path)
        except LoadError as problem:
            if strict:
                raise
            skipped[path] = name_file(path, problem)
            continue
        some = True
        yield found
    if skipped and not some:
        raise NothingRead(skipped)


def name_file(path: str, problem: LoadError) -> str:
    """What is wrong with a file, and which one it is."""
    return str(problem) if path in str(problem) else f"{path}: {problem}"


def report_skipped(skipped: Mapping[str, str]) -> None:
    """Say on stderr which files were skipped, and why."""
    if skipped:
        print_note(f"{count_of(len(skipped), 'file')} skipped:")
    for why in skipped.values():
        print_note(f"  {why}")
