"""The server that is asked and its key: the environment's (`OPENAI_BASE_URL`, `OPENAI_API_KEY`), or those of a person.

The environment is read on every use and never stored. Its key goes to no address that a person gave.
"""

from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from historylab.errors import ModelError

KEY, BASE_URL = "OPENAI_API_KEY", "OPENAI_BASE_URL"
OPENAI = "https://api.openai.com/v1"
NO_KEY = "none"  # sent as the key to a server that needs none


@dataclass(frozen=True, slots=True)
class ModelServer:
    """An address and a key that a person gave, each only where it isn't empty; otherwise the environment's.

    A `public_only` server is asked at no private address, whatever its name resolves to.
    """

    url: str = ""
    key: str = field(default="", repr=False)
    public_only: bool = False

    @property
    def base_url(self) -> str:
        """The server's address; OpenAI's if neither the person nor the environment names one."""
        return (self.url or os.environ.get(BASE_URL) or OPENAI).strip().rstrip("/")

    @property
    def is_openai(self) -> bool:
        return self.base_url == OPENAI

    @property
    def is_set_up(self) -> bool:
        """Whether there is a key, or a server that may need none."""
        return bool(self._key) or not self.is_openai

    @property
    def host(self) -> str:
        """The server for display: its host, without path or key; otherwise "OpenAI"."""
        if self.is_openai:
            return "OpenAI"
        try:
            parts = urlsplit(self.base_url)
            host, port = parts.hostname or "an address that cannot be read", parts.port
        except ValueError:
            return "an address that cannot be read"
        return f"{host}:{port}" if self.url and port else host

    def check_address(self) -> None:
        """Raise ModelError for an invalid address, or one that contains a key, without showing it."""
        try:
            parts = urlsplit(self.base_url)
            usable = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0
            usable = usable and "@" not in parts.netloc
        except ValueError:
            usable = False
        if not usable:
            what, key = ("the base URL", "the field for it") if self.url else (BASE_URL, KEY)
            raise ModelError(f"{what} is no address like https://host/v1 (a key goes into {key})", "address")

    def api_key(self) -> str:
        """The key. Raises ModelError if OpenAI needs one and there is none, or if it is not a valid header."""
        key = self._key
        if not key and self.is_openai:
            raise ModelError(
                f"{KEY} is not set; set it, or {BASE_URL} for a server of your own that wants no key", "no_key"
            )
        if not (key.isascii() and key.isprintable()):  # as a header it would fail, and the error would show it
            what = "the key" if self.key else KEY
            raise ModelError(f"{what} holds characters that no key has; set it anew", "key")
        return key or NO_KEY

    @property
    def _key(self) -> str:
        return (self.key if self.key or self.url else os.environ.get(KEY, "")).strip()

    def known_secrets(self) -> tuple[str, ...]:
        """Texts that must never be shown."""
        given = (self.key, self.url, os.environ.get(KEY, ""), os.environ.get(BASE_URL, ""))
        return tuple(filter(None, map(str.strip, given)))

    def fingerprint(self, *values: str) -> str:
        """A hash that identifies a server, or a server and key, without revealing them."""
        told = "\0".join((self.base_url, *values))
        return hashlib.blake2b(told.encode(errors="replace"), digest_size=8).hexdigest()


ENVIRONMENT = ModelServer()
"""The server of the environment."""


def display_host() -> str:
    """The environment's server for display: its host; otherwise "OpenAI"."""
    return ENVIRONMENT.host


def model_and_host(model: str, server: ModelServer = ENVIRONMENT) -> str:
    """The model and its server for display: "gpt-5.5 at OpenAI"."""
    return f"{model} at {server.host}"
