"""Per message of a request: its tokens, and how many of them are sent."""

from __future__ import annotations

import streamlit as st

from historylab.costs.amounts import count_of
from historylab.planning.reasons import Action
from historylab.planning.replay import Timeline
from historylab.wording.message_text import speaker
from historylab.wording.palette import LOOKS
from historylab.wording.untrusted import escape
from historylab.wording.verdict import counted_by

HEIGHT = 520


def message_tokens(timeline: Timeline, number: int) -> None:
    """The table for request `number` (from 0); below it summary and framing."""
    plan = timeline.plans[number]
    messages = timeline.conversation.messages[: plan.size]
    st.dataframe(
        {
            "#": list(range(1, plan.size + 1)),
            "role": [speaker(m, 40) for m in messages],
            "decision": [LOOKS[Action(action)].badge for action in plan.actions.tolist()],
            "tokens": plan.history.tokens.tolist(),
            "sent": plan.sent_tokens.tolist(),
        },
        key="debug-tokens",
        hide_index=True,
        height=min(HEIGHT, 38 + 35 * plan.size),
        alt=f"{count_of(plan.size, 'message')}: tokens, and how many of them are sent",
    )
    summary = f" + {plan.summary_tokens:,} of the summary" if plan.summary else ""
    st.html(
        f'<div class="hl-small">{plan.sent_tokens.sum():,} tokens of messages{summary} + {plan.framing:,} of framing = '
        f"{plan.tokens:,} sent, of {plan.budget:,}.</div>"
        f'<div class="hl-meta">Tokens by {escape(counted_by(timeline))}.</div>'
    )
