"""One line on the settings that the open recording was sent under, where they are others; a button uses them."""

from __future__ import annotations

import streamlit as st

from historylab.recordings.sent_plans import newest_decision
from historylab.settings.resolve import Resolution
from historylab.ui.session import choices, viewing
from historylab.wording.cuts import settings_in_words
from historylab.wording.settings import title_of
from historylab.wording.untrusted import escape


def sent_under_line(resolution: Resolution) -> None:
    """The line; nothing where the file says nothing of it, or what can be chosen on screen is as it was sent."""
    found = newest_decision(viewing.current_file().original)
    if found is None:
        return
    sent, audited = found
    now, then = resolution.settings.values(), sent.values()
    others = {name: value for name, value in then.items() if value != now[name]}
    locked = [name for name in others if resolution.provenance[name].locked]
    if not others:
        return
    held = f" {', '.join(map(title_of, locked))}: held by the environment." if locked else ""
    said = f"{'Only watched (audit)' if audited else 'Sent'} under {settings_in_words(sent)}.{held}"
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="sent-under"):
        st.html(f'<div class="hl-notice hl-small">{escape(said)}</div>')
        if len(locked) < len(others):
            free = {name: value for name, value in others.items() if name not in locked}
            st.button("Use these settings", key="use-sent-under", on_click=choices.choose_settings, args=(free,))
