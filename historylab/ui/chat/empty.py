"""An empty chat: which model answers, first messages to try, and the conversation that is open to go on from."""

from __future__ import annotations

import streamlit as st

from historylab.costs.amounts import count_of
from historylab.settings.model import Settings
from historylab.ui.chat import asking
from historylab.ui.session import session, viewing
from historylab.ui.session.chat_session import REPLAYED, ChatSession
from historylab.wording.chat import EXAMPLES, NAME
from historylab.wording.untrusted import code_span, escape, one_line


def invitation(chat: ChatSession, settings: Settings) -> None:
    """Say who answers, and offer ways to begin."""
    who = one_line(asking.who_answers(chat, settings), NAME)
    st.html(
        f'<div class="hl-title">Say something</div><div class="hl-meta">Answered by {escape(who)}, under the settings '
        "in the sidebar. Each answer says what its request held.</div>"
    )
    may_ask = chat.may_ask(settings.model)
    if chat.answerer != REPLAYED:
        for number, text in enumerate(EXAMPLES):
            st.button(
                text,
                key=f"example-{number}",
                disabled=not may_ask,
                on_click=asking.say,
                args=(text, settings),
            )
        _go_on_from_open(chat)


def _go_on_from_open(chat: ChatSession) -> None:
    open_now = viewing.current_file().conversation
    named = code_span(open_now.title or "the open conversation", NAME)
    st.button(
        f"Go on from {named}, {count_of(len(open_now), 'message')}",
        key="go-on",
        type="tertiary",
        on_click=_replace,
        args=(chat,),
        help="The chat begins with all that was said in it; the file stays as it is.",
    )


def _replace(chat: ChatSession) -> None:
    chat.replace(viewing.current_file().conversation)
    session.touch()
