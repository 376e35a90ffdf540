"""The link to share: a complete address that means the same on any server and never contains uploaded text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st

from historylab.settings.link import encode
from historylab.settings.model import Settings
from historylab.systems.presets.base import preset_in_link
from historylab.ui.session import address, edits, session
from historylab.ui.shared.page import PAGES


def full_link(settings: Settings, path: str = "", compare: Sequence[Mapping[str, Any]] | None = None) -> str:
    """The settings that differ from the defaults, the open sample or seed, the request shown, and what is compared.

    For an edited conversation it opens the original, which has other requests, and leaves the request out.

    `path` is the page's: "compare". Raises SettingsError if the link would be too long.
    """
    place = address.current_place(request=request_for_link(), compare=compare)
    return f"{playground_address()}{path}?{encode(settings, place, preset_in_link(place.system))}"


def request_for_link() -> int | None:
    """The request shown (from 0); None if edits, which no link carries, may have moved it."""
    return None if edits.current_edits() else session.tab().request


def playground_address() -> str:
    """The playground's address without a query; it is at the root, whatever path this tab came by."""
    base = (st.context.url or "").partition("?")[0]
    for name in PAGES:
        base = base.removesuffix("/").removesuffix(f"/{name}")
    return base + "/"
