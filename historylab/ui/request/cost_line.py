"""What the settings cost and forget, in a sentence under the verdict; to be unfolded: the bill and the losses."""

from __future__ import annotations

import streamlit as st

from historylab.costs.prompt_cache import cache_of
from historylab.planning.replay import Timeline
from historylab.planning.validity import guard_report
from historylab.settings.resolve import Resolution
from historylab.ui.request.asked_later import asked_later
from historylab.ui.request.bill_table import bill_table
from historylab.ui.request.loss_list import loss_list
from historylab.ui.request.overhead_offer import overhead_offer
from historylab.ui.session import cached, choices, prices
from historylab.ui.shared.price_list import price_list
from historylab.wording.costs import cost_sentence, kept_sentence
from historylab.wording.untrusted import escape


def cost_line(timeline: Timeline) -> None:
    """The sentence, then an expander that works out its inside only when it is open."""
    listed = prices.prices_in_effect(timeline.settings.model)
    found = cached.comparisons(timeline, listed) if listed else {}
    own = cache_of(listed).name if listed else ""
    kept = kept_sentence(cached.retained(timeline))
    st.html(f'<div class="hl-bill">{escape(cost_sentence(timeline, found.get(own)))} {escape(kept)}</div>')
    unfolded = st.expander("Cost, losses and refused requests", key="cost", on_change="rerun", type="compact")
    if unfolded.open:
        with unfolded:
            _inside(timeline, choices.resolution(), own)


def _inside(timeline: Timeline, resolution: Resolution, own: str) -> None:
    model = timeline.settings.model
    if own:
        bill_table(timeline, cached.comparisons(timeline, prices.prices_in_effect(model)), own)
    price_list(model)
    overhead_offer(timeline, resolution)
    st.html('<div class="hl-title">What later requests needed</div>')
    loss_list(timeline, cached.retained(timeline))
    asked_later(timeline)
    st.html(
        '<div class="hl-title">What an API would refuse</div>'
        f'<div class="hl-small">{escape(guard_report(timeline).sentence())} Here calls and results stay together, '
        "so none is.</div>"
    )
