"""Owners: whose a request is, as a digest that tells people apart and names nobody.

A chat goes on only under the credentials, the user and the session it began with. Their digest is keyed, so that no
recording tells which key was used, nor whether a guess is right; the key of the digest lies outside of the recording,
in the user's configuration or, for containers and several machines, in HISTORYLAB_RECORD_KEY.
"""

from __future__ import annotations

import hmac
import json
import logging
import os
import re
import secrets
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import Any

from historylab.settings.names import RECORD_KEY

log = logging.getLogger("historylab.recordings")

SESSION, PERSON, CREDENTIAL = "session-", "user-", "key-"
"""Beginnings of owners: it was named with a session, with a user, or is known by its credentials alone."""
NAMES = re.compile(
    r"(?:.*[-_.])?(?:user|session|conversation|thread|chat|account)[-_]?id|user|safety_identifier", re.IGNORECASE
)
OF_SESSION = re.compile("session|conversation|thread|chat[-_]?id", re.IGNORECASE)
"""Fields and headers that name a person or a session, whatever the API, agent or framework calls them."""
HOLDERS = ("metadata", "client_metadata")
KEY_FILE = Path("historylab", "recording.key")
DIGITS = 20


class Owners:
    """Digests of owners under one key, which is read when the first is asked for; a test gives its own."""

    def __init__(self, key: bytes = b""):
        self._given = key

    @cached_property
    def _key(self) -> bytes:
        return self._given or digest_key()

    def owner_of(
        self, credentials: Iterable[str], named: Iterable[tuple[str, str]] = (), body: Mapping[str, Any] | None = None
    ) -> str:
        """The owner of a request: by its keys, by other fields that came with it (headers), and by its body's.

        Empty where nothing says whose it is.
        """
        keys = sorted({*credentials})
        people = sorted({(name.lower(), value) for name, value in (*named, *_fields(body or {})) if names_owner(name)})
        if not keys and not people:
            return ""
        said = json.dumps([keys, people]).encode()
        named_session = any(OF_SESSION.search(text) for name_and_value in people for text in name_and_value)
        kind = SESSION if named_session else PERSON if people else CREDENTIAL
        return kind + hmac.digest(self._key, said, "sha256").hex()[:DIGITS]


def names_owner(field: str) -> bool:
    """True for the name of a field or a header that names a person or a session."""
    return NAMES.fullmatch(field) is not None


def names_person(owner: str) -> bool:
    """True for an owner that was told apart by more than a key, which many people may share."""
    return owner.startswith((PERSON, SESSION))


def names_session(owner: str) -> bool:
    """True for an owner that was told apart by the session or conversation, too."""
    return owner.startswith(SESSION)


def _fields(body: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    for fields in (body, *(held for name in HOLDERS if isinstance(held := body.get(name), Mapping))):
        yield from ((name, value) for name, value in fields.items() if isinstance(value, str) and value)


def digest_key() -> bytes:
    """The key of digests: from the environment, else of a file that is made when it is first needed."""
    if given := os.environ.get(RECORD_KEY):
        return given.encode()
    home = os.environ.get("XDG_CONFIG_HOME") or os.environ.get("APPDATA") or Path.home() / ".config"
    file = Path(home) / KEY_FILE
    try:
        return _read(file) or _make(file)
    except OSError as problem:
        log.warning(
            "chats go on as new conversations after a restart: no key can be kept in %s (%s); set %s",
            file,
            problem.strerror,
            RECORD_KEY,
        )
        return secrets.token_bytes(32)


def _read(file: Path) -> bytes:
    try:
        return file.read_bytes()
    except FileNotFoundError:
        return b""


def _make(file: Path) -> bytes:
    """A new key in that file, unless another process was first: then its own."""
    file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    new = file.with_name(f"{file.name}.{secrets.token_hex(4)}")
    with os.fdopen(os.open(new, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600), "wb") as opened:
        opened.write(secrets.token_hex(32).encode())
    try:
        os.link(new, file)
    except FileExistsError:
        pass
    finally:
        os.unlink(new)
    return file.read_bytes()
