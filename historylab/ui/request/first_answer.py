"""The answer while no message is chosen: to the headline. It ends in one action, whatever was lost."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import streamlit as st

from historylab.costs.recorded_cache import billed_model
from historylab.planning.replay import Timeline
from historylab.recall.retention import Loss, Retention
from historylab.recordings.as_sent import is_foreign
from historylab.settings.resolve import Resolution
from historylab.tuning.saving import Saving, changes_between, find_saving
from historylab.ui.request.message_selection import choose_message
from historylab.ui.request.try_it import AT_ONCE, offer_what_keeps, try_button
from historylab.ui.session import cached, drawers, prices, trial, viewing
from historylab.ui.session.background_work import ClickWaits, give_way
from historylab.ui.shared.page import link_to_page
from historylab.wording.answer import loss_in_words, saving_in_words, saving_words, why_not_tried
from historylab.wording.headline import use_of
from historylab.wording.losses import RECALL_UNKNOWN
from historylab.wording.untrusted import escape

FIND_SAVING = "find-saving"
NONE_BETTER = "None of the settings tried is cheaper without losing something."


def headline_loss(timeline: Timeline) -> Loss | None:
    """The loss that the headline names."""
    return cached.worst_loss(timeline, viewing.must_remember())


def first_answer(timeline: Timeline, resolution: Resolution, *, mended: bool) -> None:
    """The headline's loss, why, and the settings that would have kept it; else, unless `mended`, what would cost less.

    `mended`: buttons beside it mend a request over its budget, which comes before what would be cheaper.
    """
    if trial.current_trial(timeline.settings):
        return  # its before and after are the answer
    found, loss = cached.retention_of(timeline, viewing.must_remember()), headline_loss(timeline)
    if timeline.original.recorded.textless:
        st.html(f'<div class="hl-small">{escape(RECALL_UNKNOWN)}</div>')
        link_to_page("tune", "Thresholds by cost")
        return
    if not timeline.judged.any():
        return
    if loss is None:
        if not mended:
            _offer_saving(timeline, found, resolution)
        return
    what, needed = loss_in_words(found, loss)
    place = (timeline, _needed_at(found, loss), loss.message)
    with st.container(key="first-loss-said", gap=None):
        st.button(what, key="first-loss", type="tertiary", help="Show it", on_click=choose_message, args=place)
        st.html(f'<div class="hl-why-lost">{escape(needed)}</div>')
    in_its_place = timeline.run is not None  # the best of all settings, not those that would keep this message
    if in_its_place or (not _remedy(timeline, found, loss, resolution) and not mended):
        _offer_saving(timeline, found, resolution)


def _remedy(timeline: Timeline, found: Retention, loss: Loss, resolution: Resolution) -> bool:
    """Offer settings that keep what was lost to the end and lose less in all; tell whether there are any."""
    last = len(timeline.plans) - 1
    at = last if not timeline.plans[last].reason(loss.message).sent else _needed_at(found, loss)
    sent = timeline.plans[at].reason(loss.message).sent
    return not sent and offer_what_keeps(timeline, at, loss.message, resolution, only_better=True)


def _needed_at(found: Retention, loss: Loss) -> int:
    """The request (from 0) that lacked it; of what must be remembered and nothing needed, the first without it."""
    use = use_of(found, loss)
    return use.step if use else loss.step


def _offer_saving(timeline: Timeline, found: Retention, resolution: Resolution) -> None:
    """Offer what would cost less and lose nothing more, with a click to try it; else the way to the search."""
    listed = prices.prices_in_effect(billed_model(timeline))
    key = ("saving", repr(listed), viewing.must_remember())
    many = len(timeline.plans) > AT_ONCE and key not in timeline.derived.get(key[:1], {})
    try:
        if many and not drawers.take_open_request(FIND_SAVING):
            raise ClickWaits
        saving = timeline.remember(key, lambda: find_saving(found, listed, give_way))
        held = why_not_tried(_changes(timeline, saving, resolution), resolution) if saving else ""
        if locked := held and tuple(name for name, origin in resolution.provenance.items() if origin.locked):
            other = timeline.remember((*key, locked), lambda: find_saving(found, listed, give_way, locked))
            saving, held = (other, "") if other else (saving, held)
    except ClickWaits:
        st.button(
            "Find cheaper settings", key=FIND_SAVING, type="primary", on_click=drawers.ask_for, args=(FIND_SAVING,)
        )
        return
    if saving is None or held:
        st.html(f'<div class="hl-small">{escape(held or NONE_BETTER)}</div>')
        link_to_page("tune", "Search for better ones")
        return
    st.html(f'<div class="hl-small">{saving_in_words(saving)}</div>')
    changes = _changes(timeline, saving, resolution)
    try_button(saving_words(saving), saving_in_words(saving), changes, timeline, resolution)


def _changes(timeline: Timeline, saving: Saving, resolution: Resolution) -> Mapping[str, Any]:
    """The settings to change: of what was sent, all those by which the ones chosen differ."""
    return changes_between(resolution.settings, saving.settings) if is_foreign(timeline) else saving.changes
