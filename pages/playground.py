"""The playground: one conversation under one set of settings, request by request."""

import streamlit as st

from historylab.ui import cached, opening, state
from historylab.ui.components.consent import waiting
from historylab.ui.components.conversation_bar import conversation_bar
from historylab.ui.components.debug_drawer import debug_button, debug_drawer
from historylab.ui.components.export_drawer import export_button
from historylab.ui.components.refusals import refusals
from historylab.ui.components.replayable import replayable
from historylab.ui.components.request_view import request_view
from historylab.ui.components.settings_sidebar import settings_sidebar
from historylab.ui.components.system_choice import say
from historylab.ui.history_log import log_history
from historylab.ui.page import start_page

start_page("Playground")
conversation = opening.conversation()
resolution = state.resolution()
refusals(resolution)
with replayable(lambda: settings_sidebar(resolution)):
    timeline = cached.timeline(conversation, resolution.settings)
waiting(resolution, timeline)
conversation_bar(conversation, timeline, resolution, lambda: export_button(resolution, timeline), debug_button)
log_history(resolution, conversation)
if timeline.plans:
    request_view(timeline)
else:
    st.html(
        '<h1 class="hl-verdict">Nobody asks the model anything in this conversation.</h1>'
        '<div class="hl-cost">A request is made for every answer to a user or a tool. Open another conversation.</div>'
    )
say(settings_sidebar(resolution), timeline, conversation)  # last: what the settings do is shown first
debug_drawer(resolution, conversation, timeline)
