"""Object stores: the objects at an address such as `s3://bucket/chats/*.jsonl.gz`, listed and read by fsspec.

Endpoint and credentials come from the environment that the store's own tools read (`AWS_ENDPOINT_URL`, `AWS_PROFILE`,
`GOOGLE_APPLICATION_CREDENTIALS`, `AZURE_STORAGE_CONNECTION_STRING`, …). An address that holds any is refused, and no
error repeats one.
"""

from __future__ import annotations

import glob
import io
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from historylab.errors import HistoryLabError, LoadError, SettingsError, needs
from historylab.secrets.redaction import without_keys

STORES = ("s3", "gs", "gcs", "az", "abfs", "abfss", "memory")
WITH_ACCOUNT = ("az", "abfs", "abfss")  # container@account.dfs.core.windows.net/path
VERSIONS = ("ETag", "etag", "generation", "LastModified", "last_modified", "updated", "created")
"""Fields of what a store says of an object, the first of which tells its versions apart."""

BUFFER = 256_000  # bytes of an object that are asked for at least
MOST_SAID = 200  # characters of a store's error
QUERY = re.compile(r"\?[\w.-]+=")
USER = re.compile(r"(?<=://)[^/@\s]*@")

Stamp = tuple[int, int | str]
"""Size in bytes, and the time of change or the version: what tells a changed file from the one it was."""


def is_address(path: str) -> bool:
    """Tell an address in an object store from a path."""
    scheme, found, _ = path.partition("://")
    return bool(found) and scheme in STORES


def list_objects(address: str) -> list[tuple[str, Stamp]]:
    """The objects at an address, below it, or that its wildcards find, by address and with their stamps.

    The address itself, of an unknown stamp, where nothing is there: reading it says so. Raises LoadError where the
    store can't be listed, SettingsError for an address with credentials in it.
    """
    files, path = _open_store(address)
    with _reasons_told(address):
        found = files.glob(path, detail=True) if glob.has_magic(path) else files.find(path, detail=True)
        for name in [name for name, about in found.items() if about["type"] == "directory"]:
            found |= files.find(name, detail=True)
    names = pick_below(root_of(path), (name for name, about in found.items() if about["type"] == "file"))
    objects = {_address_of(name, address): (int(found[name]["size"]), _version(found[name])) for name in names}
    return sorted(objects.items()) or [(address, (0, 0))]


def open_file(path: str, size: int = 0) -> io.BufferedReader:
    """The bytes of a file or an object, of which `size` are known. LoadError for an object, OSError for a file."""
    return io.BufferedReader(ObjectFile(path, size), BUFFER) if is_address(path) else open(path, "rb")


class ObjectFile(io.RawIOBase):
    """An object as a file that is read in the ranges asked for, unbuffered. Every fault is a LoadError.

    `size` in bytes is asked for unless it is known.
    """

    def __init__(self, address: str, size: int = 0):
        self._address, self._at = address, 0
        self._files, self._path = _open_store(address)
        if not size:
            with _reasons_told(address):
                size = int(self._files.info(self._path)["size"] or 0)
        self.size = size

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._at

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        self._at = max(0, offset + (0, self._at, self.size)[whence])
        return self._at

    def readinto(self, buffer: Any) -> int:
        end = min(self._at + len(buffer), self.size)
        if end <= self._at:
            return 0
        with _reasons_told(self._address):
            data = self._files.cat_file(self._path, start=self._at, end=end)
        buffer[: len(data)] = data
        self._at += len(data)
        return len(data)

    def readall(self) -> bytes:
        return self.read(max(self.size - self._at, 0)) or b""


BOOKKEEPING = ("_SUCCESS", "_metadata", "_common_metadata", "_delta_log", "_temporary", "_committed_", "_started_")
"""The beginnings of the names of files that engines write beside their rows."""


def root_of(pattern: str) -> str:
    """The folder of a path, or of a pattern what comes before its first wildcard."""
    return re.split(r"[*?[]", pattern)[0].rpartition("/")[0]


def pick_below(root: str, paths: Iterable[str]) -> Iterator[str]:
    """The paths that are neither hidden below that folder nor an engine's own."""
    return (path for path in paths if not is_passed_over(path.removeprefix(root)))


def is_passed_over(path: str) -> bool:
    """Tell whether a file, by its path in a folder, is hidden or an engine's own."""
    return any(part.startswith((".", *BOOKKEEPING)) for part in path.split("/"))


def _open_store(address: str) -> tuple[Any, str]:
    """The file system of an address, which keeps no listing, and the path in it."""
    scheme, _, rest = address.partition("://")
    place = rest.partition("/")[0]
    user, at, _ = place.rpartition("@")
    if (at and (":" in user or scheme not in WITH_ACCOUNT)) or QUERY.search(rest):
        kept = f"{scheme}://{place.rpartition('@')[2].partition('?')[0]}/…"
        raise SettingsError(
            f"{kept} was given with credentials or options in it; set those in the environment, as for the store's own"
            " tools (AWS_ACCESS_KEY_ID, AWS_ENDPOINT_URL, …), and give the address without"
        )
    if not place.strip("@"):
        raise SettingsError(f"{address!r:.80} names no bucket; write {scheme}://bucket/path")
    with needs("'historylab[cloud]'", f"reading {scheme}://"):
        import fsspec
    with _reasons_told(address):
        files, path = fsspec.core.url_to_fs(address, use_listings_cache=False)
        return files, path


@contextmanager
def _reasons_told(address: str) -> Iterator[None]:
    """Around what asks a store: a LoadError with the reason; of the libraries' many errors no base is shared."""
    try:
        yield
    except HistoryLabError:
        raise
    except FileNotFoundError:
        raise LoadError(f"there is no object {address!r:.200}; check the bucket and the path") from None
    except ImportError as problem:
        with needs("'historylab[cloud]'", f"reading {address.partition(':')[0]}://"):
            raise ModuleNotFoundError(name=getattr(problem.__cause__, "name", problem.name)) from None
    except Exception as problem:
        said = USER.sub("", " ".join(str(problem).split())) or type(problem).__name__
        hint = "; check the credentials in the environment" if isinstance(problem, PermissionError) else ""
        raise LoadError(f"{address!r:.200} can't be read: {without_keys(said)[:MOST_SAID]}{hint}") from None


def _version(about: dict[str, Any]) -> str:
    return next((str(about[name]) for name in VERSIONS if about.get(name)), "")


def _address_of(name: str, address: str) -> str:
    """The address of an object that was listed at another, by the store's name for it: bucket/path."""
    scheme, _, rest = address.partition("://")
    place = rest.partition("/")[0]
    bucket, slash, path = name.lstrip("/").partition("/")
    return f"{scheme}://{place if '@' in place else bucket}{slash}{path}"
