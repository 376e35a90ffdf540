"""The answer being made: its text as it comes, what happens now and for how long, and Stop."""

from __future__ import annotations

import streamlit as st

from historylab.ui.chat.bubbles import TEXT, bubble
from historylab.ui.session import session
from historylab.ui.session.chat_run import ChatRun
from historylab.ui.session.chat_session import ChatSession
from historylab.wording.untrusted import escape, multiline

EVERY = 0.15  # seconds at most between two drawings: a click waits for the next
SOON = 1.0  # seconds after which it is said how long it takes


def stop_button(chat: ChatSession) -> None:
    """Ends the answer that is being made."""
    if chat.running:
        st.button("Stop", key="stop-answer", icon=":material/stop_circle:", on_click=_stop, args=(chat,))


def _stop(chat: ChatSession) -> None:
    chat.stop()
    session.touch()


def follow_run(run: ChatRun, steps: int, place: st.delta_generator.DeltaGenerator) -> None:
    """Draw the answer as it comes until more became part of the chat than was drawn; then the page is drawn again.

    A click ends this at the next drawing, and not the run.
    """
    while not run.done and run.steps == steps:
        place.html(_so_far(run))
        run.wait(EVERY)
    st.rerun()


def _so_far(run: ChatRun) -> str:
    """The answer so far as HTML."""
    long = f" · {run.seconds:.0f} s" if run.seconds > SOON else ""
    doing = f'<div class="hl-meta hl-chat-doing" role="status">{escape(run.doing)}{long}</div>'
    text = f'<div class="hl-chat-text">{escape(multiline(run.text, TEXT))}</div>' if run.text else ""
    return f'<div class="hl-chat">{bubble("assistant", "Model", f"{text}{doing}")}</div>'
