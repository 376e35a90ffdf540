"""Keeping by a rule, with one click: what a standing instruction or a marked message says becomes what must stay."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import streamlit as st

from historylab.planning.pins import changes_to_pin
from historylab.planning.reasons import Action
from historylab.planning.replay import Timeline
from historylab.recall.must_remember import MustRemember
from historylab.recall.rules import pin_of_mark
from historylab.recordings.as_sent import is_foreign
from historylab.settings.resolve import Resolution
from historylab.ui.session import trial
from historylab.wording.answer import why_not_tried
from historylab.wording.rules import RulesStatus
from historylab.wording.settings import title_of
from historylab.wording.untrusted import code_span, escape, one_line

LONGEST = 60  # characters of a rule on a button's help


def rules_left(timeline: Timeline, status: RulesStatus, resolution: Resolution) -> None:
    """The standing instructions that a request no longer holds, and a click that keeps them."""
    if not status.lost:
        return
    st.html(f'<div class="hl-forgot hl-stale hl-over">{escape(status.sentence)}</div>')
    wanted = [(lost.rule.pattern, timeline.original[lost.rule.message].role) for lost in status.lost]
    label = "Keep it" if len(wanted) == 1 else f"Keep all {len(wanted):,}"
    _keep_button(label, "keep-rules", changes_to_pin(timeline.settings, wanted), timeline, resolution)


def keep_marked(timeline: Timeline, number: int, star: MustRemember, resolution: Resolution) -> None:
    """A mark watches a message in this conversation; a rule by its text keeps it in any, where the app runs, too."""
    if star.message is not None and timeline.plans[number].action_of(star.message) == Action.PINNED:
        return
    changes = changes_to_pin(timeline.settings, [pin_of_mark(timeline.original, star.mark)])
    _keep_button("Keep it in production too", "keep-marked", changes, timeline, resolution)


def _keep_button(label: str, key: str, changes: Mapping[str, Any], timeline: Timeline, resolution: Resolution) -> None:
    if not changes or is_foreign(timeline):
        return
    if held := why_not_tried(changes, resolution):
        st.html(f'<div class="hl-meta">🔒 {escape(held)}</div>')
        return
    added = one_line(changes["pin"].removeprefix(timeline.settings.pin).strip("|"), LONGEST)
    st.button(
        label,
        key=key,
        type="tertiary",
        icon=":material/push_pin:",
        help=f"Adds {code_span(added)} to {title_of('pin')}, which exports carry: you can undo it",
        on_click=trial.try_settings,
        args=(changes, timeline.settings),
    )
