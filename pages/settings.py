"""Settings sources: which source decides each setting, what each does to the conversation, and what would be if."""

import streamlit as st

from historylab.settings.consent import offline
from historylab.ui.session import cached, opening, session, what_if
from historylab.ui.shared.no_requests import no_requests
from historylab.ui.shared.page import start_page
from historylab.ui.shared.refusals import show_problem
from historylab.ui.shared.replay_errors import replay_errors_shown
from historylab.ui.sources.effects import against_real, show_effects, strict_effect, tried_picture
from historylab.ui.sources.ready_cases import case_explained, ready_cases
from historylab.ui.sources.setting_list import setting_list
from historylab.ui.sources.source_order import effect_shown, source_order
from historylab.ui.sources.strict_environment import strict_environment
from historylab.wording.verdict import without_requests

start_page("settings")
conversation = opening.conversation()
st.html(
    '<div class="hl-title">Where every setting comes from</div>'
    '<div class="hl-meta">Each setting is decided on its own: the first source in this order that says something '
    "readable about it wins. Press a case to see it at work, switch a source off, or write what it would say.</div>"
)
show_problem()
ready_cases()
resolution = what_if.tried_resolution()
case_explained(resolution)
with st.container(key="sources-scene"):
    with st.container(key="sources-order"):
        places = source_order(resolution)
        strict = strict_environment(resolution)
    picture = st.container(key="sources-picture")
session.fragment(setting_list)(resolution)
with picture, replay_errors_shown():
    timeline = cached.timeline(conversation, offline(resolution.settings))
    if timeline.plans:
        compared = against_real(conversation, resolution) if session.tab().what_if else ""
        tried_picture(timeline, compared)
    else:
        no_requests(without_requests(conversation))
if timeline.plans:
    show_effects(conversation, resolution, places)
    if sentence := strict_effect(conversation, resolution):
        effect_shown(strict, sentence)
