"""Inspect, of a chat that goes on: talk to a model under the settings, and see what each answer saw."""

import streamlit as st

from historylab.ui.chat import asking
from historylab.ui.chat.answerer import answerer_field, cannot_ask
from historylab.ui.chat.bubbles import bubbles
from historylab.ui.chat.checkpoints import checkpoints_panel
from historylab.ui.chat.elsewhere import follow_chat, open_elsewhere
from historylab.ui.chat.empty import invitation
from historylab.ui.chat.failure import failure_shown
from historylab.ui.chat.memory import memory_panel
from historylab.ui.chat.running import follow_run, stop_button
from historylab.ui.chat.seen_panel import seen_panel
from historylab.ui.chat.stored import stored_messages
from historylab.ui.chat.tools_field import tools_field
from historylab.ui.session import choices, opening, session
from historylab.ui.settings.settings_sidebar import settings_sidebar
from historylab.ui.shared.page import start_page
from historylab.ui.shared.refusals import refusals

SAY = "say"

start_page("talk")
opening.conversation()
resolution = choices.resolution()
settings, system = resolution.settings, asking.current_system()
settings_sidebar(resolution)
refusals(resolution)
chat = session.tab().chat
follow_chat(chat)
run = chat.run if chat.running else None
steps = run.steps if run else 0


def say() -> None:
    """Send what was written."""
    asking.say(session.widget_value(SAY) or "", settings)


with st.container(key="chat-scene"):
    with st.container(key="chat-talk", gap="small"):
        answerer_field(chat, settings)
        tools_field(chat, settings, system)
        memory_panel(chat, settings)
        with st.container(key="chat-said", height=520, autoscroll=True, gap="small"):
            if len(chat.conversation):
                bubbles(chat)
            else:
                invitation(chat, settings)
            answer = st.empty()
            failure_shown(chat, settings)
        stop_button(chat)
        waits = cannot_ask(chat, settings)
        st.chat_input(waits or "Write to the model", key=SAY, on_submit=say, disabled=bool(waits), max_chars=100_000)
    with st.container(key="chat-saw", gap="small"):
        seen_panel(chat, settings)
        open_elsewhere(chat)
        stored_messages(chat)
        checkpoints_panel(chat, settings)
session.clear_announcement()
if run:
    follow_run(run, steps, answer)
