"""The sources of every setting: the sources in their order, what each does, every setting, and what would be if."""

from __future__ import annotations

import streamlit as st

from historylab.conversation.conversation import Conversation
from historylab.settings.consent import offline
from historylab.ui.session import cached, session, what_if
from historylab.ui.shared.replay_errors import replay_errors_shown
from historylab.ui.sources.effects import against_real, show_effects, strict_effect, tried_picture
from historylab.ui.sources.ready_cases import case_explained, ready_cases
from historylab.ui.sources.setting_list import setting_list
from historylab.ui.sources.source_order import effect_shown, source_order
from historylab.ui.sources.strict_environment import strict_environment


def sources_tab(conversation: Conversation) -> None:
    """Say what is in effect, or as it is tried: then with its picture, which the page above doesn't show."""
    st.html(
        '<h2 class="hl-title">Where every setting comes from</h2>'
        '<div class="hl-meta">Each setting is decided on its own: the first source in this order that says something '
        "readable about it wins. Press a case to see it at work, switch a source off, or write what it would say.</div>"
    )
    ready_cases()
    resolution = what_if.tried_resolution()
    case_explained(resolution)
    with st.container(key="sources-scene"):
        with st.container(key="sources-order"):
            places = source_order(resolution)
            strict = strict_environment(resolution)
        with st.container(key="sources-found"):
            picture = st.container(key="sources-picture")
            session.fragment(setting_list)(resolution)
    with replay_errors_shown():
        timeline = cached.timeline(conversation, offline(resolution.settings))
    if not timeline.plans:
        return
    if session.tab().what_if:
        with picture:
            tried_picture(timeline, against_real(conversation, resolution))
    show_effects(conversation, resolution, places)
    if sentence := strict_effect(conversation, resolution):
        effect_shown(strict, sentence)
