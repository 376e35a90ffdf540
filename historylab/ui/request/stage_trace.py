"""The trace of a request's plan: every stage that changed something, in order, with tokens before and after."""

from __future__ import annotations

import streamlit as st

from historylab.planning.replay import Timeline
from historylab.wording.untrusted import escape
from historylab.wording.verdict import counted_by


def stage_trace(timeline: Timeline, number: int) -> None:
    """A table of the stages of request `number` (from 0)."""
    plan = timeline.plans[number]
    start = plan.history.total_tokens + timeline.counter.per_request
    rows: list[tuple[str, int | None, int, int]] = [("every message so far", None, start, plan.size)]
    rows += [(trace.stage, trace.before, trace.after, trace.changed) for trace in plan.trace]
    end = "over the budget" if plan.over_budget else "within the budget"
    body = "".join(
        f"<tr><td>{escape(stage)}</td>{_number(before)}{_number(after)}{_number(changed)}</tr>"
        for stage, before, after, changed in rows
    )
    st.html(
        '<div class="hl-table"><table><thead><tr><th>Stage</th><th class="hl-number">Tokens before</th>'
        '<th class="hl-number">after</th><th class="hl-number">Messages decided</th></tr></thead>'
        f"<tbody>{body}<tr><td>sent: {end} of {plan.budget:,}</td>{_number(None)}{_number(plan.tokens)}"
        f"{_number(int(plan.sent[plan.history.columns.block[: plan.size]].sum()))}</tr></tbody></table></div>"
    )
    how = escape(counted_by(timeline))
    st.html(f'<span class="hl-meta">Tokens by {how}.</span>')


def _number(value: int | None) -> str:
    return f'<td class="hl-number">{"" if value is None else f"{value:,}"}</td>'
