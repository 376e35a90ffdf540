"""Folders of this machine: their files, without hidden ones, as the files of an archive are read."""

from __future__ import annotations

import glob
import os
from pathlib import Path

from historylab.errors import LoadError, TooLarge
from historylab.formats.files.archives import FileSet
from historylab.formats.files.content import Content
from historylab.formats.files.database import is_beside_database
from historylab.formats.files.object_stores import is_address, is_passed_over, list_objects, pick_below, root_of


def files_at(path: str) -> list[str]:
    """The file; those in the folder and below it, by path, without hidden ones and those that SQLite keeps beside a
    database, or an engine beside its rows; those that wildcards find; or the objects at an address. Symbolic links
    aren't followed.
    """
    if is_address(path):
        return [found for found, _ in list_objects(path)]
    if not os.path.isdir(path):
        wild = glob.has_magic(path) and not os.path.lexists(path)
        matches = pick_below(root_of(path), glob.iglob(path, recursive=True)) if wild else ()
        return sorted({file for match in matches for file in files_at(match)}) or [path]
    found = []
    for place, folders, files in os.walk(path):
        folders[:] = [name for name in folders if not is_passed_over(name)]
        paths = (os.path.join(place, name) for name in files if not is_passed_over(name))
        files_here = (path for path in paths if os.path.isfile(path) and not os.path.islink(path))
        found += [path for path in files_here if not is_beside_database(path)]
    return sorted(found)


def open_folder(folder: Path, most: int) -> FileSet:
    """The files in a folder and below it by their path within it.

    Raises TooLarge for more than MAX_ENTRIES files, or `most` bytes in those of at most so many each.
    """
    paths = {Path(path).relative_to(folder).as_posix(): Path(path) for path in files_at(os.fspath(folder))}

    def size(name: str) -> int:
        try:
            return paths[name].stat().st_size
        except OSError:
            return 0  # reading it says why

    def read(name: str) -> Content:
        if size(name) > most:
            raise LoadError(f"a file of more than {most / 1e6:,.0f} MB")
        try:
            paths[name].open("rb").close()
        except OSError:
            raise LoadError("a file that can't be read") from None
        return Content(name=name, path=paths[name])

    files = FileSet("folder", paths, read)
    if sum(each for each in map(size, paths) if each <= most) > most:
        raise TooLarge(f"this folder holds more than {most / 1e6:,.0f} MB; load a part of it, or one file")
    return files
