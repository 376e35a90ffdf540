"""The search for a setting: as one types, those that say the words stand there to be changed, of every group."""

from __future__ import annotations

import streamlit as st

from historylab.settings.effect import has_effect
from historylab.settings.model import Settings
from historylab.settings.resolve import Resolution
from historylab.ui.session import session
from historylab.ui.settings.setting_field import setting_field
from historylab.wording.settings import full_title
from historylab.wording.sources import search_settings
from historylab.wording.untrusted import escape

SHOWN = 6
LABEL = "Find a setting"


@session.fragment
def setting_search(resolution: Resolution) -> None:
    """The field, and the settings found; those without an effect under the others say so."""
    words = st.text_input(
        LABEL, type="search", placeholder=LABEL, label_visibility="collapsed", live=True, key="find a setting"
    )
    if not words:
        return
    settings = resolution.settings
    found = sorted(search_settings(words), key=lambda name: not has_effect(settings, name))
    with st.container(key="found settings"):
        for name in found[:SHOWN]:
            setting_field(resolution, name, key=f"found {name}")
            if "." in name or not has_effect(settings, name):
                st.html(f'<div class="hl-meta">{escape(_note(settings, name))}</div>')
        more = len(found) - SHOWN
        if more > 0 or not found:
            said = f"{more:,} more: add a word." if found else "No setting says that."
            st.html(f'<div class="hl-meta" role="status">{said}</div>')


def _note(settings: Settings, name: str) -> str:
    """Name whose option it is, and whether it has an effect now."""
    whose = full_title(name).rpartition(": ")[0]
    without = "" if has_effect(settings, name) else "no effect now"
    return " · ".join(filter(None, (whose, without)))
