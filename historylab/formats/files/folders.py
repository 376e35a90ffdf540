"""Folders of this machine: their files, without hidden ones, as the files of an archive are read."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path

from historylab.errors import LoadError, TooLarge
from historylab.formats.files.archives import MAX_ENTRIES
from historylab.formats.files.content import Content
from historylab.formats.files.database import is_beside_database


def files_at(path: str) -> list[str]:
    """The file; or those in the folder and below it, by path, without hidden ones and those that SQLite keeps beside a
    database. Symbolic links aren't followed.
    """
    if not os.path.isdir(path):
        return [path]
    found = []
    for place, folders, files in os.walk(path):
        folders[:] = [name for name in folders if not name.startswith(".")]
        paths = (os.path.join(place, name) for name in files if not name.startswith("."))
        files_here = (path for path in paths if os.path.isfile(path) and not os.path.islink(path))
        found += [path for path in files_here if not is_beside_database(path)]
    return sorted(found)


class FolderFiles(Mapping[str, bytes]):
    """The files in a folder and below it by their path within it, each read when it is asked for.

    Raises TooLarge for more than MAX_ENTRIES files, or `most` bytes in those of at most so many each.
    """

    def __init__(self, folder: Path, most: int):
        self._paths = {Path(path).relative_to(folder).as_posix(): Path(path) for path in files_at(os.fspath(folder))}
        self._most = most
        self.taken: set[str] = set()  # files that a format read beside the one it was given
        if len(self._paths) > MAX_ENTRIES:
            raise TooLarge(f"this folder has {len(self._paths):,} files, more than {MAX_ENTRIES:,}; load a part of it")
        if sum(size for size in map(self._size, self._paths) if size <= most) > most:
            raise TooLarge(f"this folder holds more than {most / 1e6:,.0f} MB; load a part of it, or one file")

    def _size(self, name: str) -> int:
        try:
            return self._paths[name].stat().st_size
        except OSError:
            return 0  # reading it says why

    def _find(self, name: str) -> Path:
        """The path of that file. Raises LoadError if it is too large, or can't be read."""
        if self._size(name) > self._most:
            raise LoadError(f"a file of more than {self._most / 1e6:,.0f} MB")
        try:
            self._paths[name].open("rb").close()
        except OSError:
            raise LoadError("a file that can't be read") from None
        return self._paths[name]

    def __getitem__(self, name: str) -> bytes:
        return self._find(name).read_bytes()

    def __iter__(self) -> Iterator[str]:
        return iter(self._paths)

    def __len__(self) -> int:
        return len(self._paths)

    def contents(self, skipped: dict[str, str]) -> Iterator[Content]:
        """Each file as a content that knows the others; what can't be read is `skipped`, with the reason."""
        for name in self:
            try:
                content = Content(name=name, path=self._find(name), siblings=self)
            except LoadError as problem:
                skipped[name] = str(problem)
                continue
            content.taken = self.taken
            if name not in self.taken:
                yield content
