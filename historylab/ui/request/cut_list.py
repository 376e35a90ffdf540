"""The post-mortem of a file that was cut: a sentence, and a list of what each cut took.

It is about what was really sent, whatever settings are on screen.
"""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from historylab.conversation.conversation import Conversation
from historylab.costs.amounts import count_of
from historylab.planning.replay import Timeline
from historylab.recall.must_remember import follow_mark
from historylab.recordings.as_sent import as_sent
from historylab.recordings.post_mortem import CutReport, post_mortem
from historylab.recordings.same_size import settings_of_same_size
from historylab.ui.request.message_selection import choose_message
from historylab.ui.session import viewing
from historylab.ui.session.shown_timeline import sent_timeline
from historylab.ui.shared.row_table import Column, row_table
from historylab.wording.losses import used_as
from historylab.wording.message_text import speaker
from historylab.wording.phrases import capitalize_first
from historylab.wording.post_mortem import (
    cut_label,
    facts_worst_first,
    fate_in_words,
    post_mortem_lines,
    post_mortem_sentence,
)
from historylab.wording.quotes import short_value
from historylab.wording.terms import with_terms
from historylab.wording.untrusted import escape, one_line

KEY, CUTS = "post-mortem", "Cuts"
EDITED = "What you changed was never sent. Back to the original shows what its cuts took."
MOST, VALUE, PATH = 200, 60, 80  # rows; characters of a value and of a path
FACTS = (
    Column("Needed later"),
    Column("What became of it"),
    Column("Said in", "word"),
    Column("Needed at", "word"),
)
AGAIN = (
    Column("Read or called again"),
    Column("Tool", "word"),
    Column("Again at", "word"),
    Column("Before in", "word"),
    Column("Tokens", "number"),
)


def has_post_mortem() -> bool:
    """Tell whether the open file says of a cut, edited or not: with other tabs the choice among them is lost."""
    return bool(post_mortem(viewing.current_file().original))


def cut_list(timeline: Timeline) -> None:
    """List what each cut took, with the way to each message on the `timeline` shown."""
    conversation, reports = _reports()
    if conversation is not None and reports:
        _details(timeline, conversation, reports)
    else:
        st.html(f'<div class="hl-small">{EDITED}</div>')


def _reports() -> tuple[Conversation | None, Sequence[CutReport]]:
    """The open file's conversation and what its cuts took; none of what was edited, or says nothing of it."""
    sent = sent_timeline()
    return (sent.original, post_mortem(sent.original)) if sent else (None, ())


def _details(timeline: Timeline, conversation: Conversation, reports: Sequence[CutReport]) -> None:
    report = reports[0]
    if len(reports) > 1:
        names = [capitalize_first(cut_label(each)) for each in reports]
        key = f"{KEY}-cut {conversation.digest}"
        chosen = st.selectbox("Cut", names, key=key)  # None where a browser is behind
        report = reports[names.index(chosen)] if chosen in names else report
    ours = settings_of_same_size(conversation, report)
    lines = (post_mortem_sentence(reports), *post_mortem_lines(report, ours))
    st.html(f'<div class="hl-small">{"".join(f"<div>{escape(line)}</div>" for line in lines)}</div>')
    place = _place(conversation, report)
    st.button("Go to the cut", key=f"{KEY}-go", on_click=_go, args=(timeline, report.request, place))
    if report.facts:
        _facts(timeline, report)
    if report.again:
        _again(timeline, report)


def _place(conversation: Conversation, report: CutReport) -> int:
    """The message that shows the cut: its summary, else the newest that went; of a window that moves, the first."""
    if report.cut is None:
        changed = as_sent(conversation).steps[report.request].changed
        return min(changed.left + changed.folded, default=0)
    dropped = report.cut.dropped
    return report.cut.summary if report.cut.summary is not None else dropped[-1] if dropped else 0


def _go(timeline: Timeline, request: int, message: int) -> None:
    """Go to a message of the file, in whatever form it is on screen."""
    followed = follow_mark(timeline, message)
    if followed is not None:
        choose_message(timeline, request, followed)


def _facts(timeline: Timeline, report: CutReport) -> None:
    facts = facts_worst_first(report)
    shown = facts[:MOST]
    more = f" The first {MOST:,} of {len(facts):,} are shown." if len(facts) > MOST else ""
    said = f"Facts needed later, worst first (≈ those in answers). Click one to see its message.{more}"
    st.html(f'<div class="hl-meta hl-tips">{with_terms(said, "fact")}</div>')
    rows = [
        (
            short_value(fact.need.value, VALUE),
            fate_in_words(fact),
            f"message {fact.said_in + 1:,} ({speaker(timeline.original[fact.said_in], 24)})",
            f"request {fact.need.step + 1:,}, in {used_as(fact.need)}",
        )
        for fact in shown
    ]
    row_table(
        f"{KEY}-facts",
        FACTS,
        rows,
        lambda row: _go(timeline, shown[row].need.step, shown[row].said_in),
        label=f"Needed later: {count_of(len(facts), 'fact')}",
        lines=True,
    )


def _again(timeline: Timeline, report: CutReport) -> None:
    shown = report.again[:MOST]
    st.html('<div class="hl-meta">Read or called again</div>')
    rows = [
        (
            short_value(call.path, PATH) or "the same call",
            one_line(call.tool, PATH),
            f"request {call.request + 1:,}",
            f"message {call.earlier + 1:,}",
            f"{call.call_tokens + call.result_tokens:,}",
        )
        for call in shown
    ]
    row_table(
        f"{KEY}-again",
        AGAIN,
        rows,
        lambda row: _go(timeline, shown[row].request, shown[row].message),
        label=f"Read or called again: {len(report.again):,}",
        lines=True,
    )
