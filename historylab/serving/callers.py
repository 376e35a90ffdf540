"""Who asks: by which name of the server, and from which page, as a request's headers say."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from ipaddress import ip_address
from urllib.parse import urlsplit

from starlette.datastructures import Headers


@lru_cache(64)
def host_name(address: str) -> str:
    """The name in a Host header or after a URL's slashes, without its port; "" for what is no address."""
    try:
        parts = urlsplit(f"//{address}")
        _ = parts.port  # raises for one that is no number
    except ValueError:
        return ""
    plain = parts.username is None and not (parts.path or parts.query or parts.fragment)
    return (parts.hostname or "").lower().rstrip(".") if plain else ""


def is_loopback(host: str) -> bool:
    """Whether a host's name or address is this machine's own."""
    if host.lower() == "localhost":
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


def asked_by_other_site(headers: Headers, is_listed: Callable[[str], bool] = lambda _: False) -> bool:
    """Whether a page of another site sent a request; `is_listed`: the origins that the operator lets in."""
    hosts, origins = headers.getlist("host"), headers.getlist("origin")
    if origins:
        return not (len(origins) == 1 and (_is_own(origins[0], hosts) or is_listed(origins[0])))
    # Browsers name no origin when a page loads an image or a script; a link that is followed is welcome.
    elsewhere = headers.get("sec-fetch-site", "none") not in ("none", "same-origin")
    return elsewhere and headers.get("sec-fetch-mode") != "navigate"


def _is_own(origin: str, hosts: list[str]) -> bool:
    """Whether the page is the server's: same host and same port, as the reader's address bar has them."""
    try:
        parts = urlsplit(origin)
    except ValueError:
        return False
    return parts.scheme in ("http", "https") and [parts.netloc.lower()] == [host.lower() for host in hosts]
