"""The cost of a conversation so far, beside not trimming."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import streamlit as st

from historylab.costs.cache_reads import cache_reads
from historylab.costs.recorded_cache import billed_model
from historylab.costs.traffic import Traffic, baseline_of, billed_traffic
from historylab.recordings.sent_plans import SentPlans
from historylab.ui.request.verdict_strip import cost_cell, own_comparison
from historylab.ui.session import prices
from historylab.wording.live import cache_reads_sentence
from historylab.wording.untrusted import escape


def cost_so_far(sent: SentPlans) -> None:
    """The cost beside not trimming, and the cache reads as reported beside those predicted of what was sent."""
    timeline = sent.timeline
    cost_cell(timeline, own_comparison(timeline), would=all(sent.audited))
    listed = prices.prices_in_effect(billed_model(timeline))
    reads = cache_reads(timeline, listed, _traffic(sent)) if listed else None
    st.html(f'<div class="hl-meta">{escape(cache_reads_sentence(reads))}</div>')


def _traffic(sent: SentPlans) -> Traffic:
    """What was sent: requests that were only watched went as they came."""
    ours, whole = billed_traffic(sent.timeline), baseline_of(sent.timeline)
    if len(ours.sent) != len(whole.sent):  # a projection makes other requests
        return ours
    columns = ("sent", "shared", "broken")
    return replace(
        ours, **{name: np.where(sent.audited, getattr(whole, name), getattr(ours, name)) for name in columns}
    )
