"""Whether the page is shown on this machine alone: only then may it list files of the machine."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from urllib.parse import urlsplit

import streamlit as st
from streamlit import config

from historylab.serving.callers import host_name, is_loopback

FORWARDING = ("forwarded", "via", "x-forwarded-for", "x-forwarded-host", "x-real-ip")
"""Headers that a proxy adds: somebody else may be at its other end."""


def on_this_machine() -> bool:
    """Whether server and reader are on the same machine, as far as can be seen; without a doubt, or else not."""
    return is_local(
        config.get_option("server.address") or "",
        {name.lower(): value for name, value in st.context.headers.items()},
        config.get_option("server.corsAllowedOrigins"),
    )


def is_local(address: str, headers: Mapping[str, str], other_origins: Iterable[str] = ()) -> bool:
    """Whether the server listens on loopback, was asked by a loopback name, and no proxy or other site stands between.

    `headers` by lower-case name; `other_origins` are those the operator lets in, as behind a proxy.
    """
    if any(name in headers for name in FORWARDING) or not is_loopback(address):
        return False
    return is_loopback(host_name(headers.get("host", ""))) and all(is_loopback(_host(o)) for o in other_origins)


def _host(url: str) -> str:
    try:
        return urlsplit(url).hostname or ""
    except ValueError:
        return ""
