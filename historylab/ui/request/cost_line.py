"""Cost and losses in a sentence under the verdict; the bill and the lists fold out below it."""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st

from historylab.costs.bill import CostComparison
from historylab.costs.recorded_cache import cache_in_use
from historylab.planning.replay import Timeline
from historylab.planning.validity import guard_report, refusal_sentence, validity
from historylab.settings.resolve import Resolution
from historylab.ui.request.asked_later import asked_later
from historylab.ui.request.bill_table import bill_table
from historylab.ui.request.loss_list import loss_list
from historylab.ui.request.overhead_offer import overhead_offer
from historylab.ui.session import cached, choices, prices, viewing
from historylab.ui.shared.price_list import price_list
from historylab.wording.costs import as_reported_sentence, cost_sentence, kept_sentence
from historylab.wording.untrusted import escape


def cost_line(timeline: Timeline) -> None:
    """The sentence, then an expander whose content is computed only while it is open."""
    listed = prices.prices_in_effect(timeline.settings.model)
    bills = cached.comparisons(timeline, listed) if listed else {}
    own = cache_in_use(timeline, listed).name if listed else ""
    kept = kept_sentence(cached.retained(timeline, viewing.must_remember()))
    refused = refusal_sentence(timeline) if validity(timeline).refused.any() else ""
    off = as_reported_sentence(timeline, bills[own].bill.prices) if own in bills else ""
    said = (cost_sentence(timeline, bills.get(own)), off, kept, refused)
    st.html(f'<div class="hl-bill">{escape(" ".join(filter(None, said)))}</div>')
    unfolded = st.expander("Cost, losses and refused requests", key="cost", on_change="rerun", type="compact")
    if unfolded.open:
        with unfolded:
            _details(timeline, choices.resolution(), bills, own)


def _details(timeline: Timeline, resolution: Resolution, bills: Mapping[str, CostComparison], own: str) -> None:
    if bills:
        bill_table(timeline, bills, own)
    price_list(timeline.settings.model)
    overhead_offer(timeline, resolution)
    st.html('<div class="hl-title">What later requests needed</div>')
    loss_list(timeline, cached.retained(timeline, viewing.must_remember()))
    asked_later(timeline)
    st.html(
        '<div class="hl-title">What an API would refuse</div>'
        f'<div class="hl-small">{escape(refusal_sentence(timeline))} {escape(guard_report(timeline).sentence())}</div>'
    )
