"""What would keep the chosen message, tried with one click: before and after, and the way back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

import streamlit as st

from historylab.costs.amounts import count_of
from historylab.costs.recorded_cache import billed_model
from historylab.planning.explain import Answer
from historylab.planning.pipeline import open_pipeline
from historylab.planning.reasons import INVALID
from historylab.planning.replay import Timeline
from historylab.recordings.as_sent import is_foreign
from historylab.settings.names import NOT_IN_LINKS
from historylab.settings.resolve import Resolution
from historylab.tuning.saving import changes_between, saving_of
from historylab.ui.editing.message_edits import no_pin, pin_button
from historylab.ui.request.bill_table import bill_of
from historylab.ui.session import cached, drawers, prices, session, trial, viewing
from historylab.ui.session.background_work import ClickWaits, give_way
from historylab.ui.session.tab import TriedChanges
from historylab.wording.answer import (
    MeasuredTimeline,
    Shift,
    before_and_after,
    change_in_losses,
    costs_facts,
    try_words,
    what_would_keep,
    why_not_tried,
)
from historylab.wording.costs import cost_in_words
from historylab.wording.losses import lost_facts
from historylab.wording.over_budget import mend_in_words
from historylab.wording.untrusted import escape

FIND = "find-answer"
AT_ONCE = 150  # requests, each carried on from the one before, that are planned again without being asked to
SEARCHING = "Planning again"
MARKS = {"better": "✓ better", "worse": "! worse"}


def try_it(timeline: Timeline, number: int, resolution: Resolution) -> None:
    """The trial that lasts; and what would keep the chosen message, if request `number` (from 0) doesn't send it."""
    chosen = session.tab().message
    if tried := trial.current_trial(timeline.settings):
        _before_and_after(timeline, number, chosen, tried)
    if chosen is None or chosen >= timeline.plans[number].size or timeline.plans[number].reason(chosen).sent:
        return
    offer_what_keeps(timeline, number, chosen, resolution)


def offer_what_keeps(
    timeline: Timeline,
    number: int,
    message: int,
    resolution: Resolution,
    *,
    only_better: bool = False,
) -> bool:
    """Offer settings under which request `number` would send the message; to find them, where that takes long.

    With `only_better`, what loses as much in all or can't be tried is not offered, nor a pin instead. Returns whether
    anything was.
    """
    if takes_long(timeline, number, message) and not drawers.take_open_request(FIND):
        _offer_to_find(number)
        return True
    answer = _find_answer(timeline, number, message)
    if answer is None:
        _offer_to_find(number)
        return True
    changes = _changes(timeline, answer, resolution)
    now, then = _losses_under(timeline, answer.undo or {}, at_any_cost=only_better)
    if only_better and (then >= now or why_not_tried(changes, resolution)):
        return False
    if changes:
        label, rest = try_words(answer.undo or {})
        cost = _cost_under(timeline, answer.undo or {}) if timeline.run else ""
        words = label, ". ".join(filter(None, (rest, ", ".join(filter(None, (change_in_losses(now, then), cost))))))
        try_button(words, what_would_keep(answer), changes, timeline, resolution, better=then <= now)
    else:
        st.html(f'<div class="hl-small">{escape(what_would_keep(answer))}</div>')
        _pin_instead(timeline, number, message, answer)
    return True


def try_button(
    words: tuple[str, str],
    told: str,
    changes: Mapping[str, Any],
    timeline: Timeline,
    resolution: Resolution,
    *,
    better: bool = True,
) -> None:
    """The button that tries these changes, with the rest of `words` under it and `told` on hover; else why it can't.

    What isn't `better` is offered without advising it.
    """
    if held := why_not_tried(changes, resolution):
        st.html(f'<div class="hl-small">{escape(told)}</div><div class="hl-meta">🔒 {escape(held)}</div>')
        return
    label, rest = words
    st.button(
        label,
        key="try-it",
        type=_kind(better),
        help=f"{told} You can undo it.",
        width="stretch",
        on_click=trial.try_settings,
        args=(changes, timeline.settings),
    )
    if rest:
        st.html(f'<div class="hl-meta">{escape(rest)}.</div>')


def _changes(timeline: Timeline, answer: Answer, resolution: Resolution) -> Mapping[str, Any]:
    """The settings to change: of what was sent, all those by which the ones chosen differ from those that keep it."""
    if not answer.undo or not is_foreign(timeline):
        return answer.undo or {}
    others = changes_between(resolution.settings, timeline.settings.replace(**answer.undo))
    return {**answer.undo, **{name: value for name, value in others.items() if name not in NOT_IN_LINKS}}


