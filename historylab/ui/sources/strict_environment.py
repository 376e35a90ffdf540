"""The switch of a strict environment, what it shuts out, and what it would change."""

from __future__ import annotations

from typing import Any

import streamlit as st

from historylab.settings.names import STRICT_ENVIRONMENT
from historylab.settings.resolve import Resolution
from historylab.ui.session import session, what_if
from historylab.wording.settings import strict_note
from historylab.wording.untrusted import escape

KEY, TITLE = "strict", "Strict environment: all or nothing"
NOTHING_SET = "The environment sets nothing valid, so nothing is shut out."
HELP = (
    "As soon as the environment sets one valid value, the URL, your choices and a template you uploaded are ignored. "
    f"The server can switch it on for everybody: {STRICT_ENVIRONMENT}=true, or historylab --strict-environment. "
    "No link can switch it on or off."
)


def strict_environment(resolution: Resolution) -> Any:
    """The switch, locked where the server decided; what follows from it. Returns the place for its effect."""
    decided = what_if.decided_by_server()
    with st.container(key="source strict", gap=None):
        if decided is None:
            on = what_if.is_strict_as_tried()
            st.toggle(TITLE, on, key=session.seed_widget(KEY, on), on_change=_switch, help=HELP)
            where = "As if, on this page alone." if session.tab().what_if else "Counts in this tab, on every page."
            st.html(f'<div class="hl-meta">{where}</div>')
        else:
            on = decided
            st.html(
                f'<div class="hl-field">{TITLE}</div><div class="hl-locked"><b>🔒\ufe0e {"on" if on else "off"}</b>'
                f'<div class="hl-meta">set by <code>{STRICT_ENVIRONMENT}</code></div></div>'
            )
        if note := _follows(resolution, on=on):
            st.html(f'<div class="hl-small">{escape(note)}</div>')
        return st.empty()


def _switch() -> None:
    session.hand_value(KEY, lambda on: what_if.switch_strict(on=on))


def _follows(resolution: Resolution, *, on: bool) -> str:
    if not on:
        return ""
    return strict_note(resolution) or NOTHING_SET
