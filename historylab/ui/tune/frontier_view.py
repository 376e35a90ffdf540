"""The frontier: every set of settings tried, as points to click on and as a list."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from historylab.costs.amounts import percent, times
from historylab.figures.frontier import frontier_chart
from historylab.tuning.advice_words import kept_words
from historylab.tuning.trials import Trial
from historylab.tuning.tune import Advice
from historylab.ui.session import session, tuning_choices
from historylab.wording.findings import frontier_finding
from historylab.wording.phrases import capitalize_first

CHOICE = "candidate-choice"


def frontier_view(advice: Advice, picked: Trial) -> None:
    """The chart, and the same settings to choose from."""
    with st.container(key="frontier-view", gap="small"):
        st.plotly_chart(
            frontier_chart(advice, picked),
            key="frontier",
            on_select=lambda: _pick([trial.key for trial in advice.trials]),
            selection_mode="points",
            config={"displayModeBar": False},
            alt=frontier_finding(advice),
        )
        _choice(advice, picked)


def _choice(advice: Advice, picked: Trial) -> None:
    """The settings as a choice, the cheapest first: the chart's twin for the keyboard."""
    both = sorted(zip(advice.trials, advice.points, strict=True), key=lambda each: each[1].cost)
    points = {trial.key: point for trial, point in both}
    kept = {key: kept_words(p.kept, p.noted) if advice.evidence else percent(None) for key, p in points.items()}
    st.selectbox(
        "Settings looked at",
        list(points),
        list(points).index(picked.key),
        format_func=lambda k: f"{capitalize_first(points[k].label)}: {kept[k]} kept, {times(points[k].cost)}",
        key=session.key_of_field(CHOICE, picked.key),
        on_change=lambda: tuning_choices.pick_candidate(session.value_of_field(CHOICE) or ""),
    )


def _pick(keys: Sequence[str]) -> None:
    points = (session.told_by("frontier", "selection") or {}).get("points")
    if points and points[0].get("customdata"):
        tuning_choices.pick_candidate(keys[int(points[0]["customdata"][0])])
