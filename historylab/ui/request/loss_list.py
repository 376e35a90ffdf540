"""Losses: values that later requests needed and no longer held; selecting a row goes to that message and request."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import streamlit as st

from historylab.conversation.usage import is_textless
from historylab.costs.amounts import count_of
from historylab.planning.replay import Timeline
from historylab.recall.retention import Loss, Retention
from historylab.ui.request.message_selection import choose_message
from historylab.ui.session import session
from historylab.wording.costs import RECALL_UNKNOWN, kept_line
from historylab.wording.untrusted import escape, one_line

NOUNS = {
    "star": ("message", " that must be remembered"),
    "evidence": ("piece", " of gold evidence"),
    "reference": ("reference", " (values in tool calls that an earlier message holds)"),
    "link": ("link", " (ids, numbers and paths in answers that an earlier message holds; an estimate)"),
}
WORDS = {"reference": "reference", "link": "link (estimate)", "star": "must remember", "evidence": "evidence"}
MOST = 200
KEY = "losses"


def loss_list(timeline: Timeline, found: Retention) -> None:
    """Per kind the share kept, then every loss."""
    if is_textless(timeline.original):
        st.html(f'<div class="hl-small">{escape(RECALL_UNKNOWN)}</div>')
        return
    lines = [kept_line(found.kept[kind], *noun) for kind, noun in NOUNS.items() if found.kept[kind].total]
    if not lines:
        st.html('<div class="hl-small">Nothing is referred to again later, as far as the transcript shows.</div>')
        return
    st.html("".join(f'<div class="hl-small">{escape(line)}.</div>' for line in lines))
    losses = [loss for loss in found.losses if loss.kind in WORDS]
    if not losses:
        return
    shown = losses[:MOST]
    st.dataframe(
        _columns(timeline, shown),
        key=KEY,
        hide_index=True,
        height=38 + 35 * min(len(shown), 8),
        on_select=lambda: _select_row(timeline, shown),
        selection_mode="single-row",
        alt=f"{count_of(len(losses), 'value')} needed but no longer sent",
    )
    more = f" The first {MOST:,} of {len(losses):,} are shown." if len(losses) > MOST else ""
    st.html(f'<span class="hl-meta">Select a row to look at that request and see what would have kept it.{more}</span>')


def _columns(timeline: Timeline, losses: Sequence[Loss]) -> dict[str, list[Any]]:
    return {
        "lost": [WORDS[loss.kind] for loss in losses],
        "value": [one_line(loss.value, 60) for loss in losses],
        "in message": [loss.message + 1 for loss in losses],
        "missing at request": [loss.step + 1 for loss in losses],
        "when": [timeline.steps[loss.step].label for loss in losses],
        "used as": [one_line(loss.used_as, 40) for loss in losses],
    }


def _select_row(timeline: Timeline, losses: Sequence[Loss]) -> None:
    rows = session.widget_value(KEY)["selection"]["rows"]
    if rows:
        choose_message(timeline, losses[rows[0]].step, losses[rows[0]].message)
