"""The fixed overhead measured from the provider's reported usage, offered as a setting."""

from __future__ import annotations

import streamlit as st

from historylab.costs.calibration import Calibration, calibrate
from historylab.costs.recount import counter_of_money
from historylab.planning.replay import Timeline
from historylab.settings.resolve import Resolution
from historylab.ui.session import choices
from historylab.wording.settings import locked_by
from historylab.wording.untrusted import escape

GOOD_FIT = 0.9


def overhead_offer(timeline: Timeline, resolution: Resolution) -> None:
    """The measurement and a button to use it; nothing if the transcript carries no usage."""
    found = calibrate(timeline.original, counter_of_money(timeline))  # usage is reported on what was recorded
    if found is None:
        return
    st.html(f'<div class="hl-small">{escape(_sentence(found))}</div>')
    settings = timeline.settings
    if settings.overhead == found.overhead:
        st.html('<div class="hl-meta">The overhead is set to that.</div>')
        return
    if (origin := resolution.provenance["overhead"]).locked:
        why = locked_by(origin)
        st.html(f'<div class="hl-meta">🔒\ufe0e The overhead stays at {settings.overhead:,}: {why}.</div>')
        return
    raised = settings.budget + found.overhead - settings.overhead
    with st.container(horizontal=True):
        if st.button(
            f"Use the measured overhead of {found.overhead:,} tokens (fit R² {found.fit:.3f})", key="use-overhead"
        ):
            _use(found.overhead, None)
        if not resolution.provenance["budget"].locked and st.button(
            f"… and raise the budget to {raised:,}",
            key="use-overhead-and-raise",
            help="The overhead counts against the budget. Raised by as much, the history keeps the room it has.",
        ):
            _use(found.overhead, raised)


def _sentence(found: Calibration) -> str:
    sentence = (
        f"The provider's usage on {found.requests:,} requests shows {found.overhead:,} tokens outside the transcript "
        f"(system prompt, tools), and {found.factor:.2f} of its tokens for each token counted here."
    )
    return sentence if found.fit >= GOOD_FIT else f"{sentence} The fit is poor (R² {found.fit:.3f}): take it as a hint."


def _use(overhead: int, budget: int | None) -> None:
    """Choose both and draw the whole page anew, not only this fragment."""
    choices.choose_setting("overhead", overhead)
    if budget is not None:
        choices.choose_setting("budget", budget)
    st.rerun()
