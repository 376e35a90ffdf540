"""Asking why: words that the model should have known; the answer stays about the request it was asked of."""

from __future__ import annotations

from collections.abc import Iterator

import streamlit as st

from historylab.planning.replay import Timeline
from historylab.recall.must_remember import follow_mark
from historylab.recall.why import Why, explain_words
from historylab.recall.words import find_near_misses
from historylab.ui.request.message_selection import choose_message
from historylab.ui.session import session
from historylab.wording.settings import title_of, value_in_words
from historylab.wording.untrusted import escape, one_line
from historylab.wording.why import SHOWN, near_in_words, why_in_words

QUOTE = 40  # characters of what was asked
ASKED = 8  # answers remembered with a timeline


def answer_why(timeline: Timeline) -> None:
    """The answer about the words asked last, at the request that was shown then; nothing before any were."""
    words, request = session.tab().asked
    if words and request < len(timeline.plans):
        _answer(timeline, words, request)


def _answer(timeline: Timeline, words: str, request: int) -> None:
    why = timeline.remember(("why", words, request), lambda: explain_words(timeline, words, request), most=ASKED)
    near = [] if why.found else find_near_misses(timeline.original, words)
    sentences = [*why_in_words(why, title_of, value_in_words), *near_in_words(near)]
    said = "".join(f"<div>{escape(sentence)}</div>" for sentence in sentences)
    st.html(f'<div class="hl-label">Why didn’t it know “{escape(one_line(words, QUOTE))}”?</div>')
    st.html(f'<div class="hl-small" role="status">{said}</div>')
    with st.container(horizontal=True, gap="small", key="asked-places"):
        for label, at, message in _places(timeline, why):
            args = (timeline, at, message)
            st.button(label, key=f"asked {label}", type="tertiary", on_click=choose_message, args=args)


def _places(timeline: Timeline, why: Why) -> Iterator[tuple[str, int, int]]:
    """Labels, each with the request and the message (from 0) that it leads to."""
    shown = [(each.message, follow_mark(timeline, each.message)) for each in why.said]
    said = [(number, message) for number, message in shown if message is not None]
    for number, message in said[:SHOWN]:
        yield f"Message {number + 1:,}", why.at_request, message
    if why.gone_since is not None and said:
        if why.was_sent:
            yield f"Request {why.gone_since:,}, the last that had it", why.gone_since - 1, said[0][1]
        yield f"Request {why.gone_since + 1:,}", why.gone_since, said[0][1]
