"""The fixed overhead as the provider's own usage shows it, offered as a setting where the transcript carries usage."""

from __future__ import annotations

import streamlit as st

from historylab.costs.calibration import Calibration, calibrate
from historylab.planning.replay import Timeline
from historylab.settings.resolve import Resolution
from historylab.ui.session import choices
from historylab.wording.untrusted import escape

GOOD_FIT = 0.9


def overhead_offer(timeline: Timeline, resolution: Resolution) -> None:
    """What the usage tells, and a button to use it; nothing where there is no usage."""
    found = calibrate(timeline.conversation, timeline.counter)
    if found is None:
        return
    st.html(f'<div class="hl-small">{escape(_told(found))}</div>')
    settings = timeline.settings
    if settings.overhead == found.overhead:
        st.html('<div class="hl-meta">The overhead is set to that.</div>')
        return
    if resolution.provenance["overhead"].locked:
        st.html(f'<div class="hl-meta">🔒\ufe0e The environment sets the overhead to {settings.overhead:,}.</div>')
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


def _told(found: Calibration) -> str:
    told = (
        f"The provider's usage on {found.requests:,} requests says: {found.overhead:,} tokens stand outside the "
        f"transcript (system prompt, tools), and a counted token is {found.factor:.2f} of its own."
    )
    return told if found.fit >= GOOD_FIT else f"{told} The fit is poor (R² {found.fit:.3f}): take it as a hint."


def _use(overhead: int, budget: int | None) -> None:
    """The whole page follows, not only the fragment this stands in."""
    choices.choose_setting("overhead", overhead)
    if budget is not None:
        choices.choose_setting("budget", budget)
    st.rerun()
