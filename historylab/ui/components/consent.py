"""A person's yes to a model that writes summaries: what is sent, to whom, how often; and what waits for a click."""

from __future__ import annotations

import streamlit as st

from historylab.chat_models.environment import whom
from historylab.figures.untrusted import escaped
from historylab.replay import Timeline
from historylab.settings.consent import asking, refused_for_consent
from historylab.settings.resolve import Resolution
from historylab.ui import asking as asked
from historylab.ui import state
from historylab.ui.components.notice import notice

FIELD, MOST_CALLS = "summarizer", "summarizer.model.most_calls"


def consent(resolution: Resolution) -> None:
    """Under the choice of who writes summaries: the yes that a model needs, where somebody chose one."""
    settings, origin = resolution.settings, resolution.provenance[FIELD]
    on = FIELD in asking(settings)
    if not on and not refused_for_consent(resolution, FIELD):
        return
    sent = (
        "The messages that a summary stands for are sent as text, with this server's key, which nobody sees: at most "
        f"{settings.value(MOST_CALLS):,} times a replay, nothing twice."
    )
    if origin.locked:
        st.html(f'<div class="hl-meta">{escaped(f"{whom(settings.model)} writes the summaries. {sent}")}</div>')
        return
    st.checkbox(
        f"Let {whom(settings.model)} write them",
        key=state.seed("agreed", on),
        on_change=lambda: asked.agree(state.value_of("agreed")),
    )
    st.html(f'<div class="hl-meta">{escaped(sent)} Your yes counts for this tab, until you take it back.</div>')


def waiting(resolution: Resolution, timeline: Timeline) -> None:
    """That this replay would ask a model something new, and the button that lets it."""
    settings = resolution.settings
    if not asking(settings) or asking(timeline.settings):
        return
    who = whom(settings.model)
    said, button = st.columns([5, 2], vertical_alignment="center")
    with said:
        notice(f"{who} has not seen what these settings fold; until you ask it, lines of the original stand there")
    button.button(
        "Ask for the summaries", key="ask", on_click=asked.ask_now, help=f"Sends messages to {who}.", width="stretch"
    )
