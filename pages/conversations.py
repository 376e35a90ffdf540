"""Conversations: all that was recorded, imported or generated, to search, tag, open, export and delete."""

import streamlit as st

from historylab.settings.consent import offline
from historylab.ui.library.large_file import large_file_picker
from historylab.ui.library.listing import found_of, list_headline, listing, search_bar
from historylab.ui.library.memory_preview import memory_preview
from historylab.ui.library.reading import show_unreadable, store_errors_shown
from historylab.ui.library.ticked_bar import ticked_bar
from historylab.ui.session import choices, opening, session, watching
from historylab.ui.session import library as held
from historylab.ui.shared.notice import notice
from historylab.ui.shared.page import go_to, start_page
from historylab.ui.shared.refusals import refusals
from historylab.ui.shared.replay_errors import replay_errors_shown

start_page("conversations")
if watching.leaves_for_playground():
    go_to("playground")
opening.conversation()
resolution = choices.resolution(recorded=False)
settings = offline(resolution.settings)
library, problem = held.library()
show_unreadable(problem)
refusals(resolution)
if done := session.tab().announcement:
    notice(done)
search_bar(library)
with replay_errors_shown(), store_errors_shown():
    found = found_of(library)
    list_headline(library, found)
    bar = st.container(key="ticked-place")  # kept where nothing is ticked: the list below would be made anew
    listing(library, found, settings)
    large_file_picker()
    with bar:
        ticked_bar(library)
    memory_preview(library, settings)
session.clear_announcement()
