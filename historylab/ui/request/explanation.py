"""What becomes of a message, why and since when; and its text."""

from __future__ import annotations

from typing import Literal

import streamlit as st

from historylab.conversation.message import Summary
from historylab.costs.amounts import count_of
from historylab.planning.explain import treated_since
from historylab.planning.reasons import Action
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
from historylab.wording.untrusted import code_span, escape, multiline, one_line

SHORT = 600  # characters up to which a text is shown without scrolling
FIRST = 240  # characters of it that three lines may hold
MOST = 20_000  # characters shown of a message


def explanation(timeline: Timeline, number: int, chosen: int) -> None:
    """The decision on message `chosen` at request `number` (both from 0), why, and since when."""
    found, message = timeline.plans[number].reason(chosen), timeline.conversation[chosen]
    look, since = LOOKS[found.action], treated_since(timeline.plans, number, chosen)
    tokens = timeline.plans[number].history.tokens[chosen]
    close_button(
        f'<div class="hl-title">Message {chosen + 1:,}: {look.mark(found.action.name.lower())} {look.word}</div>'
        f'<div class="hl-meta">{escape(speaker(message))} · <span title="{escape(counted_by(timeline))}">'
        f"{count_of(int(tokens), 'token')}</span></div>"
    )
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


def message_text(timeline: Timeline, number: int, chosen: int, resolution: Resolution) -> None:
    """Its beginning and, unfolded, all of it; of a shortened or summarised one what is sent; marks and edits."""
    plan, message = timeline.plans[number], timeline.conversation[chosen]
    action, text = plan.reason(chosen).action, multiline(full_text(message), MOST)
    if action == Action.SUMMARIZED and plan.summary:
        summary_text(plan.summary, "its summary")
    if action == Action.TRUNCATED:
        sent = next(cut.texts[chosen] for cut in reversed(plan.shortened) if chosen in cut.messages)
        part = escape(multiline(sent, MOST))
        st.html(f'<div class="hl-meta">The part that is sent</div><pre class="hl-part" tabindex="0">{part}</pre>')
    else:
        st.html(f'<div class="hl-said-text">{escape(text[: FIRST * 2])}</div>')
    if len(text) > FIRST or text.count("\n") > 2 or action == Action.TRUNCATED:
        _draw_unfolding("The whole message", "whole", text, "content" if len(text) < SHORT else 380)
    if thought := unsent_thinking(message):
        _draw_unfolding("Thinking, not sent again", "thinking", multiline(thought, MOST), 240)
    must_remember_note(timeline, number, chosen, resolution)
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="marks"):
        mark_button(timeline, chosen)
        message_edits(timeline, number, chosen)


def summary_text(summary: Summary, key: str = "summary") -> None:
    """The summary sent in place of older messages."""
    covered = count_of(summary.covers, "message")
    title = f"Σ A summary of {covered} in {summary.tokens:,} tokens: {code_span(summary_author(summary.by))}"
    if summary.note:  # why another summarizer wrote it, or why it is cut short: shown without unfolding
        st.html(f'<div class="hl-meta">Σ {escape(one_line(summary.note, 300))}</div>')
    _draw_unfolding(title, key, multiline(summary.text, MOST), 240)


def _draw_unfolding(title: str, key: str, text: str, height: int | Literal["content"]) -> None:
    """A text under a title, sent once it is unfolded: with the first one a browser loads a large script."""
    unfolded = st.expander(title, type="compact", key=key, on_change="rerun")
    if unfolded.open:
        with unfolded:
            st.code(text, language=None, wrap_lines=True, height=height)
