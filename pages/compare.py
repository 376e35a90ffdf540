"""Compare: one conversation under up to four settings, side by side on one clock, each beside the first."""

import streamlit as st

from historylab.ui.compare import configurations
from historylab.ui.compare.compare_view import compare_view
from historylab.ui.compare.comparison_verdict import add_buttons, comparison_bar, comparison_verdict, sentences_beside
from historylab.ui.compare.configuration_fields import all_fields
from historylab.ui.compare.nearest_search import nearest_search
from historylab.ui.session import choices, opening, session
from historylab.ui.shared.no_requests import no_requests
from historylab.ui.shared.page import start_page
from historylab.ui.shared.refusals import refusals
from historylab.ui.shared.replay_errors import replay_errors_shown

start_page("compare")
conversation = opening.conversation()
chosen = configurations.configurations()
with replay_errors_shown(lambda: all_fields(chosen)):
    timelines = [configurations.timeline_of(each, chosen, conversation) for each in chosen]
refusals(choices.resolution())
if timelines[0].plans:
    compared, drawn, offered = configurations.complete(chosen, timelines)
    figures = configurations.compared_figures(drawn)
    said = sentences_beside(compared, drawn, figures)
    comparison_bar(conversation, compared, drawn)
    comparison_verdict(drawn, figures, said)
    add_buttons(compared, drawn, offered)
    search = st.container()
    compare_view(compared, drawn, figures, said)
    with search:  # last: it takes long, and what is compared can be looked at meanwhile
        nearest_search(compared, drawn)
else:
    no_requests("There is nothing to compare. Open another conversation on Inspect.")
session.clear_announcement()
