"""Losses: values that later requests needed and no longer held; a click on a row goes to that message and request."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from historylab.conversation.usage import is_textless
from historylab.planning.replay import Timeline
from historylab.recall.retention import Loss, Retention
from historylab.ui.request.message_selection import choose_message
from historylab.ui.session import session
from historylab.ui.shared.row_table import Column, row_table
from historylab.wording.cuts import capitalize_first
from historylab.wording.losses import (
    KIND_WORDS,
    RECALL_UNKNOWN,
    gone_as,
    gone_at,
    kept_line,
    losses_shown,
    lost_facts,
    lost_value,
    used_as,
)
from historylab.wording.message_text import speaker
from historylab.wording.palette import LOOKS
from historylab.wording.terms import with_terms
from historylab.wording.untrusted import escape

NOUNS = {
    "star": ("message", " that must be remembered"),
    "evidence": ("piece", " of evidence"),
    "reference": ("fact", " in tool calls"),
    "link": ("fact", " in answers (an estimate)"),
}
EXPLAINED = ("facts in tool calls", "facts in answers", "fact", "evidence")
MOST = 200
KEY = "losses"
COLUMNS = (
    Column("Lost"),
    Column("Said in", "word"),
    Column("Gone since", "word"),
    Column("Needed at", "word"),
    Column("As"),
    Column("Kind", "word"),
)


def loss_list(timeline: Timeline, found: Retention) -> None:
    """Per kind the share kept, then every loss."""
    if is_textless(timeline.original):
        st.html(f'<div class="hl-small">{escape(RECALL_UNKNOWN)}</div>')
        return
    lines = [kept_line(found.kept[kind], *noun) for kind, noun in NOUNS.items() if found.kept[kind].total]
    if not lines:
        st.html('<div class="hl-small">Nothing is referred to again later, as far as the transcript shows.</div>')
        return
    told = "".join(f"<div>{with_terms(line, *EXPLAINED)}.</div>" for line in lines)
    st.html(f'<div class="hl-small hl-tips">{told}</div>')
    losses = losses_shown(found)
    if not losses:
        return
    shown = losses[:MOST]
    more = f" The first {MOST:,} of {len(losses):,} are shown." if len(losses) > MOST else ""
    st.html(f'<div class="hl-meta">A click on a row shows that message, and what would have kept it.{more}</div>')
    row_table(
        KEY,
        COLUMNS,
        [_row(timeline, loss) for loss in shown],
        lambda row: choose_message(timeline, shown[row].step, shown[row].message),
        label=f"Lost: {lost_facts(found).losses}",
        chosen=_chosen(shown),
    )


def _row(timeline: Timeline, loss: Loss) -> tuple[str, ...]:
    gone, look = gone_at(timeline, loss), LOOKS[gone_as(timeline, loss)]
    by = speaker(timeline.conversation[loss.message], 24)
    starred = loss.kind == "star"
    return (
        lost_value(loss),
        f"message {loss.message + 1:,} ({by})",
        f"{look.glyph} {timeline.steps[gone].label}",
        "every request" if starred else timeline.steps[loss.step].label,
        "" if starred else capitalize_first(used_as(loss)),
        KIND_WORDS[loss.kind],
    )


def _chosen(losses: Sequence[Loss]) -> int | None:
    """The row that the request and message on screen belong to."""
    tab = session.tab()
    places = ((i, loss) for i, loss in enumerate(losses) if loss.message == tab.message)
    return next((i for i, loss in places if loss.step == tab.request), None)