def _losses_under(timeline: Timeline, undo: Mapping[str, Any], *, at_any_cost: bool) -> tuple[int, int]:
    """The losses of all requests, now and with these changes; none where to plan them all takes long."""
    if not undo or (not at_any_cost and len(timeline.plans) > AT_ONCE and open_pipeline(timeline.settings).carries):
        return 0, 0
    marks = viewing.must_remember()
    found = cached.retention_of(timeline, marks)
    then = cached.settings_effect(timeline.original, timeline.settings.replace(**undo), marks)
    return lost_facts(found).lost + found.stars.lost, then.lost + then.forgotten


def _cost_under(timeline: Timeline, undo: Mapping[str, Any]) -> str:
    """The cost of these changes beside a trimmer, in words; "" where they don't fit."""
    listed = prices.prices_in_effect(billed_model(timeline))
    tried = saving_of(cached.retention_of(timeline, viewing.must_remember()), undo, listed)
    return cost_in_words(tried.cost, priced=tried.priced) if tried else ""


def takes_long(timeline: Timeline, number: int, chosen: int) -> bool:
    """Whether what would keep a message isn't known, and is found only by planning many requests many times."""
    known = cached.knows_answer(timeline, number, chosen)
    return not known and number >= AT_ONCE and open_pipeline(timeline.settings).carries


def _find_answer(timeline: Timeline, number: int, chosen: int) -> Answer | None:
    """The answer; while it takes long, how far the search is. None if a click ended it."""
    if not takes_long(timeline, number, chosen):
        return cached.answer(timeline, number, chosen)
    place = st.empty()
    with place.container(horizontal=True, vertical_alignment="center", key="finding"):
        bar = st.progress(0.0, SEARCHING)
        st.button("Stop", key="stop-finding")

    def show(tried: int, planned: int) -> None:
        trials = f"{count_of(tried, 'setting')} tried; under the next, " if tried else ""
        bar.progress(planned / (number + 1), f"{trials}{planned:,} of {number + 1:,} requests planned")
        give_way()

    try:
        return cached.answer(timeline, number, chosen, show)
    except ClickWaits:
        return None
    finally:
        place.empty()


def _offer_to_find(number: int) -> None:
    again = f"The {number + 1:,} requests up to this one are planned again, tens of times; a click ends it"
    label = "Find settings that keep it"
    st.button(label, key=FIND, type="primary", help=again, width="stretch", on_click=drawers.ask_for, args=(FIND,))


def _pin_instead(timeline: Timeline, number: int, chosen: int, answer: Answer) -> None:
    """Offer a pin where no setting would send it; nothing in what was sent."""
    if not is_foreign(timeline) and answer.explanation.rule != INVALID.rule and not no_pin(timeline, number, chosen):
        st.html('<div class="hl-meta">Pin it, and it is always sent.</div>')
        pin_button(timeline, number, chosen, key="pin-instead")


def _before_and_after(timeline: Timeline, number: int, chosen: int | None, tried: TriedChanges) -> None:
    before = trial.before_trial(timeline, tried)
    shifts = before_and_after(_measure(before), _measure(timeline), number, chosen)
    rows, trying = "".join(map(_row, shifts)), escape(mend_in_words(tried.changes))
    worse = costs_facts(shifts)
    with st.container(key="trial", gap="small"):
        st.html(
            f'<div class="hl-label">Trying {trying}</div><div class="hl-table hl-trial"><table>'
            "<thead><tr><td></td><th>Before</th><th>Now</th></tr></thead>"
            f"<tbody>{rows}</tbody></table></div>"
        )
        with st.container(horizontal=True, gap="small"):
            st.button(
                "Undo",
                key="undo-trial",
                type=_kind(worse),
                help="Back to what was chosen before",
                on_click=trial.undo_trial,
            )
            st.button("Keep", key="keep-trial", type=_kind(not worse), on_click=trial.keep_trial)


def _kind(advised: bool) -> Literal["primary", "secondary"]:
    return "primary" if advised else "secondary"


def _measure(timeline: Timeline) -> MeasuredTimeline:
    bills, own = bill_of(timeline)
    return MeasuredTimeline(timeline, cached.retention_of(timeline, viewing.must_remember()), bills.get(own))


def _row(shift: Shift) -> str:
    how = f" hl-{shift.change}" if shift.change in MARKS else ""
    said = (
        f' <span class="hl-change{how}">{escape(MARKS.get(shift.change, shift.change))}</span>' if shift.change else ""
    )
    return (
        f"<tr><th scope=row>{escape(shift.what)}</th><td>{escape(shift.before)}</td>"
        f"<td>{escape(shift.after)}{said}</td></tr>"
    )
