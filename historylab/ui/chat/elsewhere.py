"""The chat on the other pages: it is what is open there, and stays so as it goes on."""

from __future__ import annotations

import streamlit as st

from historylab.formats.base import Report
from historylab.formats.load import Conversations
from historylab.ui.session import session, viewing
from historylab.ui.session.chat_session import ChatSession
from historylab.ui.shared.page import PAGES, go_to

PLACES = ("playground", "compare", "tune")
ASKED = "chat-opens"


def open_elsewhere(chat: ChatSession) -> None:
    """Buttons that open the chat so far on another page; none before anything was said."""
    if not len(chat.conversation):
        return
    with st.container(horizontal=True, vertical_alignment="center", key="elsewhere"):
        st.html('<span class="hl-meta">Open this chat in</span>', width="content")
        for name in PLACES:
            if st.button(PAGES[name], key=f"open-in-{name}"):
                _open(chat)
                go_to(name)
        st.button(
            "New chat",
            key="new-chat",
            type="tertiary",
            on_click=_restart,
            args=(chat,),
            help="Begins anew; who answers, tools and server stay. This chat is gone, unless it was recorded.",
        )


def _restart(chat: ChatSession) -> None:
    chat.restart()
    session.touch()


def follow_chat(chat: ChatSession) -> None:
    """If the chat is what is open, open what it has become since."""
    opened = viewing.current_file()
    if opened.conversations is not chat.shown or opened.edited is not None or chat.running:
        return
    if opened.original is not chat.conversation:
        _open(chat)


def _open(chat: ChatSession) -> None:
    said = chat.conversation
    conversations = Conversations([said], Report(format="chat", records=len(said), messages=len(said), conversations=1))
    viewing.open_conversations(conversations, "")
    chat.show_elsewhere(conversations)
    session.touch()
