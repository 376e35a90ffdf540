"""Why a message is kept or dropped: the rule and its numbers, since when, what would keep it, and its full text."""

from __future__ import annotations

import streamlit as st

from historylab.conversation.message import Message, Summary
from historylab.costs.amounts import count_of
from historylab.planning.reasons import Action
from historylab.planning.replay import Timeline
from historylab.ui.editing.message_edits import message_edits
from historylab.ui.request.must_remember import must_remember
from historylab.ui.session import cached
from historylab.wording.message_text import full_text, speaker, unsent_thinking
from historylab.wording.palette import LOOKS
from historylab.wording.untrusted import escape, markdown, multiline, one_line
from historylab.wording.verdict import counted_by

SHORT = 600  # characters up to which a text is shown without scrolling
MOST = 20_000  # characters shown of a message


def explanation(timeline: Timeline, number: int, chosen: int) -> None:
    """The explanation of message `chosen` at request `number`, both from 0."""
    plan = timeline.plans[number]
    found = cached.answer(timeline, number, chosen)
    look, message = LOOKS[found.explanation.action], timeline.conversation[chosen]
    since = timeline.steps[found.since]
    st.html(
        f'<div class="hl-title">Message {chosen + 1:,}: {look.badge}</div>'
        f'<div class="hl-small">{escape(found.explanation.sentence)} {escape(found.undo_sentence)}</div>'
        f'<div class="hl-meta">{escape(_about(timeline, chosen, message))} · {look.word} since {since.label} '
        f"(request {since.number + 1:,}) · rule <code>{escape(found.explanation.rule)}</code></div>"
    )
    must_remember(timeline, number, chosen)
    message_edits(timeline, number, chosen)
    if found.explanation.action == Action.TRUNCATED:
        sent = next(cut.texts[chosen] for cut in reversed(plan.shortened) if chosen in cut.messages)
        st.html('<div class="hl-meta">The part that is sent</div>')
        st.code(multiline(sent, MOST), language=None, wrap_lines=True, height=160)
        st.html('<div class="hl-meta">The whole message</div>')
    text = multiline(full_text(message), MOST)
    st.code(text, language=None, wrap_lines=True, height="content" if len(text) < SHORT else 380)
    if thought := unsent_thinking(message):
        with st.expander("Thinking, not sent again", type="compact"):
            st.code(multiline(thought, MOST), language=None, wrap_lines=True, height=240)


def summary_text(summary: Summary) -> None:
    """The summary sent in place of older messages."""
    covered = count_of(summary.covers, "message")
    title = f"Σ A summary of {covered} in {summary.tokens:,} tokens, by {markdown(summary.by)}"
    if summary.note:  # why another summarizer wrote it, or why it is cut short: shown without unfolding
        st.html(f'<div class="hl-meta">Σ {escape(one_line(summary.note, 300))}</div>')
    with st.expander(title):
        st.code(multiline(summary.text, MOST), language=None, wrap_lines=True, height=240)


def _about(timeline: Timeline, i: int, message: Message) -> str:
    tokens = timeline.plans[-1].history.sums.tokens[i]
    who = speaker(message)
    return f"{who} · {tokens:,} tokens ({counted_by(timeline)})"
