"""The one server that requests are passed on to: its address, and the connections to it."""

from __future__ import annotations

import json
import re
from collections.abc import AsyncIterable
from functools import lru_cache, partial
from http.client import HTTPException
from http.cookiejar import CookieJar, DefaultCookiePolicy
from ipaddress import ip_address
from urllib.error import HTTPError
from urllib.parse import urlsplit
from urllib.request import ProxyHandler, build_opener

import httpx2

from historylab.errors import SettingsError
from historylab.proxy.headers import RawHeaders
from historylab.proxy.surplus import WholeAnswer
from historylab.serving.callers import is_loopback

VERSION = re.compile(r"v\d+\w*")
ASKED_VERSION = re.compile(rb"\A/v\d\w*(?=/|$)")
KEPT = 4
"""Seconds that a connection is kept for another request: less than servers keep theirs, who would end it."""
PATIENCE = httpx2.Timeout(connect=10, read=3600, write=60, pool=None)
"""Seconds; how long an answer may take is the client's to say, who hangs up."""

MOST_PATHS = 64
"""Paths whose addresses are remembered, as an app asks for the same few; a query may hold a key."""
SECONDS_TO_ASK = 1.0
LONGEST_HEALTH = 100_000  # bytes


class Upstream:
    """A server by its URL, with the version of its API or without: `…/v1` and `/v1/…` don't double.

    Where its address names a version (`…/v1beta/openai`), that takes the place of the one that is asked for; and a path
    that begins with its own is whole. `exact`: no version belongs between the address and a path. Raises SettingsError.
    """

    def __init__(self, url: str, *, exact: bool = False):
        self.url, path = _check_url(url)
        self._versioned = exact or any(VERSION.fullmatch(segment) for segment in path.split("/"))
        self._path = path.encode("ascii")
        self._at = httpx2.URL(self.url)
        self._url_of = lru_cache(MOST_PATHS)(partial(_with_target, self._at))
        self._client: httpx2.AsyncClient | None = None

    @property
    def host(self) -> str:
        return self._at.host

    @property
    def shows_keys(self) -> bool:
        """Whether keys cross a network unencrypted on their way there."""
        return self._at.scheme == "http" and not is_near(self.host)

    def request(
        self, method: str, path: bytes, query: bytes, headers: RawHeaders, content: bytes | AsyncIterable[bytes]
    ) -> httpx2.Request:
        """A request for a path that begins with a version or is whole; nothing in it chooses another host."""
        body = content or None if isinstance(content, bytes) else content
        below = self._below(path)
        url = _with_target(self._at, b"%s?%s" % (below, query)) if query else self._url_of(below)
        return httpx2.Request(method, url, headers=list(headers), content=body)

    def _below(self, path: bytes) -> bytes:
        """The path below this server's address."""
        if (path + b"/").startswith(self._path + b"/"):
            return path
        return self._path + (ASKED_VERSION.sub(b"", path) if self._versioned else path)

    async def send(self, request: httpx2.Request) -> httpx2.Response:
        """The answer's beginning, whose body is yet to be read; redirects are the client's to follow."""
        if self._client is None:
            self._client = httpx2.AsyncClient(
                timeout=PATIENCE,
                limits=httpx2.Limits(max_connections=None, max_keepalive_connections=100, keepalive_expiry=KEPT),
                follow_redirects=False,
                trust_env=not is_loopback(self.host),  # proxies of the network
                cookies=CookieJar(DefaultCookiePolicy(allowed_domains=[])),  # cookies are the clients' own
            )
        response = await self._client.send(request, stream=True, auth=None)
        if "network_stream" in response.extensions:
            response.stream = WholeAnswer(response, request.method)
        return response

    async def close(self) -> None:
        """Close the connections."""
        if self._client is not None:
            await self._client.aclose()
            self._client = None


def _with_target(server: httpx2.URL, target: bytes) -> httpx2.URL:
    return server.copy_with(raw_path=target)


def _check_url(url: str) -> tuple[str, str]:
    """Scheme and host of the URL, and its path."""
    wanted = "give http:// or https://, a host and at most a path, such as https://api.openai.com/v1"
    try:
        parts = urlsplit(url.strip())
        _ = parts.port
        whole = httpx2.URL(f"{parts.scheme}://{parts.netloc}")
    except (ValueError, httpx2.InvalidURL):
        raise SettingsError(f"the upstream's address can't be read; {wanted}") from None
    if parts.username is not None or parts.password is not None:
        raise SettingsError("the upstream's address holds a key; the apps send theirs, which are passed on")
    path = parts.path.rstrip("/")
    plain = re.fullmatch(r"(?:/(?!\.\.?(?:/|$))[\w.~-]+)*", path, re.ASCII)
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.query or parts.fragment or not plain:
        shown = url.partition("?")[0]  # a query may hold a key
        raise SettingsError(f"{shown!r:.200} isn't the address of an upstream; {wanted}")
    return str(whole), path


def is_near(host: str) -> bool:
    """Whether it is this machine or in a private network, as far as its name or address says."""
    if is_loopback(host) or "." not in host.strip("[]") or host.endswith((".local", ".internal", ".localhost")):
        return True
    try:
        return ip_address(host).is_private
    except ValueError:
        return False


def is_our_proxy(url: str) -> bool:
    """Tell whether a proxy of ours answers there, with a token or without; only what is near is asked."""
    parts = urlsplit(url)
    if not is_near(parts.hostname or ""):
        return False
    direct = build_opener(ProxyHandler({}))
    try:
        with direct.open(f"{parts.scheme}://{parts.netloc}/historylab/health", timeout=SECONDS_TO_ASK) as answer:
            said = json.loads(answer.read(LONGEST_HEALTH))
            return isinstance(said, dict) and {"version", "mode", "counts"} <= said.keys()
    except HTTPError as refused:  # one that asks for a token
        return b'"historylab_' in refused.read(LONGEST_HEALTH)
    except (OSError, ValueError, HTTPException):
        return False
