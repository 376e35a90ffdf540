"""What is known of a request and its conversation, in tabs: only the open one is computed."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import streamlit as st

from historylab.planning.replay import Timeline
from historylab.planning.validity import guard_report, refusal_sentence
from historylab.settings.resolve import Resolution
from historylab.ui.request.asked_later import asked_later
from historylab.ui.request.bill_table import bill_table
from historylab.ui.request.loss_list import loss_list
from historylab.ui.request.message_list import message_list
from historylab.ui.request.overhead_offer import overhead_offer
from historylab.ui.request.payload import payload
from historylab.ui.request.stage_trace import stage_trace
from historylab.ui.session import cached, viewing
from historylab.ui.shared.price_list import price_list
from historylab.wording.settings import setting_in_words
from historylab.wording.untrusted import escape


def request_tabs(timeline: Timeline, number: int, resolution: Resolution) -> None:
    """The tabs for request `number` (from 0)."""
    drawn: Mapping[str, Callable[[], None]] = {
        "Messages": lambda: message_list(timeline, number),
        "Lost facts": lambda: loss_list(timeline, cached.retained(timeline, viewing.must_remember())),
        "Cost": lambda: _cost(timeline, resolution),
        "Refused": lambda: _refused(timeline),
        "Asked later": lambda: asked_later(timeline),
        "Payload": lambda: payload(timeline, number),
        "Stages": lambda: stage_trace(timeline, number),
    }
    for tab, draw in zip(st.tabs(list(drawn), key="side", on_change="rerun"), drawn.values(), strict=True):
        if tab.open:
            with tab:
                draw()


def _cost(timeline: Timeline, resolution: Resolution) -> None:
    bill_table(timeline)
    price_list(timeline.settings.model)
    overhead_offer(timeline, resolution)


def _refused(timeline: Timeline) -> None:
    said = f"{refusal_sentence(timeline, setting_in_words)} {guard_report(timeline).sentence()}"
    st.html(f'<div class="hl-small">{escape(said)}</div>')
