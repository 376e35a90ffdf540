"""What is known of a request and its conversation, in tabs: only the open one is computed."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np
import streamlit as st

from historylab.costs.amounts import count_of
from historylab.planning.refusals import refusal_cause, refusal_sentence
from historylab.planning.replay import Timeline
from historylab.planning.validity import guard_report, recorded_validity
from historylab.recall.retention import Retention
from historylab.settings.resolve import Resolution
from historylab.ui.request.asked_later import asked_later
from historylab.ui.request.bill_table import bill_of, bill_table, overhead_offer
from historylab.ui.request.costly_messages import costly_messages
from historylab.ui.request.cut_list import CUTS, cut_list, has_post_mortem
from historylab.ui.request.loss_list import loss_list
from historylab.ui.request.message_list import message_list
from historylab.ui.request.payload import payload
from historylab.ui.request.stage_trace import stage_trace
from historylab.ui.session import cached, session, viewing
from historylab.ui.shared.price_list import price_list
from historylab.ui.shared.row_table import Column, row_table
from historylab.ui.shared.scroll_to import scroll_to
from historylab.wording.losses import lost_facts
from historylab.wording.settings import setting_in_words
from historylab.wording.untrusted import escape

MESSAGES, LOST, COST, REFUSED, ASKED = "Messages", "Lost facts", "Cost", "Refused", "Asked later"
PAYLOAD, STAGES = "Payload", "Stages"
Drawn = Mapping[str, Callable[[], None]]
"""Tab → what draws it."""
ASKED_HELP = "Whether the newest request still holds what answers it"
REFUSED_KEY, MOST_REFUSED = "refused", 200
COLUMNS = (Column("Request", "word"), Column("Why it would be refused"))


def request_tabs(timeline: Timeline, number: int, resolution: Resolution, more: Drawn) -> list[str]:
    """The tabs for request `number` (from 0), `more`, and last those that only some requests have. Returns them all."""
    refused, asks = bool(recorded_validity(timeline).refused.any()), bool(viewing.questions())
    drawn: Drawn = {
        MESSAGES: lambda: message_list(timeline, number),
        LOST: lambda: _lost_facts(timeline, asks=asks),
        COST: lambda: _cost(timeline, resolution),
        PAYLOAD: lambda: payload(timeline, number),
        STAGES: lambda: stage_trace(timeline, number),
        **more,
        **({CUTS: lambda: cut_list(timeline)} if has_post_mortem() else {}),
        **({REFUSED: lambda: _refused_list(timeline)} if refused or viewing.open_tab() == REFUSED else {}),
        **({ASKED: lambda: asked_later(timeline)} if asks or viewing.open_tab() == ASKED else {}),
    }
    draw_tabs(drawn)
    return list(drawn)


def draw_tabs(drawn: Drawn) -> None:
    """Tabs, of which the open one alone is drawn; one that was asked for is scrolled to."""
    viewing.keep_tab(drawn)
    for tab, draw in zip(st.tabs(list(drawn), key=viewing.TABS, on_change="rerun"), drawn.values(), strict=True):
        if tab.open:
            with tab:
                draw()
    if asked := session.tab().shown_tabs:
        scroll_to(viewing.TABS, asked)  # last: the page must be as long as it will be


def tab_counts(tabs: Sequence[str], counts: Mapping[str, str]) -> None:
    """Counts beside the names of the tabs that are drawn. As a style: with other labels they are other tabs."""
    rules = (
        f'.st-key-{viewing.TABS} [role=tab]:nth-of-type({tabs.index(tab) + 1}) p::after{{content:"{count}"}}'
        for tab, count in counts.items()
        if tab in tabs
    )
    st.html(f"<style>{''.join(rules)}</style>")


def counts_of(timeline: Timeline) -> dict[str, str]:
    """The counts of what the strip computed."""
    return {
        LOST: "" if timeline.original.recorded.textless else lost_facts(_retention(timeline)).badge,
        REFUSED: f"{recorded_validity(timeline).refused.sum():,}",
        ASKED: f"{len(viewing.questions()) or ''}",
    }


def _lost_facts(timeline: Timeline, *, asks: bool) -> None:
    """The facts lost; and the way to questions that might be asked later, which have no tab before there are any."""
    loss_list(timeline, _retention(timeline))
    if not asks:
        st.button("Questions asked later", key="ask-later", on_click=viewing.show_tab, args=(ASKED,), help=ASKED_HELP)


def _retention(timeline: Timeline) -> Retention:
    return cached.retention_of(timeline, viewing.must_remember())


def _cost(timeline: Timeline, resolution: Resolution) -> None:
    bill_table(timeline)
    bills, own = bill_of(timeline)
    if bills:
        costly_messages(timeline, bills[own].bill)
    price_list(timeline.settings.model)
    overhead_offer(timeline, resolution)


def _refused_list(timeline: Timeline) -> None:
    """The requests that would be refused; a click on one shows it. Then what slicing without care would do."""
    found = recorded_validity(timeline)
    wrong = np.flatnonzero(found.refused | found.wrong_end | found.empty).tolist()
    shown = wrong[:MOST_REFUSED]
    st.html(f'<div class="hl-small">{escape(refusal_sentence(timeline, setting_in_words))}</div>')
    if shown:
        more = f" The first {MOST_REFUSED:,} of {len(wrong):,} are shown." if len(wrong) > MOST_REFUSED else ""
        st.html(f'<div class="hl-meta">A click on a row shows that request.{more}</div>')
        row_table(
            REFUSED_KEY,
            COLUMNS,
            [(f"request {i + 1:,}, {timeline.steps[i].label}", _why(timeline, i)) for i in shown],
            lambda row: viewing.select_request(shown[row]),
            label=f"{count_of(len(wrong), 'request')} that an API would refuse",
            chosen=next((row for row, request in enumerate(shown) if request == session.tab().request), None),
        )
    if not timeline.decided_by:  # the guard is our stages'
        st.html(f'<div class="hl-meta">{escape(guard_report(timeline).sentence())}</div>')


def _why(timeline: Timeline, request: int) -> str:
    found = recorded_validity(timeline)
    if found.refused[request] or found.empty[request]:
        cause = refusal_cause(timeline, request, setting_in_words)
        return cause if found.refused[request] else f"{cause}; other APIs refuse it"
    return "ends in an answer, which some models refuse"
