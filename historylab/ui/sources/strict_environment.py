"""The switch of a strict environment, and what it shuts out at the moment."""

from __future__ import annotations

import os

import streamlit as st

from historylab.settings.names import STRICT_ENVIRONMENT
from historylab.settings.resolve import Resolution
from historylab.settings.sources import strict_by_environment
from historylab.ui.session import choices, session
from historylab.wording.settings import strict_note
from historylab.wording.untrusted import escape

KEY, TITLE = "strict", "Strict environment"
HELP = (
    "As soon as the environment sets one valid value, the URL, your choices and a template you uploaded are ignored. "
    f"The server can switch it on for everybody: {STRICT_ENVIRONMENT}=true, or historylab --strict-environment. "
    "No link can switch it on or off."
)


def strict_environment(resolution: Resolution) -> None:
    """The switch, locked where the server decided; under it what follows from it."""
    decided = strict_by_environment(os.environ)
    if decided is None:
        on = session.tab().strict
        st.toggle(
            TITLE,
            on,
            key=session.seed_widget(KEY, on),
            on_change=lambda: choices.be_strict(bool(session.widget_value(KEY))),
            help=HELP,
        )
    else:
        st.html(
            f'<div class="hl-field">{TITLE}</div><div class="hl-locked"><b>🔒\ufe0e {"on" if decided else "off"}</b>'
            f'<div class="hl-meta">set by <code>{STRICT_ENVIRONMENT}</code></div></div>'
        )
    if note := _follows(resolution, on=session.tab().strict if decided is None else decided):
        st.html(f'<div class="hl-meta">{escape(note)}</div>')


def _follows(resolution: Resolution, *, on: bool) -> str:
    if not on:
        return ""
    return strict_note(resolution) or "The environment sets nothing valid, so nothing is shut out."
