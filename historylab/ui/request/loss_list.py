"""Losses: values that later requests needed and no longer held; a click on a row goes to that message and request."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from historylab.planning.replay import Timeline
from historylab.recall.retention import Loss, Retention
from historylab.recall.rules import track_rules
from historylab.ui.request.message_selection import choose_message
from historylab.ui.session import session
from historylab.ui.shared.row_table import Column, row_table
from historylab.wording.losses import (
    RECALL_UNKNOWN,
    gone_as,
    gone_at,
    kept_line,
    losses_shown,
    lost_facts,
    lost_value,
    severity_in_words,
    severity_line,
    used_as,
    value_kinds_line,
    worst_first,
)
from historylab.wording.message_text import speaker
from historylab.wording.must_remember import BADGE
from historylab.wording.palette import LOOKS
from historylab.wording.phrases import capitalize_first
from historylab.wording.rules import quoted_rule, when_left
from historylab.wording.terms import with_terms
from historylab.wording.untrusted import escape

EXPLAINED = ("facts in tool calls", "facts in answers", "fact", "evidence", "gone for good", "found again with a tool")
MOST = 200
KEY = "losses"
COLUMNS = (
    Column("Lost"),
    Column("How bad"),
    Column("Said in", "word"),
    Column("Gone since", "word"),
    Column("Needed at", "word"),
)
RULE_COLUMNS = (Column("Rule"), Column("Said in", "word"), Column("What became of it", "word"))


def loss_list(timeline: Timeline, found: Retention) -> None:
    """Per kind the share kept, how bad the losses are, then every loss, the worst first; and the rules that left."""
    if timeline.original.recorded.textless:
        st.html(f'<div class="hl-small">{escape(RECALL_UNKNOWN)}</div>')
        return
    _losses(timeline, found)
    _rules(timeline)


def _losses(timeline: Timeline, found: Retention) -> None:
    if not (kept := kept_line(found)):
        st.html('<div class="hl-small">Nothing is referred to again later, as far as the transcript shows.</div>')
        return
    lines = [line for line in (kept, value_kinds_line(found), severity_line(found)) if line]
    told = "".join(f"<div>{with_terms(line, *EXPLAINED)}.</div>" for line in lines)
    st.html(f'<div class="hl-small hl-tips">{told}</div>')
    losses = worst_first(losses_shown(found))
    if not losses:
        return
    shown = losses[:MOST]
    more = f" The first {MOST:,} of {len(losses):,} are shown." if len(losses) > MOST else ""
    how = f"Worst first. Click one to see its message.{more}"
    st.html(f'<div class="hl-meta">{how}</div>')
    row_table(
        KEY,
        COLUMNS,
        [_row(timeline, loss) for loss in shown],
        lambda row: choose_message(timeline, shown[row].step, shown[row].message),
        label=f"Lost: {lost_facts(found).losses}",
        chosen=_chosen_row(shown),
        lines=True,
    )


def _row(timeline: Timeline, loss: Loss) -> tuple[str, ...]:
    gone, look = gone_at(timeline, loss), LOOKS[gone_as(timeline, loss)]
    starred = loss.kind == "star"
    return (
        lost_value(loss),
        severity_in_words(loss),
        _said_in(timeline, loss.message),
        f"{look.glyph} {timeline.steps[gone].label}",
        f"every request: {BADGE}" if starred else f"{timeline.steps[loss.step].label}, in {used_as(loss)}",
    )


def _rules(timeline: Timeline) -> None:
    """The standing instructions that a request after them no longer held."""
    left = [(rule, rule.held.message) for rule in track_rules(timeline) if rule.gaps]
    shown = [(rule, message) for rule, message in left if message is not None]  # else no message is theirs
    if not shown:
        return
    st.html('<div class="hl-meta">Rules that later requests no longer held, found by their words ≈.</div>')
    row_table(
        "lost-rules",
        RULE_COLUMNS,
        [
            (quoted_rule(rule), _said_in(timeline, message), capitalize_first(when_left(timeline, rule)))
            for rule, message in shown
        ],
        lambda row: choose_message(timeline, shown[row][0].gaps[0][0], shown[row][1]),
        label=f"Rules that left: {len(shown):,}",
    )


def _said_in(timeline: Timeline, message: int) -> str:
    return f"message {message + 1:,} ({speaker(timeline.conversation[message], 24)})"


def _chosen_row(losses: Sequence[Loss]) -> int | None:
    """The row that the request and message on screen belong to."""
    tab = session.tab()
    places = ((i, loss) for i, loss in enumerate(losses) if loss.message == tab.message)
    return next((i for i, loss in places if loss.step == tab.request), None)
