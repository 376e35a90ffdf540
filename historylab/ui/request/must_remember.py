"""The mark "must remember" of the selected message: set and removed with a click, and whether it is still held."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from historylab.planning.reasons import Action
from historylab.planning.replay import Timeline
from historylab.recall.held import BY_MESSAGE, BY_SUMMARY
from historylab.recall.must_remember import MustRemember, original_index
from historylab.ui.session import viewing
from historylab.ui.session.must_remember import starred
from historylab.wording.must_remember import GLYPH
from historylab.wording.untrusted import escape

SEVERAL = "This is made of several of the conversation’s messages. To mark one of them, turn the projection off."
HELP = "The verdict, Compare and Tune then say whether settings keep it"


def must_remember(timeline: Timeline, number: int, message: int) -> None:
    """The button, and for a marked message whether request `number` (from 0) still holds it."""
    marks = [star for star in starred(timeline) if star.message == message]
    if marks:
        _marked(timeline, number, marks)
        return
    index = original_index(timeline, message)
    if index is None:
        st.html(f'<div class="hl-meta">{SEVERAL}</div>')
    else:
        st.button(
            f"{GLYPH} Must remember",
            key="remember",
            help=HELP,
            on_click=viewing.set_must_remember,
            args=({*viewing.must_remember(), index},),
        )


def _marked(timeline: Timeline, number: int, marks: Sequence[MustRemember]) -> None:
    with st.container(horizontal=True, vertical_alignment="center", key="remembered"):
        held = " ".join(escape(_holder_sentence(timeline, number, star)) for star in marks)
        glyph = f'<span aria-hidden="true">{GLYPH}</span>'
        st.html(f'<div class="hl-small">{glyph} <b>Must be remembered.</b> {held}</div>', width="content")
        st.button(
            "Remove the mark",
            key="forget",
            type="tertiary",
            on_click=viewing.set_must_remember,
            args=(set(viewing.must_remember()) - {star.mark for star in marks},),
        )


def _holder_sentence(timeline: Timeline, number: int, star: MustRemember) -> str:
    """Where this request still holds it, or since when none has."""
    since = star.lost_since(number)
    if since is not None:
        return f"It has been lost since {timeline.steps[since].label}."
    how = star.holder(timeline, number)
    if how == BY_SUMMARY:
        return "The summary says it word for word."
    whole = timeline.plans[number].actions[star.message] <= Action.PINNED
    return "It is sent." if whole or how != BY_MESSAGE else "Another message that is sent says the same."
