"""Archives: the files of a ZIP, and what a packed file holds, in memory within stated limits; names are only labels."""

from __future__ import annotations

import fnmatch
import glob
import io
import zipfile
from collections.abc import Callable, Collection, Hashable, Iterator, Mapping
from contextlib import suppress
from pathlib import PurePosixPath
from typing import Any, TypeVar

from historylab.errors import LoadError, TooLarge
from historylab.formats.files.content import Content
from historylab.formats.files.packings import DAMAGED, PACKINGS, unpack_stream

T = TypeVar("T")
ARCHIVE = "archive"
ZIP = b"PK\x03\x04"
MAX_ENTRIES = 10_000
FREE_BYTES, MAX_RATIO = 20_000_000, 200
"""Up to so many bytes anything is unpacked; more only if that is at most so many times the archive's size."""

MOST_BESIDE = 250_000_000
"""Bytes of a file on disk that a format reads beside the one it was given."""

LITTER = ("__MACOSX/", ".DS_Store", "Thumbs.db")


def unpack(content: Content, most: int) -> Content:
    """The content of a packed file. Raises TooLarge over `most` bytes, LoadError if it is damaged."""
    limit = _limit(len(content.data), most)
    data = unpack_stream(io.BufferedReader(io.BytesIO(content.data))).read(limit + 1)
    if len(data) > limit:
        raise _too_large(limit)
    return Content(data, content.name.removesuffix(".gz").removesuffix(".zst"))


class FileSet(Mapping[str, bytes]):
    """The files in an archive or a folder by their names, each read when it is asked for."""

    def __init__(self, place: str, names: Collection[str], read: Callable[[str], Content]):
        self.place, self._names, self._read = place, names, read
        self.taken: set[str] = set()  # files that a format read beside the one it was given
        self._found: dict[Hashable, Any] = {}
        if len(names) > MAX_ENTRIES:
            raise TooLarge(f"this {place} has {len(names):,} files, more than {MAX_ENTRIES:,}; load a part of it")

    def __getitem__(self, name: str) -> bytes:
        return self._read(name).data

    def open(self, name: str) -> Content:
        """The file of that name, not read yet. Raises LoadError if it can't be."""
        return self._read(name)

    def once(self, key: Hashable, find: Callable[[], T]) -> T:
        """The find, made once: many files look for the same in one beside them."""
        if key not in self._found:
            self._found[key] = find()
        found: T = self._found[key]
        return found

    def __contains__(self, name: object) -> bool:
        return name in self._names

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)

    def contents(self, skipped: dict[str, str]) -> Iterator[Content]:
        """Each file as a content that knows the others; what can't be read is `skipped`, with the reason."""
        for name in self:
            if name in self.taken:
                continue
            try:
                content = self._read(name)
            except LoadError as problem:
                skipped[name] = str(problem)
                continue
            content.siblings, content.taken = self, self.taken
            if self.place == ARCHIVE and content.head.startswith((ZIP, *PACKINGS)):
                skipped[name] = "an archive inside the archive"
            else:
                yield content


def open_zip(content: Content, most: int) -> FileSet:
    """The files in a ZIP archive. Raises TooLarge over `most` bytes, LoadError if it is damaged."""
    try:
        archive = zipfile.ZipFile(io.BytesIO(content.data))
        found = [entry for entry in archive.infolist() if not _is_litter(entry)]
    except Exception:  # whatever zipfile makes of broken bytes
        raise LoadError(DAMAGED) from None
    entries: dict[str, zipfile.ZipInfo] = {}
    for number, entry in enumerate(found, 1):  # an archive may hold a name twice
        name = entry.filename
        entries[f"{number}/{name}" if name in entries else name] = entry

    def read(name: str) -> Content:
        if entries[name].flag_bits & 1:
            raise LoadError("an encrypted file")
        try:
            return Content(archive.read(entries[name]), name)
        except Exception:  # zipfile's and each compression's own errors
            raise LoadError("a damaged file, or one compressed in a way that isn't read") from None

    files = FileSet(ARCHIVE, entries, read)
    limit = _limit(len(content.data), most)
    if sum(entry.file_size for entry in found) > limit:
        raise _too_large(limit)
    if "[Content_Types].xml" in entries:
        raise LoadError("this is an Office document, not a transcript; save its text as a .txt or .md file")
    return files


def folder_of(content: Content) -> Iterator[Content]:
    """The content and, if it comes from an archive, the others of its folder there, by name.

    A format that reads another one adds its name to `content.taken`.
    """
    folder = PurePosixPath(content.name).parent
    beside = sorted(name for name in content.siblings if PurePosixPath(name).parent == folder)
    for name in beside or [content.name]:
        if name == content.name:
            yield content
        elif name not in content.taken:
            with suppress(LoadError):
                yield Content(content.siblings[name], name)


def files_beside(content: Content, pattern: str, up: int = 0) -> Iterator[Content]:
    """The files that a pattern finds from a content's folder, or the one `up` above it, in its archive or on disk."""
    if isinstance(content.siblings, FileSet):
        within = [*PurePosixPath(content.name).parents, *[PurePosixPath()] * up][up]
        if glob.escape(pattern) == pattern:
            names = [name for name in (str(within / pattern),) if name in content.siblings]
        else:
            names = sorted(fnmatch.filter(content.siblings, str(PurePosixPath(glob.escape(str(within))) / pattern)))
        for name in names:
            with suppress(LoadError):
                found = content.siblings.open(name)
                content.taken.add(name)
                yield found
    elif content.path:
        root = [*content.path.absolute().parents][: up + 1][-1]
        found_there = (path for path in sorted(root.glob(pattern)) if path.is_file() and not path.is_symlink())
        yield from (Content(name=str(path.relative_to(root)), path=path) for path in found_there)


def pass_beside(content: Content, *patterns: str) -> None:
    """Take such files as known ones that hold no conversation, without reading them."""
    for pattern in patterns:
        for _ in files_beside(content, pattern):
            pass


def values_beside(content: Content, pattern: str, up: int = 0) -> Iterator[tuple[str, Any]]:
    """The JSON value of each such file, under its name; None where it holds none, or takes too much."""
    for file in files_beside(content, pattern, up):
        value = None
        with suppress(LoadError, OSError):
            if file.path is None or file.path.stat().st_size <= MOST_BESIDE:
                value = file.values[0][1]
        yield file.name, value


def _is_litter(entry: zipfile.ZipInfo) -> bool:
    return entry.is_dir() or entry.filename.startswith(LITTER) or entry.filename.endswith(LITTER)


def _limit(packed: int, most: int) -> int:
    return min(most, max(FREE_BYTES, MAX_RATIO * packed))


def _too_large(limit: int) -> TooLarge:
    return TooLarge(f"this archive holds more than {limit / 1e6:,.0f} MB; unpack it, and load the files you need")
