"""The link to share: a whole address that means the same on any server, and never holds what was uploaded."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st

from historylab.settings.link import encode
from historylab.settings.model import Settings
from historylab.ui.session import address, edits, session


def full_link(settings: Settings, path: str = "", compare: Sequence[Mapping[str, Any]] | None = None) -> str:
    """Every setting, defaults too, the sample or seed that is open, the request looked at, what it is compared with.

    Of an edited conversation it opens the original, which has other requests: the one looked at isn't in it.

    `path` is the page's: "compare". Raises SettingsError when the link would be too long to be one.
    """
    place = address.current_place(request=request_to_tell(), compare=compare)
    return f"{playground_address()}{path}?{encode(settings, place)}"


def request_to_tell() -> int | None:
    """The request looked at (from 0), where a link can open it: nobody else has one's own edits."""
    return None if edits.current_edits() else session.tab().request


def playground_address() -> str:
    """The playground's address without a query; it is at the root, whatever path this tab came by."""
    base = (st.context.url or "").partition("?")[0]
    for path in ("/playground", "/compare", "/tune", "/corpus", "/settings"):
        base = base.removesuffix("/").removesuffix(path)
    return base + "/"
