"""Questions that may come later, each asked next: the messages that answer it, and whether its request holds them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import streamlit as st

from historylab.costs.amounts import count_of
from historylab.planning.replay import Timeline
from historylab.recall.questions import AskedQuestion
from historylab.ui.request.message_selection import choose_message
from historylab.ui.request.questions_form import questions_form
from historylab.ui.session import cached, viewing
from historylab.ui.shared.row_table import Column, row_table
from historylab.wording.as_sent import not_asked_sentence
from historylab.wording.message_text import preview
from historylab.wording.terms import with_terms
from historylab.wording.untrusted import escape, one_line

ROWS = "likeliest"
EMPTY = (
    "Write what may still be asked, one question per line, for instance “What was the order number?”. Each is then "
    "asked next: you see which messages likely answer it, and whether its request holds them. Improve counts them too."
)
ESTIMATE = "An estimate: messages are ranked by the words they share with the question (BM25), the likeliest first. "
ABOUT = (
    "Each question is the newest message of a request of its own; a message is held if any message that request sends, "
    "or its summary, says the same. A click on a row goes to that message."
)
QUOTE = 80  # characters of a question


def asked_later(timeline: Timeline) -> None:
    """The text area and which answers are kept; before there is a question, what it is for."""
    if timeline.original.recorded.textless:  # the list of losses says that nothing is known
        return
    if timeline.decided_by:
        st.html(f'<div class="hl-small">{escape(not_asked_sentence(timeline))}</div>')
        return
    st.html('<div class="hl-title">What might be asked later?</div>')
    questions_form()
    found = cached.ask_each(timeline, viewing.questions()) if viewing.questions() else ()
    if not found:
        st.html(f'<div class="hl-meta">{EMPTY}</div>')
        return
    st.html("".join(f'<div class="hl-small">{escape(_sentence(question))}</div>' for question in found))
    if any(question.messages for question in found):
        _table(timeline, found)


def _sentence(asked: AskedQuestion) -> str:
    """ "“Which seat?”: if asked next, 2 of the 5 messages likeliest to answer it are held, but not the likeliest." """
    shown = one_line(asked.question, QUOTE)
    quoted = shown if "“" in shown else f"“{shown}”"  # what is proposed quotes the message itself
    if not asked.messages:
        return f"{quoted}: no message shares a distinctive word with it. Other words may find one."
    count, held = len(asked.messages), sum(asked.kept)
    if count == 1:
        which = "the one message likely to answer it" if asked.estimate else "the message that answers it"
        return f"{quoted}: if asked next, {which} is {'held' if held else 'lost'}."
    which = "messages likeliest to answer it" if asked.estimate else "messages that answer it"
    share = "all" if held == count else f"{held} of the" if held else "none of the"
    but = ", but not the likeliest" if asked.estimate and held and not asked.kept[0] else ""
    return f"{quoted}: if asked next, {share} {count} {which} {'is' if held == 1 else 'are'} held{but}."


def _table(timeline: Timeline, found: Sequence[AskedQuestion]) -> None:
    rows, last = list(_rows(found)), len(timeline.plans) - 1
    about = ESTIMATE + ABOUT if any(asked.estimate for asked in found) else ABOUT
    st.html(f'<div class="hl-meta hl-tips">{with_terms(about, "estimate")}</div>')
    row_table(
        ROWS,
        (Column("Message"), Column("If asked next", "word"), *((Column("Question"),) if len(found) > 1 else ())),
        [
            (
                f"{message + 1:,} {preview(timeline.conversation[message])}",
                "✓ held" if held else "× lost",
                *((one_line(question, QUOTE),) if len(found) > 1 else ()),
            )
            for question, message, held in rows
        ],
        lambda row: choose_message(timeline, last, rows[row][1]),
        label=f"{count_of(len(rows), 'message')} to answer what may be asked",
    )


def _rows(found: Sequence[AskedQuestion]) -> Iterator[tuple[str, int, bool]]:
    for asked in found:
        yield from ((asked.question, i, held) for i, held in zip(asked.messages, asked.kept, strict=True))
