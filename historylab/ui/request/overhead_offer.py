"""The fixed overhead and token factor measured from the provider's reported usage, where they aren't in effect."""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st

from historylab.costs.recount import counter_of_money
from historylab.counters.calibration import good_calibration
from historylab.planning.replay import Timeline
from historylab.settings.resolve import Resolution
from historylab.ui.session import choices
from historylab.wording.recorded import measured_sentence
from historylab.wording.settings import locked_by
from historylab.wording.untrusted import escape


def overhead_offer(timeline: Timeline, resolution: Resolution) -> None:
    """The measurement and a button to use it; nothing if the transcript carries no usage, or too little."""
    found = good_calibration(timeline.original, counter_of_money(timeline))  # usage is reported on what was recorded
    if found is None:
        return
    st.html(f'<div class="hl-small">{escape(measured_sentence(found))}</div>')
    settings = timeline.settings
    if (settings.overhead, settings.counter_factor) == (found.overhead, found.factor):
        st.html('<div class="hl-meta">Both are in effect.</div>')
        return
    if (origin := resolution.provenance["overhead"]).locked:
        why = locked_by(origin)
        st.html(f'<div class="hl-meta">🔒\ufe0e The overhead stays at {settings.overhead:,}: {why}.</div>')
        return
    raised = settings.budget + found.overhead - settings.overhead
    with st.container(horizontal=True):
        use = f"Use the measured overhead of {found.overhead:,} tokens and factor of {found.factor:.2f}"
        st.button(use, key="use-overhead", on_click=_use, args=(found.settings,))
        if not resolution.provenance["budget"].locked:
            st.button(
                f"… and raise the budget to {raised:,}",
                key="use-overhead-and-raise",
                help="The overhead counts against the budget. Raised by as much, the history keeps the room it has.",
                on_click=_use,
                args=({**found.settings, "budget": raised},),
            )


def _use(values: Mapping[str, float]) -> None:
    for name, value in values.items():
        choices.choose_setting(name, value)
