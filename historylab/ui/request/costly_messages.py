"""The messages that cost the most over their life, beside the bill; a click on one goes to the last request with it."""

from __future__ import annotations

import numpy as np
import streamlit as st

from historylab.costs.amounts import count_of, money
from historylab.costs.bill import Bill
from historylab.costs.message_costs import MessageCosts, message_costs
from historylab.planning.replay import Timeline
from historylab.recall.needs import last_used
from historylab.ui.request.message_selection import choose_message
from historylab.ui.shared.row_table import Column, row_table
from historylab.wording.costs import unused_results_sentence
from historylab.wording.message_text import preview, speaker
from historylab.wording.untrusted import escape, one_line

KEY, SHOWN, SAID = "costly-messages", 5, 48
COLUMNS = (
    Column("Message"),
    Column("Tokens", "number"),
    Column("Sent in", "word"),
    Column("Paid", "number"),
    Column("After its last use", "number"),
)


def costly_messages(timeline: Timeline, bill: Bill) -> None:
    """The five dearest, and what was paid for results after their last use; nothing where nothing is sent."""
    costs = timeline.remember(
        ("message costs", bill.cache, bill.prices),
        lambda: message_costs(timeline, bill, last_used(timeline.conversation)),
    )
    dearest = [i for i in np.argsort(-costs.dollars, kind="stable")[:SHOWN].tolist() if costs.requests[i]]
    if not dearest:
        return
    said = unused_results_sentence(timeline, bill, costs)
    st.html(
        '<div class="hl-label">What messages cost over their life</div>'
        + (f'<div class="hl-small">{escape(said)}</div>' if said else "")
        + '<div class="hl-meta">Each at its share of every request that sent it: an estimate. A click goes to the last '
        "of them.</div>"
    )
    row_table(
        KEY,
        COLUMNS,
        [_row(timeline, costs, i) for i in dearest],
        lambda row: choose_message(timeline, int(costs.last[dearest[row]]), dearest[row]),
        label="The messages that cost the most over their life",
    )


def _row(timeline: Timeline, costs: MessageCosts, i: int) -> tuple[str, ...]:
    message = timeline.conversation[i]
    return (
        f"{i + 1:,} ({speaker(message, 24)}): {one_line(preview(message), SAID)}",
        f"{costs.tokens[i]:,}",
        count_of(int(costs.requests[i]), "request"),
        money(costs.dollars[i]),
        money(costs.unused[i]) if costs.unused[i] else "–",
    )
