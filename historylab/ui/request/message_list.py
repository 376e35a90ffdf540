"""The messages so far: what this request does with each, its tokens, and why; selecting a row explains it."""

from __future__ import annotations

from collections.abc import Set
from typing import Any

import numpy as np
import streamlit as st

from historylab.costs.amounts import count_of
from historylab.counters.badge import recorded_otherwise
from historylab.counters.base import has_media
from historylab.planning.plan import HistoryPlan
from historylab.planning.reasons import Action
from historylab.planning.replay import Step, Timeline
from historylab.ui.request.explanation import summary_text
from historylab.ui.request.message_bubbles import message_bubbles
from historylab.ui.request.message_search import hit_count, nothing_found, search_field
from historylab.ui.request.message_selection import (
    CHAT,
    STARRED,
    available_filters,
    filter_field,
    filter_mask,
    page_of,
    search_mask,
    view_field,
)
from historylab.ui.request.projection_note import projected_note
from historylab.ui.session import session, viewing
from historylab.ui.session.must_remember import starred_messages
from historylab.ui.shared.theme import is_dark
from historylab.wording.message_text import preview, speaker
from historylab.wording.must_remember import GLYPH
from historylab.wording.palette import LOOKS
from historylab.wording.untrusted import escape
from historylab.wording.verdict import counted_by

MARK = f"{GLYPH} must"  # short, to leave room for the text
EMPTY = {
    "sent": "Nothing of this conversation is sent.",
    "changed": "Nothing changed since the previous request.",
    "lost": "Nothing is lost: the model sees every message.",
    STARRED: "No message that must be remembered has come yet.",
}


def message_list(timeline: Timeline, number: int) -> None:
    """Filter, search and the messages, as rows or as a chat."""
    step = timeline.steps[number]
    projected_note(timeline, number)
    with st.container(horizontal=True, vertical_alignment="center", key="browse"):
        filter_field(timeline)
        search_field()
        view_field()
    shown = _shown(timeline, step)
    if not len(shown):
        return
    draw = message_bubbles if session.tab().view == CHAT else _table
    draw(timeline, step, shown)


def _shown(timeline: Timeline, step: Step) -> np.ndarray:
    """Indices (int64) of the messages that pass filter and search; a notice where there are none."""
    tab = session.tab()
    mask = filter_mask(timeline, step)
    if not mask.any():
        st.html(f'<p class="hl-meta">{EMPTY[tab.show]}</p>')
        return np.flatnonzero(mask)
    holding = search_mask(step)
    shown = np.flatnonzero(mask & holding)
    if tab.search.strip():
        among = "" if tab.show == viewing.EVERYTHING else available_filters(timeline)[tab.show][0]
        report = hit_count if len(shown) else nothing_found
        report(len(shown), int(holding.sum()), among)
    return shown


def _table(timeline: Timeline, step: Step, shown: np.ndarray) -> None:
    if step.plan.summary:
        summary_text(step.plan.summary)
    rows = page_of(shown)
    numbers = rows.tolist()
    selected = [numbers.index(session.tab().message)] if session.tab().message in numbers else []
    columns = message_columns(timeline, step.plan, rows, starred_messages(timeline))
    if session.tab().message is not None:  # its reason stands beside the table
        del columns["why"]
    key = f"messages {hash(rows.tobytes())} {session.tab().picks}"  # the same table as long as its rows are the same
    st.dataframe(
        columns,
        key=key,
        height=38 + 35 * min(len(numbers), 14),
        hide_index=True,
        on_select=lambda: _select(key, numbers),
        selection_mode="single-row",
        selection_default={"selection": {"rows": selected}},
        alt=f"{count_of(len(numbers), 'message')} with decision, tokens and reason",
        column_config=_columns(dark=is_dark()),
    )
    how = escape(counted_by(timeline))  # holds the model's name, which a link may set
    st.html(
        f'<span class="hl-meta" data-request="{step.number + 1}">Tokens by {how}, framing '
        "included. Select a row to see why, since when, and what would keep it.</span>"
    )


def _columns(*, dark: bool) -> dict[str, Any]:
    column = st.column_config
    badges = column.MultiselectColumn(
        options=[look.badge for look in LOOKS.values()], color=[look.colour(dark) for look in LOOKS.values()], width=120
    )
    number = column.NumberColumn(format="localized", width=70)
    narrow = column.TextColumn(width=90)
    return {
        "#": column.NumberColumn(width=45),
        "mark": column.TextColumn(width=75, help="must be remembered"),
        "role": narrow,
        "decision": badges,
        "tokens": number,
        "sent": number,
        "count": narrow,
        "text": column.TextColumn(width="large"),
        "why": column.TextColumn(width=250),
    }


def message_columns(
    timeline: Timeline, plan: HistoryPlan, rows: np.ndarray, starred: Set[int] = frozenset()
) -> dict[str, list[Any]]:
    """The table's columns for the messages `rows` (int64 indices), texts on one line. `starred` must be remembered."""
    conversation, actions, reasons = timeline.conversation, plan.actions, plan.reasons
    sentences = {code: plan.reason(int(np.flatnonzero(reasons == code)[0])).sentence for code in set(reasons[rows])}
    messages = [conversation[i] for i in rows.tolist()]
    columns: dict[str, list[Any]] = {
        "#": (rows + 1).tolist(),
        "role": [speaker(m, 40) for m in messages],
        "decision": [[LOOKS[Action(action)].badge] for action in actions[rows].tolist()],
        "tokens": plan.history.tokens[rows].tolist(),
        "why": [sentences[code] for code in reasons[rows]],
        "text": [preview(m) for m in messages],
    }
    if starred:
        marks = [MARK if i in starred else "" for i in rows.tolist()]
        columns = {"#": columns.pop("#"), "mark": marks, **columns}
    if plan.shortened:
        columns["sent"] = plan.sent_tokens[rows].tolist()
    if (
        timeline.counter.exact
        and has_media(timeline.original)
        and not recorded_otherwise(timeline.counter, timeline.original)
    ):
        columns["count"] = ["estimate" if m.media else "exact" for m in messages]
    return columns


def _select(key: str, numbers: list[int]) -> None:
    rows = session.widget_value(key)["selection"]["rows"]
    viewing.select_message(numbers[rows[0]] if rows else None)
