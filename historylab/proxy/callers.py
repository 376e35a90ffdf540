"""Who is answered: programs that ask by the server's own name and bring its token, if it has one; no web pages."""

from __future__ import annotations

import hmac
from collections.abc import Collection, Sequence

from starlette.datastructures import Headers

from historylab.proxy.headers import TOKEN
from historylab.proxy.refusals import CLOSES, Refused
from historylab.serving.address import EVERY_INTERFACE
from historylab.serving.callers import asked_by_other_site, host_name

LARGEST_HEADERS = 65_536  # bytes
OWN_NAMES = ("localhost", "127.0.0.1", "::1")


def known_names(host: str) -> Collection[str]:
    """The names that a server listening there is asked by; none where others may know it by any name."""
    return () if host in EVERY_INTERFACE else {*OWN_NAMES, host.lower()}


def check_caller(headers: Headers, names: Collection[str], tokens: Sequence[str]) -> None:
    """Refuse a request that no program meant for this server sends. Raises Refused."""
    hosts, lengths = headers.getlist("host"), headers.getlist("content-length")
    if len(lengths) > 1 or (lengths and "transfer-encoding" in headers) or not all(map(_is_length, lengths)):
        # Before all else: nobody knows where such a request ends, so nothing behind it is read.
        raise Refused(400, "the length of the request is given in two ways, or is no number", "length", CLOSES)
    if len(hosts) != 1 or (names and host_name(hosts[0]) not in names):
        raise Refused(403, "it is not known by the name in the Host header; see --host", "host")
    if asked_by_other_site(headers):
        raise Refused(403, "a web page asked for this, and only programs are answered", "origin")
    if tokens and not _has_token(headers.getlist(TOKEN), tokens):
        raise Refused(401, f"the header {TOKEN} must hold the token it was started with", "token")
    if sum(len(name) + len(value) for name, value in headers.raw) > LARGEST_HEADERS:
        raise Refused(431, f"its headers have more than {LARGEST_HEADERS:,} bytes", "headers")
    if headers.get("upgrade", "").lower() == "websocket":
        # a client that also speaks HTTP (Codex) tries that after 426, and after no other refusal
        raise Refused(426, "websockets are not passed on", "websocket")


def _has_token(given: Sequence[str], tokens: Sequence[str]) -> bool:
    sent = given[0].encode("latin-1", "replace") if len(given) == 1 else b""
    return any([hmac.compare_digest(sent, token.encode()) for token in tokens])


def _is_length(text: str) -> bool:
    return text.isascii() and text.isdecimal()
