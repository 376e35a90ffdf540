"""The mark "must remember" of the selected message: set and removed with a click, and whether it is still held."""

from __future__ import annotations

import streamlit as st

from historylab.planning.reasons import BY_MESSAGE, BY_SUMMARY, Action
from historylab.planning.replay import Timeline
from historylab.recall.must_remember import MustRemember, original_index
from historylab.settings.resolve import Resolution
from historylab.ui.request.keep_by_rule import keep_marked
from historylab.ui.session import viewing
from historylab.ui.session.must_remember import star_marks
from historylab.wording.must_remember import GLYPH, must_remember_status
from historylab.wording.untrusted import escape

SEVERAL = "This is made of several of the conversation’s messages. To mark one of them, turn the projection off."
HELP = "The verdict, Compare and Improve then say whether settings keep it"


def must_remember_line(timeline: Timeline, number: int) -> None:
    """Tell whether request `number` (from 0) holds the messages that must be remembered; an alarm if one is lost."""
    status = must_remember_status(timeline, number, star_marks(timeline))
    if status.sentence:
        lost, glyph = " hl-over" if status.lost else "", f'<span aria-hidden="true">{GLYPH}</span>'
        st.html(f'<div class="hl-forgot hl-stale{lost}">{glyph} {escape(status.sentence)}</div>')


def must_remember_note(timeline: Timeline, number: int, message: int, resolution: Resolution) -> None:
    """For a marked message whether request `number` (from 0) still holds it, and a rule; why one can't be marked."""
    if marks := _marks(timeline, message):
        held = " ".join(escape(_holder_sentence(timeline, number, star)) for star in marks)
        glyph = f'<span aria-hidden="true">{GLYPH}</span>'
        st.html(f'<div class="hl-small">{glyph} <b>Must be remembered.</b> {held}</div>')
        keep_marked(timeline, number, marks[0], resolution)
    elif original_index(timeline, message) is None:
        st.html(f'<div class="hl-meta">{SEVERAL}</div>')


def mark_button(timeline: Timeline, message: int) -> None:
    """The button that sets or removes the mark; none for a message that can't be marked."""
    index, marks = original_index(timeline, message), {star.mark for star in _marks(timeline, message)}
    if marks:
        label, key, left = "Remove the mark", "forget", set(viewing.must_remember()) - marks
    elif index is not None:
        label, key, left = f"{GLYPH} Must remember", "remember", {*viewing.must_remember(), index}
    else:
        return
    st.button(label, key=key, help=None if marks else HELP, on_click=viewing.set_must_remember, args=(left,))


def _marks(timeline: Timeline, message: int) -> list[MustRemember]:
    return [star for star in star_marks(timeline) if star.message == message]


def _holder_sentence(timeline: Timeline, number: int, star: MustRemember) -> str:
    """Where this request still holds it, or since when none has."""
    since = star.lost_since(number)
    if since is not None:
        return f"It has been lost since {timeline.steps[since].label}."
    how = star.holder(timeline, number)
    if how == BY_SUMMARY:
        return "The summary says it word for word."
    whole = star.message is not None and timeline.plans[number].action_of(star.message) <= Action.PINNED
    return "It is sent." if whole or how != BY_MESSAGE else "Another message that is sent says the same."
