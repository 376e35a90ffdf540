"""The bill under each cache model, these settings beside not trimming; and the overhead that the file's usage shows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import streamlit as st

from historylab.costs.amounts import count_of, money, percent, times
from historylab.costs.bill import CostComparison
from historylab.costs.recorded_cache import billed_model, cache_in_use
from historylab.costs.recount import counter_of_money
from historylab.costs.session_cost import session_cost
from historylab.costs.traffic import baseline_of
from historylab.counters.badge import count_badge
from historylab.counters.calibration import good_calibration
from historylab.planning.replay import Timeline
from historylab.recordings.as_sent import is_foreign
from historylab.settings.resolve import Resolution
from historylab.ui.session import cached, choices, prices, viewing
from historylab.wording.as_sent import untrimmed_sentence
from historylab.wording.costs import (
    BASELINE,
    as_reported_sentence,
    cache_description,
    cache_titles,
    fetching_sentence,
    lost_in_cache_sentence,
    pays_sentence,
    session_cost_sentence,
)
from historylab.wording.phrases import uncapitalize
from historylab.wording.recorded import measured_sentence
from historylab.wording.settings import locked_by
from historylab.wording.settings_sentence import settings_sentence
from historylab.wording.terms import with_terms
from historylab.wording.trimmers import foreign_line
from historylab.wording.untrusted import escape

HEADINGS = ("Not trimming", "Ratio", "Read from the cache", "Not trimming, read")


def bill_of(timeline: Timeline) -> tuple[Mapping[str, CostComparison], str]:
    """The comparison per cache model, and the name of the model's own; nothing where prices are unknown."""
    listed = prices.prices_in_effect(billed_model(timeline))
    return (cached.comparisons(timeline, listed), cache_in_use(timeline, listed).name) if listed else ({}, "")


def bill_table(timeline: Timeline) -> None:
    """A row per cache model; nothing where prices are unknown."""
    bills, own = bill_of(timeline)
    if not bills or not timeline.judged.any():
        return
    headings = (_whose_bill(timeline), *HEADINGS)
    head = "".join(f'<th class="hl-number">{heading}</th>' for heading in headings)
    rows = "".join(_row(name, bill, headings, own=name == own) for name, bill in bills.items())
    st.html(
        f'<div class="hl-table hl-bills hl-cards"><table><thead><tr><th>Prompt cache</th>{head}</tr></thead>'
        f"<tbody>{rows}</tbody></table></div>"
    )
    model, overhead = timeline.settings.model, timeline.settings.overhead
    counted = count_badge(counter_of_money(timeline), model, [timeline.original], overhead)
    off = as_reported_sentence(timeline, bills[own].bill.prices)
    session = session_cost(timeline.original, viewing.current_file().conversations, prices.prices_in_effect)
    reported = (off, session_cost_sentence(session), lost_in_cache_sentence(timeline))
    said = (*_whose(timeline, bills[own]), untrimmed_sentence(timeline, bills[own]), *reported)
    lines = "".join(
        f"<div>{with_terms(line, 'cache', 'not trimming', 'budget', 'request')}</div>" for line in said if line
    )
    st.html(
        f'<div class="hl-small hl-tips">{lines}</div>'
        f'<div class="hl-meta">Dollars for {count_of(len(timeline.plans), "request")}, answers included: an estimate. '
        f"Not trimming sends {BASELINE} in {count_of(len(baseline_of(timeline).sent), 'request')}. Tokens "
        f"by {escape(counted)}, with a fixed overhead of {overhead:,}; a cache loses what follows the first "
        "changed message, and everything after too long a pause, if the transcript has times.</div>"
    )
    _draw_fetching_cost(timeline, bills[own])


def _whose_bill(timeline: Timeline) -> str:
    return "The trimmer" if timeline.run else "As sent" if is_foreign(timeline) else "These settings"


def _whose(timeline: Timeline, compared: CostComparison) -> tuple[str, ...]:
    """Words for whoever cut, and on whether that pays."""
    if is_foreign(timeline):
        return (foreign_line(timeline), pays_sentence(compared))
    cut = f"These settings: {uncapitalize(settings_sentence(timeline.settings))}"
    return cut, pays_sentence(compared), _history(compared)


def _draw_fetching_cost(timeline: Timeline, compared: CostComparison) -> None:
    """What it would cost to fetch again what was lost: apart from what is charged."""
    if said := fetching_sentence(cached.retention_of(timeline, viewing.must_remember()), compared.bill):
        st.html(f'<div class="hl-small hl-tips">{with_terms(said, "tokens", "fact")}</div>')


def _row(name: str, compared: CostComparison, headings: Sequence[str], *, own: bool) -> str:
    mark = "hl-won" if own else ""
    cells = (
        money(compared.bill.total),
        money(compared.baseline.total),
        times(compared.ratio),
        percent(compared.bill.read_share),
        percent(compared.baseline.read_share),
    )
    labelled = zip(headings, cells, strict=True)
    numbers = "".join(f'<td class="hl-number" data-label="{label}">{cell}</td>' for label, cell in labelled)
    whose = " This model's." if own else ""
    title, does = escape(cache_titles()[name]), escape(cache_description(name))
    what = f'<span class="{mark}">{title}</span><div class="hl-meta">{does}.{whose}</div>'
    return f"<tr><td>{what}</td>{numbers}</tr>"


def _history(compared: CostComparison) -> str:
    share = compared.history_to_budget
    if share == float("inf"):
        return "The budget leaves the history no room."
    return f"Uncut, the history would be {share:.1f}× the budget on average."


def overhead_offer(timeline: Timeline, resolution: Resolution) -> None:
    """The measurement and a button to use it; nothing of what was sent, or if the usage says too little."""
    if is_foreign(timeline):
        return
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
        st.button(use, key="use-overhead", on_click=choices.choose_settings, args=(found.settings,))
        if not resolution.provenance["budget"].locked:
            st.button(
                f"… and raise the budget to {raised:,}",
                key="use-overhead-and-raise",
                help="The overhead counts against the budget. Raised by as much, the history keeps the room it has.",
                on_click=choices.choose_settings,
                args=({**found.settings, "budget": raised},),
            )
