"""What becomes of a message, why and since when; and its text."""

from __future__ import annotations

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from historylab.conversation.message import Summary
from historylab.costs.amounts import count_of
from historylab.planning.explain import treated_since
from historylab.planning.reasons import FITS, Action
from historylab.planning.replay import Timeline
from historylab.settings.resolve import Resolution
from historylab.ui.editing.message_edits import message_edits
from historylab.ui.request.must_remember import mark_button, must_remember_note
from historylab.ui.session import viewing
from historylab.wording.answer import since_in_words
from historylab.wording.context import counted_by
from historylab.wording.message_text import full_text, speaker, unsent_thinking
from historylab.wording.palette import LOOKS
from historylab.wording.settings import summary_author
from historylab.wording.untrusted import escape, multiline, one_line

SHORT = 600  # characters up to which a text is shown without scrolling
FIRST = 240  # characters of it that two lines may hold
MOST = 20_000  # characters shown of a message


def explanation(timeline: Timeline, number: int, chosen: int) -> None:
    """The decision on message `chosen` at request `number` (both from 0), why, and since when."""
    found, message = timeline.plans[number].reason(chosen), timeline.conversation[chosen]
    look, since = LOOKS[found.action], treated_since(timeline.plans, number, chosen)
    tokens = timeline.plans[number].history.tokens[chosen]
    title = f"Message {chosen + 1:,}: {look.mark(found.action.name.lower())} {look.word}"
    told = f"{speaker(message)} · {count_of(int(tokens), 'token')}, {counted_by(timeline)}"
    close_button(f'<div class="hl-title" title="{escape(told)}">{title}</div>')
    st.html(f'<div class="hl-said-text">{escape(multiline(full_text(message), MOST)[:FIRST])}</div>')
    if found.rule != FITS.rule:
        st.html(f'<div class="hl-why-lost">{escape(found.sentence)}</div>')
    label = since_in_words(timeline, found.action, since)
    if since == number:
        st.html(f'<div class="hl-meta">{escape(label)}, the request shown</div>')
    else:
        help_ = f"Show request {since + 1:,}"
        st.button(label, key="since", type="tertiary", help=help_, on_click=viewing.select_request, args=(since,))


def close_button(title: str) -> None:
    """The title of the answer, as HTML, and the button that closes it."""
    with st.container(horizontal=True, key="answer-title", wrap=False):
        st.html(title)
        st.button("×", key="close-answer", type="tertiary", help="Close", on_click=viewing.select_message, args=(None,))


def message_more(timeline: Timeline, number: int, chosen: int, resolution: Resolution) -> DeltaGenerator:
    """Marks and edits; folded, its whole text, of a shortened or summarised one what is sent. Returns a place there."""
    plan, message = timeline.plans[number], timeline.conversation[chosen]
    action, text = plan.reason(chosen).action, multiline(full_text(message), MOST)
    must_remember_note(timeline, number, chosen, resolution)
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="marks"):
        mark_button(timeline, chosen)
        message_edits(timeline, number, chosen)
    unfolded = st.expander("More", type="compact", key="more", on_change="rerun")
    with unfolded:
        needed = st.container(key="needed", gap="small")
        if unfolded.open:  # sent then alone: with the first text a browser loads a large script
            if action == Action.SUMMARIZED and plan.summary:
                _draw_summary(plan.summary)
            if action == Action.TRUNCATED:
                sent = next(cut.texts[chosen] for cut in reversed(plan.shortened) if chosen in cut.messages)
                _draw_text("The part that is sent", multiline(sent, MOST))
            _draw_text("The whole message", text)
            if thought := unsent_thinking(message):
                _draw_text("Thinking, not sent again", multiline(thought, MOST))
    return needed


def _draw_text(title: str, text: str, note: str = "") -> None:
    """A text under its title, both HTML but for the text."""
    st.html(f'<div class="hl-label">{title}</div>{note}')
    st.code(text, language=None, wrap_lines=True, height="content" if len(text) < SHORT else 240)


def _draw_summary(summary: Summary) -> None:
    """The summary sent in place of older messages; a note says why another summarizer wrote it, or why it is cut."""
    covered, by = count_of(summary.covers, "message"), escape(summary_author(summary.by))
    note = f'<div class="hl-meta">{escape(one_line(summary.note, 300))}</div>' if summary.note else ""
    _draw_text(f"Σ A summary of {covered} in {summary.tokens:,} tokens: {by}", multiline(summary.text, MOST), note)
