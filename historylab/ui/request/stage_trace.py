"""The trace of a request's plan: every stage that changed something, in order, with the tokens it took away."""

from __future__ import annotations

import streamlit as st

from historylab.planning.context_fill import context_budget
from historylab.planning.replay import Timeline
from historylab.recordings.as_sent import is_foreign
from historylab.wording.as_sent import no_stages_sentence
from historylab.wording.context import counted_by
from historylab.wording.settings import member_word, title_of
from historylab.wording.untrusted import escape

BEFORE_ANY = {
    "projection": "Speaker names: messages that another one stands for",
    "source": "Never sent: commands to the program, calls and results that do not match up",
    "pin.agent_context": "What a coding agent works by",
}
HEADINGS = ("Tokens left", "Taken away", "Messages decided")


def stage_trace(timeline: Timeline, number: int) -> None:
    """A table of the stages of request `number` (from 0); of what was sent, that none of ours decided it."""
    if is_foreign(timeline):
        st.html(f'<div class="hl-small">{escape(no_stages_sentence(timeline))}</div>')
        return
    plan = timeline.plans[number]
    outside = int(timeline.contexts[number]) - plan.tokens
    start = plan.history.total_tokens + timeline.counter.per_request + outside
    rows: list[tuple[str, int, int | None, int]] = [("Every message so far", start, None, plan.size)]
    rows += [(stage_word(t.stage), t.after + outside, t.before - t.after, t.changed) for t in plan.trace]
    end = "over the budget" if plan.over_budget else "within the budget"
    sent = int(plan.sent[plan.history.columns.block[: plan.size]].sum())
    rows.append((f"Sent: {end} of {context_budget(timeline, number):,}", plan.tokens + outside, None, sent))
    heads = "".join(f'<th class="hl-number">{heading}</th>' for heading in HEADINGS)
    body = "".join(
        f"<tr><td>{escape(stage)}</td>{''.join(map(_number, HEADINGS, (left, removed, decided)))}</tr>"
        for stage, left, removed, decided in rows
    )
    st.html(
        f'<div class="hl-table hl-cards"><table><thead><tr><th>Stage</th>{heads}</tr></thead><tbody>{body}</tbody>'
        "</table></div>"
        f'<span class="hl-meta">Tokens by {escape(counted_by(timeline))}.</span>'
    )


def stage_word(stage: str) -> str:
    """ "Pruner: Oldest first (fifo)" for "pruner: fifo"."""
    family, _, name = stage.partition(": ")
    return f"{title_of(family)}: {member_word(family, name)}" if name else BEFORE_ANY.get(stage, stage)


def _number(label: str, value: int | None) -> str:
    return f'<td class="hl-number" data-label="{label}">{"" if value is None else f"{value:,}"}</td>'
