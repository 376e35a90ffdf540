"""Headers: what is passed on either way, and what the proxy says of a request in those of its answer."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import TypeAlias
from urllib.parse import parse_qsl

from historylab.secrets.redaction import likely_secrets

RawHeaders: TypeAlias = "Sequence[tuple[bytes, bytes]]"
"""Name and value as they came, names in lower case."""

OF_ONE_CONNECTION = frozenset(
    b"connection keep-alive proxy-connection proxy-authenticate proxy-authorization te trailer trailers "
    b"transfer-encoding upgrade http2-settings".split()
)
WRITTEN_ANEW = frozenset((b"host", b"content-length", b"expect"))
OURS = b"historylab-"
TOKEN = "historylab-token"
CREDENTIALS = re.compile(rb"auth(?!or(?:s|ity)?\b)|cookie|key\b|secret|\bsig|token", re.IGNORECASE)
"""What names of headers and of a query's fields have in them, if a key may stand there: each provider has its own."""
OF_OWNER = frozenset((b"authorization", b"x-api-key", b"api-key", b"x-goog-api-key", TOKEN.encode()))
KEYS_OF_QUERY = frozenset((b"key", b"api-key"))
"""Headers and fields of a query whose values are the credentials that whoever asks is told apart by."""
COOKIE_NAME = re.compile(r"[\w.-]+=(?=[^=])")
LONGEST_SKETCH = 400
ELLIPSIS = "..."


def to_upstream(headers: RawHeaders, *, readable: bool) -> list[tuple[bytes, bytes]]:
    """What the upstream gets of a client's headers; `readable`: its answer must not come compressed."""
    passed = [(name, value) for name, value in _passed_on(headers) if name not in WRITTEN_ANEW]
    if not readable:
        return passed
    return [*((name, value) for name, value in passed if name != b"accept-encoding"), (b"accept-encoding", b"identity")]


def to_client(headers: Iterable[tuple[bytes, bytes]]) -> list[tuple[bytes, bytes]]:
    """What the client gets of the upstream's headers."""
    return list(_passed_on([(name.lower(), value) for name, value in headers]))


def _passed_on(headers: RawHeaders) -> Iterator[tuple[bytes, bytes]]:
    """The headers that belong to the message; those of one connection, which it names, and our own stay behind."""
    named = {part.strip().lower() for name, value in headers if name == b"connection" for part in value.split(b",")}
    for name, value in headers:
        if name not in OF_ONE_CONNECTION and name not in named and not name.startswith(OURS):
            yield name, value


def secrets_in(headers: RawHeaders, query: bytes = b"") -> list[str]:
    """The keys that a client sent along: they are passed on and stand in no record, whatever repeats them."""
    fields = [*headers, *parse_qsl(query)]
    values = (value.decode("latin-1") for name, value in fields if CREDENTIALS.search(name))
    parts = (COOKIE_NAME.sub("", part) for value in values for part in re.split(r"[\s;,]+", value))
    return likely_secrets(part.strip("\"'=") for part in parts)


def credentials_in(headers: RawHeaders, query: bytes = b"") -> list[str]:
    """The credentials that a client is told apart by."""
    values = [value for name, value in headers if name in OF_OWNER]
    values += (value for name, value in parse_qsl(query) if name in KEYS_OF_QUERY)
    return [value.decode("latin-1") for value in values]


def sketch_header(sketch: str) -> str:
    """A run-length sketch of decisions, no longer than a header should be: the newest of a longer one."""
    return sketch if len(sketch) <= LONGEST_SKETCH else ELLIPSIS + _from_a_run(sketch[len(ELLIPSIS) - LONGEST_SKETCH :])


def _from_a_run(sketch: str) -> str:
    """The sketch without the numbers that it begins with, whose letter was cut off."""
    return sketch.lstrip("0123456789")
