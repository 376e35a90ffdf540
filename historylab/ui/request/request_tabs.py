"""What is known of a request and its conversation, in tabs: only the open one is computed."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import streamlit as st

from historylab.conversation.usage import is_textless
from historylab.planning.replay import Timeline
from historylab.planning.validity import recorded_validity
from historylab.recall.retention import Retention
from historylab.settings.resolve import Resolution
from historylab.ui.request.asked_later import asked_later
from historylab.ui.request.bill_table import bill_table
from historylab.ui.request.loss_list import loss_list
from historylab.ui.request.message_list import message_list
from historylab.ui.request.overhead_offer import overhead_offer
from historylab.ui.request.payload import payload
from historylab.ui.request.refused_list import refused_list
from historylab.ui.request.stage_trace import stage_trace
from historylab.ui.session import cached, session, viewing
from historylab.ui.shared.price_list import price_list
from historylab.ui.shared.scroll_to import scroll_to
from historylab.wording.losses import lost_facts

MESSAGES, LOST, COST, REFUSED, ASKED = "Messages", "Lost facts", "Cost", "Refused", "Asked later"
PAYLOAD, STAGES = "Payload", "Stages"
ALL = (MESSAGES, LOST, COST, REFUSED, ASKED, PAYLOAD, STAGES)


def request_tabs(timeline: Timeline, number: int, resolution: Resolution) -> None:
    """The tabs for request `number` (from 0)."""
    drawn: Mapping[str, Callable[[], None]] = {
        MESSAGES: lambda: message_list(timeline, number),
        LOST: lambda: loss_list(timeline, _retention(timeline)),
        COST: lambda: _cost(timeline, resolution),
        REFUSED: lambda: refused_list(timeline),
        ASKED: lambda: asked_later(timeline),
        PAYLOAD: lambda: payload(timeline, number),
        STAGES: lambda: stage_trace(timeline, number),
    }
    for tab, draw in zip(st.tabs(list(drawn), key=viewing.TABS, on_change="rerun"), drawn.values(), strict=True):
        if tab.open:
            with tab:
                draw()
    if asked := session.tab().shown_tabs:
        scroll_to(viewing.TABS, asked)  # last: the page must be as long as it will be


def tab_counts(timeline: Timeline) -> None:
    """Counts beside the tabs' names, of what the chips computed. As a style: with other labels they are other tabs."""
    counts = {
        LOST: "" if is_textless(timeline.original) else lost_facts(_retention(timeline)).badge,
        REFUSED: f"{recorded_validity(timeline).refused.sum():,}",
        ASKED: f"{len(viewing.questions()) or ''}",
    }
    rules = (
        f'.st-key-{viewing.TABS} [role=tab]:nth-of-type({ALL.index(tab) + 1}) p::after{{content:"{count}"}}'
        for tab, count in counts.items()
        if count
    )
    st.html(f"<style>{''.join(rules)}</style>")


def _retention(timeline: Timeline) -> Retention:
    return cached.retention_of(timeline, viewing.must_remember())


def _cost(timeline: Timeline, resolution: Resolution) -> None:
    bill_table(timeline)
    price_list(timeline.settings.model)
    overhead_offer(timeline, resolution)
