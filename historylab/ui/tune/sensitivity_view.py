"""Sensitivity: what changing the picked settings along one axis does to what is kept and to cost."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st

from historylab.costs.amounts import percent, times
from historylab.settings.effect import has_effect
from historylab.settings.model import Settings
from historylab.tuning.constraints import Constraints
from historylab.tuning.recommend import Point, Recommendation, recommend, relative_cost
from historylab.tuning.search_space import AXES, Axis
from historylab.ui.tune.recommendation_view import EXPLAINED
from historylab.ui.tune.refined_search import try_neighbours
from historylab.ui.tune.settings_search import SettingsSearch
from historylab.wording.cuts import capitalize_first, changes_in_words
from historylab.wording.findings import KEPT_WORDS, cost_or_tokens
from historylab.wording.terms import with_terms
from historylab.wording.untrusted import escape


def sensitivity_view(search: SettingsSearch, picked: Point, constraints: Constraints) -> None:
    """The table, once its settings have been tried."""
    others = search.neighbours(picked.settings)
    st.html('<div class="hl-title">What each single change does from here</div>')
    if not others:
        st.html('<div class="hl-meta">Nothing that is varied has an effect here.</div>')
        return
    work = try_neighbours(search, picked.settings, "effects")
    if work.result:
        found = recommend(work.result, constraints, nouns=KEPT_WORDS)
        st.html(_table(others, found, {point.settings.key: point for point in found.points}, picked.settings))


def _table(
    others: Mapping[str, Sequence[Settings]], found: Recommendation, points: Mapping[str, Point], base: Settings
) -> str:
    origin = points.get(base.key, found.points[0])
    groups = []
    for name, answers in others.items():
        tried = [(settings, points[settings.key]) for settings in answers if settings.key in points]
        reach = max((abs(relative_cost(p, found) - relative_cost(origin, found)) for _, p in tried), default=0)
        groups.append((reach, name, tried))
    rows = "".join(
        f'<tr class="hl-group"><th colspan="3">{escape(AXES[name].question)}</th></tr>'
        + "".join(_row(_changes(settings, base, AXES[name]), point, origin, found) for settings, point in tried)
        for _, name, tried in sorted(groups, key=lambda group: -group[0])
    )
    cost = capitalize_first(cost_or_tokens(found))
    about = with_terms(f"Kept: {found.kept_is}. {cost}: times not trimming.", *EXPLAINED)
    return (
        f'<div class="hl-meta">{about}</div>'
        f'<div class="hl-table hl-effects"><table><thead><tr><th>Instead</th>'
        f'<th class="hl-number">Kept</th><th class="hl-number">{cost}</th></tr></thead><tbody>{rows}</tbody>'
        "</table></div>"
    )


def _changes(settings: Settings, base: Settings, axis: Axis) -> dict[str, Any]:
    """Values that differ from `base`, and fields of the axis that only now have an effect (a policy's length)."""
    return {
        name: value
        for name, value in settings.values().items()
        if has_effect(settings, name)
        and (value != base.value(name) or (name in axis.settings and "." not in name and not has_effect(base, name)))
    }


def _row(changed: Mapping[str, Any], point: Point, origin: Point, found: Recommendation) -> str:
    kept, price = point.kept - origin.kept, relative_cost(point, found)
    cost = price - relative_cost(origin, found)
    return (
        f"<tr><td>{escape(capitalize_first(changes_in_words(changed)))}</td>"
        f'<td class="hl-number">{percent(point.kept)} {_change(100 * kept, " points", better=kept > 0, digits=1)}</td>'
        f'<td class="hl-number">{times(price)} {_change(cost, "", better=cost < 0, digits=2)}</td>'
        "</tr>"
    )


def _change(by: float, unit: str, *, better: bool, digits: int) -> str:
    if abs(by) < 0.5 * 10**-digits:
        return '<span class="hl-change hl-faint">same</span>'
    word = "better" if better else "worse"
    return (
        f'<span class="hl-change hl-{word}" title="{word}">{"▲" if by > 0 else "▼"} {abs(by):.{digits}f}{unit}</span>'
    )
