"""The folder that the parts of a sweep lie in: one place that knows paths, through pyarrow's filesystems.

A file is written under another name, which begins with a dot, and then renamed: no name stands for half a file.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import PurePath
from typing import TYPE_CHECKING

from historylab.errors import HistoryLabError, needs

with needs('"historylab[formats]"', "a table of a sweep"):
    from pyarrow import fs

if TYPE_CHECKING:
    from pyarrow import Buffer, NativeFile

UNFINISHED = "."


@dataclass(frozen=True, slots=True)
class Folder:
    """A folder by its path, which every worker has to see under that path. Errors are HistoryLabErrors."""

    path: str

    def make(self) -> None:
        """Make it, unless it is there."""
        try:
            self._files.create_dir(self.path)
        except OSError as problem:
            raise self._unusable(problem) from None

    def names(self, ending: str) -> list[str]:
        """The names of the files in it that end so, in order; none where there is no folder."""
        found = self._files.get_file_info(fs.FileSelector(self.path, allow_not_found=True))
        names = (PurePath(one.path).name for one in found if one.type == fs.FileType.File)
        return sorted(name for name in names if name.endswith(ending) and not name.startswith(UNFINISHED))

    def write(self, name: str, content: bytes | Buffer) -> None:
        """Write a file, or replace it."""
        unfinished, files = self._at(UNFINISHED + name), self._files
        try:
            with files.open_output_stream(unfinished) as file:
                file.write(content)
            files.move(unfinished, self._at(name))
        except OSError as problem:
            raise self._unusable(problem) from None

    def open(self, name: str) -> NativeFile:
        """A file to read from. Raises OSError."""
        return self._files.open_input_file(self._at(name))

    def remove(self, name: str) -> None:
        """Remove a file."""
        self._files.delete_file(self._at(name))

    @property
    def _files(self) -> fs.FileSystem:
        return fs.LocalFileSystem()

    def _at(self, name: str) -> str:
        return f"{self.path}/{name}"

    def _unusable(self, problem: OSError) -> HistoryLabError:
        said = os.strerror(problem.errno) if problem.errno else str(problem)
        return HistoryLabError(f"{self.path} can't be written, which every worker has to be able to: {said}")
