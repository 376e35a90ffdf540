"""Sensitivity: what changing the picked settings along one axis does to what is kept and to cost."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st

from historylab.costs.amounts import count_of, percent, times
from historylab.settings.effect import has_effect
from historylab.settings.model import Settings
from historylab.tuning.evidence import Comparison
from historylab.tuning.search_space import AXES, Axis
from historylab.tuning.trials import Trial
from historylab.tuning.tune import Advice
from historylab.ui.session import cached
from historylab.ui.shared.work_progress import work_progress
from historylab.ui.tune.settings_search import SettingsSearch, try_settings_further
from historylab.wording.cuts import changes_in_words
from historylab.wording.phrases import capitalize_first
from historylab.wording.untrusted import escape


def sensitivity_view(search: SettingsSearch, advice: Advice, picked: Trial) -> None:
    """The table of what has been tried around the picked settings, and a button that tries the rest."""
    with st.expander("What each single change does from here", key="effects-fold", type="compact"):
        around = advice.neighbours(picked)
        if around:
            _effects(search, advice, picked, around)
        else:
            st.html('<div class="hl-meta">Nothing that is varied has an effect here.</div>')


def _effects(search: SettingsSearch, advice: Advice, picked: Trial, around: Mapping[str, Sequence[Settings]]) -> None:
    rest = [settings for answers in around.values() for settings in answers if advice.trial_of(settings) is None]
    if rest:
        work = cached.background_work("around", search.key_of_base, picked.settings.key, *(each.key for each in rest))
        work_progress(
            work,
            "effects",
            "Changing one thing at a time",
            f"Try {count_of(len(rest), 'settings')} more around these",
            lambda show: try_settings_further(advice, rest, work, show),
            at_once=search.is_quick(len(rest)),
        )
    st.html(_table(around, advice, picked))


def _table(around: Mapping[str, Sequence[Settings]], advice: Advice, picked: Trial) -> str:
    origin = advice.beside_base(picked)
    groups = []
    for name, answers in around.items():
        known = [(settings, trial) for settings in answers if (trial := advice.trial_of(settings))]
        tried = [(settings, advice.beside_base(trial)) for settings, trial in known]
        reach = max((abs(beside.cost_ratio - origin.cost_ratio) for _, beside in tried), default=0)
        groups.append((reach, name, tried))
    rows = "".join(
        f'<tr class="hl-group"><th colspan="3">{escape(AXES[name].question)}</th></tr>'
        + "".join(_row(_changes(settings, picked.settings, AXES[name]), beside, origin) for settings, beside in tried)
        for _, name, tried in sorted(groups, key=lambda group: -group[0])
        if tried
    )
    if not rows:
        return ""
    cost = "Cost" if advice.priced else "Tokens"
    return (
        f'<div class="hl-table hl-effects"><table><thead><tr><th>Instead</th>'
        f'<th class="hl-number">Kept</th><th class="hl-number">{cost}, times not trimming</th></tr></thead>'
        f"<tbody>{rows}</tbody></table></div>"
    )


def _changes(settings: Settings, base: Settings, axis: Axis) -> dict[str, Any]:
    """Values that differ from `base`, and fields of the axis that only now have an effect (a policy's length)."""
    return {
        name: value
        for name, value in settings.values().items()
        if has_effect(settings, name)
        and (value != base.value(name) or (name in axis.settings and "." not in name and not has_effect(base, name)))
    }


def _row(changed: Mapping[str, Any], beside: Comparison, origin: Comparison) -> str:
    kept, cost = beside.kept - origin.kept, beside.cost_ratio - origin.cost_ratio
    share = percent(beside.kept) if beside.needs else percent(None)
    return (
        f"<tr><td>{escape(capitalize_first(changes_in_words(changed)))}</td>"
        f'<td class="hl-number">{share} {_change(100 * kept, " points", better=kept > 0, digits=1)}</td>'
        f'<td class="hl-number">{times(beside.cost_ratio)} {_change(cost, "", better=cost < 0, digits=2)}</td>'
        "</tr>"
    )


def _change(by: float, unit: str, *, better: bool, digits: int) -> str:
    if abs(by) < 0.5 * 10**-digits:
        return '<span class="hl-change hl-faint">same</span>'
    word = "better" if better else "worse"
    return (
        f'<span class="hl-change hl-{word}" title="{word}">{"▲" if by > 0 else "▼"} {abs(by):.{digits}f}{unit}</span>'
    )
