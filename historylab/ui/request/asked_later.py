"""Questions that may come later, the messages most likely to answer them, and whether the last request holds those."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import streamlit as st

from historylab.conversation.usage import is_textless
from historylab.costs.amounts import count_of
from historylab.planning.replay import Timeline
from historylab.recall.retention import Likely
from historylab.ui.request.message_selection import choose_message
from historylab.ui.session import cached, session, viewing
from historylab.ui.shared.row_table import Column, row_table
from historylab.wording.message_text import preview
from historylab.wording.terms import with_terms
from historylab.wording.untrusted import escape, one_line

KEY, ROWS = "questions", "likeliest"
EXAMPLE = "What was the order number?\nWhich of the two hotels has a lift?"
EMPTY = (
    "Write what may still be asked, one question per line, for instance “What was the order number?”. You then see "
    "which messages would likely answer it, and whether the last request still holds them. Tune counts them too."
)
ABOUT = (
    "An estimate: messages are ranked by the words they share with the question (BM25), the likeliest first. One is "
    "held if any message sent, or the summary, says the same. A click on a row goes to that message."
)
QUOTE = 80  # characters of a question


def asked_later(timeline: Timeline) -> None:
    """The text area and which answers are kept; before there is a question, what it is for."""
    if is_textless(timeline.original):  # the list of losses says that nothing is known
        return
    st.html('<div class="hl-title">What might be asked later?</div>')
    asked = "\n".join(viewing.questions())
    st.text_area(
        f"Questions, one per line, at most {viewing.MOST_QUESTIONS}",
        asked,
        key=session.seed_widget(KEY, asked),
        placeholder=EXAMPLE,
        height=124,
        on_change=lambda: viewing.set_questions(session.widget_value(KEY) or ""),
    )
    found = cached.likely_needed(timeline, viewing.questions()) if viewing.questions() else ()
    if not found:
        st.html(f'<div class="hl-meta">{EMPTY}</div>')
        return
    st.html("".join(f'<div class="hl-small">{escape(_sentence(question))}</div>' for question in found))
    if any(question.messages for question in found):
        _table(timeline, found)


def _sentence(likely: Likely) -> str:
    """ "“Which seat?”: the last request holds 2 of the 5 messages likeliest to answer it, but not the likeliest." """
    quoted = f"“{one_line(likely.question, QUOTE)}”"
    if not likely.messages:
        return f"{quoted}: no message shares a distinctive word with it. Other words may find one."
    count, held = len(likely.messages), sum(likely.kept)
    if count == 1:
        return f"{quoted}: the last request {'holds' if held else 'lacks'} the one message likely to answer it."
    share = "all" if held == count else f"{held} of the" if held else "none of the"
    but = ", but not the likeliest" if held and not likely.kept[0] else ""
    return f"{quoted}: the last request holds {share} {count} messages likeliest to answer it{but}."


def _table(timeline: Timeline, found: Sequence[Likely]) -> None:
    rows, last = list(_rows(found)), len(timeline.plans) - 1
    st.html(f'<div class="hl-meta hl-tips">{with_terms(ABOUT, "estimate")}</div>')
    row_table(
        ROWS,
        (Column("Message"), Column("Last request", "word"), *((Column("Question"),) if len(found) > 1 else ())),
        [
            (
                f"{message + 1:,} {preview(timeline.conversation[message])}",
                "✓ holds it" if held else "× lacks it",
                *((one_line(question, QUOTE),) if len(found) > 1 else ()),
            )
            for question, message, held in rows
        ],
        lambda row: choose_message(timeline, last, rows[row][1]),
        label=f"{count_of(len(rows), 'message')} likely to answer what may be asked",
    )


def _rows(found: Sequence[Likely]) -> Iterator[tuple[str, int, bool]]:
    for likely in found:
        yield from ((likely.question, i, held) for i, held in zip(likely.messages, likely.kept, strict=True))
