"""The verdict in three chips: what the model sees, what it lost that mattered, what it costs."""

from __future__ import annotations

import streamlit as st

from historylab.planning.replay import Timeline
from historylab.planning.validity import refusal_sentence, validity
from historylab.ui.request.bill_table import bill_of
from historylab.ui.session import cached, viewing
from historylab.wording.costs import as_reported_sentence, cost_sentence, kept_sentence
from historylab.wording.settings import setting_in_words
from historylab.wording.untrusted import escape


def verdict_chips(timeline: Timeline, number: int) -> None:
    """The chips for request `number` (from 0)."""
    bills, own = bill_of(timeline)
    kept = kept_sentence(cached.retained(timeline, viewing.must_remember()))
    refused = refusal_sentence(timeline, setting_in_words) if validity(timeline).refused.any() else ""
    off = as_reported_sentence(timeline, bills[own].bill.prices) if own in bills else ""
    said = (cost_sentence(timeline, bills.get(own)), off, kept, refused)
    st.html(f'<div class="hl-bill">{escape(" ".join(filter(None, said)))}</div>')
