"""Many conversations under one set of settings: the finding, the distribution, and the monthly cost."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import streamlit as st

from historylab.costs.amounts import count_of, money, percent, times
from historylab.costs.workload import Workload, percentiles
from historylab.figures.workload_chart import workload_chart
from historylab.pricing import Prices
from historylab.settings.model import Settings
from historylab.ui.session import session, tuning_choices
from historylab.wording.costs import PRICES_UNKNOWN, cache_label, cache_titles
from historylab.wording.cuts import capitalize_first, settings_in_words
from historylab.wording.findings import workload_finding
from historylab.wording.terms import with_terms
from historylab.wording.untrusted import escape, one_line

MOST_ROWS = 1_000
UNKNOWN = "not known"
MONTH = (
    "A month",
    "A month, not trimming",
    "Times not trimming",
    "Half of the conversations cost at most",
    "95 in 100 cost at most",
)


def workload_headline(workload: Workload, settings: Settings, about: str, own: str) -> None:
    """The finding in two sentences."""
    half, most = percentiles(workload.tokens)
    over = f"{percent(workload.over_share)} are over the budget" if workload.over_share else "none is over the budget"
    cost = _monthly_sentence(workload, own) if own else f"{PRICES_UNKNOWN}: see the prices below."
    st.html(
        f'<h1 class="hl-verdict">Half of the requests send at most {half:,.0f} tokens, 95 in 100 at most {most:,.0f}; '
        f'{over}.</h1><div class="hl-cost">{escape(cost)}</div><div class="hl-meta">'
        f"{escape(about)}, {count_of(len(workload.tokens), 'request')}, under {escape(settings_in_words(settings))}. "
        f"Tokens by {escape(workload.counted)}.</div>"
    )


def workload_view(workload: Workload, budget: int, prices: Prices | None) -> None:
    """The chart, the monthly cost, and a row per conversation."""
    st.plotly_chart(
        workload_chart(workload, budget),
        key="workload",
        config={"displayModeBar": False},
        alt=workload_finding(workload),
    )
    st.number_input(
        "Conversations like these per month",
        1,
        1_000_000_000,
        session.tab().tuning.volume,
        step=1_000,
        key=session.seed_widget("volume", session.tab().tuning.volume),
        on_change=session.hand_value,
        args=("volume", tuning_choices.set_monthly_volume),
        width=260,
    )
    if prices:
        st.html(_month_table(workload))
    _conversations(workload, bool(prices))


def _monthly_sentence(workload: Workload, own: str) -> str:
    mine, untrimmed, ratio = _monthly(workload, own)
    volume = session.tab().tuning.volume
    return (
        f"{count_of(volume, 'conversation')} like these cost{'s' * (volume == 1)} {mine} a month, {ratio} not trimming "
        f"({untrimmed}; {cache_label(own)})."
    )


def _month_table(workload: Workload) -> str:
    """A column per cache model, so that it fits a narrow screen."""
    titles = cache_titles()
    head = "".join(f'<th class="hl-number">{escape(title)}</th>' for title in titles.values())
    columns = [tuple(_month(workload, name)) for name in titles]
    rows = "".join(
        f"<tr><td>{with_terms(words, 'not trimming')}</td>{''.join(map(_number, cells))}</tr>"
        for words, *cells in zip(MONTH, *columns, strict=True)
    )
    return (
        f'<div class="hl-table hl-month"><table><thead><tr><th></th>{head}</tr></thead><tbody>{rows}</tbody>'
        '</table></div><div class="hl-meta">Dollars are an estimate: input and answers at the prices below, '
        "caches idealised.</div>"
    )


def _month(workload: Workload, cache: str) -> Iterator[str]:
    """The cells of `MONTH` for that cache model."""
    yield from _monthly(workload, cache)
    yield from map(money, percentiles(workload.per_conversation(cache)))


def _monthly(workload: Workload, cache: str) -> tuple[str, str, str]:
    """A month's dollars, those of not trimming, and their ratio, in words."""
    volume = session.tab().tuning.volume
    mine, untrimmed = (workload.monthly(cache, volume, trimmed=trimmed) for trimmed in (True, False))
    if mine is None or untrimmed is None:
        return UNKNOWN, UNKNOWN, UNKNOWN
    return money(mine), money(untrimmed), times(float(mine / untrimmed)) if untrimmed else UNKNOWN


def _conversations(workload: Workload, priced: bool) -> None:
    loads = workload.loads[:MOST_ROWS]
    columns: dict[str, list[Any]] = {
        "conversation": [one_line(load.title, 80) for load in loads],
        "requests": [len(load.tokens) for load in loads],
        "tokens, half at most": [round(percentiles(load.tokens)[0]) for load in loads],
        "largest": [int(load.tokens.max(initial=0)) for load in loads],
        "largest untrimmed": [int(load.untrimmed.max(initial=0)) for load in loads],
        "over budget": [load.over_budget for load in loads],
    }
    if priced:
        for name, title in cache_titles().items():
            columns[f"$, {title.lower()}"] = [float(load.costs[name]) for load in loads]
    money_column = st.column_config.NumberColumn(format="$%.4f")
    count_column = st.column_config.NumberColumn(format="localized")
    config: dict[str, Any] = {name: money_column if name.startswith("$") else count_column for name in columns}
    config["conversation"] = st.column_config.TextColumn(pinned=True, width=160)
    st.dataframe(columns, hide_index=True, column_config=config, alt=count_of(len(loads), "conversation"), key="loads")
    if len(workload.loads) > MOST_ROWS:
        st.html(f'<span class="hl-meta">The first {MOST_ROWS:,} of {len(workload.loads):,} conversations.</span>')


def _number(cell: str) -> str:
    return f'<td class="hl-number">{escape(capitalize_first(cell))}</td>'
