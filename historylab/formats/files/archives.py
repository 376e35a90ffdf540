"""Archives: the files in a ZIP or gzip archive, unpacked in memory within stated limits; names are only labels."""

from __future__ import annotations

import gzip
import io
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import PurePosixPath

from historylab.errors import LoadError, TooLarge
from historylab.formats.files.content import Content

ZIP, GZIP = b"PK\x03\x04", b"\x1f\x8b"
MAX_ENTRIES = 10_000
FREE_BYTES, MAX_RATIO = 20_000_000, 200
"""Up to so many bytes anything is unpacked; more only if that is at most so many times the archive's size."""

LITTER = ("__MACOSX/", ".DS_Store", "Thumbs.db")
DAMAGED = "this archive is damaged; get it whole"


def _is_archive(content: Content) -> bool:
    """Whether it is an archive that is unpacked here."""
    return content.head.startswith((ZIP, GZIP))


def unzip(content: Content, most: int) -> Content:
    """The content of a gzip file. Raises TooLarge over `most` bytes, LoadError if it is damaged."""
    limit = _limit(len(content.data), most)
    try:
        with gzip.open(io.BytesIO(content.data)) as file:
            data = file.read(limit + 1)
    except Exception:  # zlib's, gzip's and struct's errors share no base
        raise LoadError(DAMAGED) from None
    if len(data) > limit:
        raise _too_large(limit)
    return Content(data, content.name.removesuffix(".gz"))


class Entries(Mapping[str, bytes]):
    """The files in a ZIP archive by name, each unpacked when it is asked for."""

    def __init__(self, content: Content, most: int):
        try:
            self._archive = zipfile.ZipFile(io.BytesIO(content.data))
            found = [entry for entry in self._archive.infolist() if not _is_litter(entry)]
        except Exception:  # whatever zipfile makes of broken bytes
            raise LoadError(DAMAGED) from None
        if len(found) > MAX_ENTRIES:
            raise TooLarge(f"this archive has {len(found):,} files, more than {MAX_ENTRIES:,}; load a part of it")
        limit = _limit(len(content.data), most)
        if sum(entry.file_size for entry in found) > limit:
            raise _too_large(limit)
        self._entries: dict[str, zipfile.ZipInfo] = {}
        for number, entry in enumerate(found, 1):  # an archive may hold a name twice
            name = entry.filename
            self._entries[f"{number}/{name}" if name in self._entries else name] = entry
        self.taken: set[str] = set()  # files that a format read beside the one it was given
        if "[Content_Types].xml" in self._entries:
            raise LoadError("this is an Office document, not a transcript; save its text as a .txt or .md file")

    def __getitem__(self, name: str) -> bytes:
        entry = self._entries[name]
        if entry.flag_bits & 1:
            raise LoadError("an encrypted file")
        try:
            return self._archive.read(entry)
        except Exception:  # zipfile's and each compression's own errors
            raise LoadError("a damaged file, or one compressed in a way that isn't read") from None

    def __iter__(self) -> Iterator[str]:
        return iter(self._entries)

    def __len__(self) -> int:
        return len(self._entries)

    def contents(self, skipped: dict[str, str]) -> Iterator[Content]:
        """Each file as a content that knows the others; what can't be unpacked is `skipped`, with the reason."""
        for name in self:
            try:
                content = Content(b"" if name in self.taken else self[name], name, siblings=self)
            except LoadError as problem:
                skipped[name] = str(problem)
                continue
            content.taken = self.taken
            if _is_archive(content):
                skipped[name] = "an archive inside the archive"
            elif name not in self.taken:
                yield content


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


def _is_litter(entry: zipfile.ZipInfo) -> bool:
    return entry.is_dir() or entry.filename.startswith(LITTER) or entry.filename.endswith(LITTER)


def _limit(packed: int, most: int) -> int:
    return min(most, max(FREE_BYTES, MAX_RATIO * packed))


def _too_large(limit: int) -> TooLarge:
    return TooLarge(f"this archive holds more than {limit / 1e6:,.0f} MB; unpack it, and load the files you need")
