"""The figures side by side: each configuration's, and the difference from A."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import streamlit as st

from historylab.planning.replay import Timeline
from historylab.tuning.compare import Figures
from historylab.ui.compare import configurations
from historylab.ui.compare.configurations import Configuration
from historylab.wording.context import counted_by
from historylab.wording.terms import with_terms
from historylab.wording.untrusted import escape


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the table. `delta` words the difference of two values in the row's unit.

    `better` is 1 where more of it is better, -1 where less is, 0 where it depends.
    """

    title: str
    about: str
    read: Callable[[Figures], Any]
    show: Callable[[Any], str]
    delta: Callable[[Any, Any], str]
    better: int = -1


def _count(value: int) -> str:
    return f"{value:,}"


def _delta(mine: int, base: int) -> str:
    """ "▲ +1,200 (+12%)" """
    if mine == base:
        return "same"
    percent = f" ({mine / base - 1:+.0%})" if base > 20 else ""
    return f"{'▲' if mine > base else '▼'} {mine - base:+,}{percent}".replace("-", "−")


def _share_delta(mine: float, base: float) -> str:
    by = round(100 * (mine - base))
    return f"{'▲' if by > 0 else '▼'} {by:+} points".replace("-", "−") if by else "same"


def _dollars(value: Decimal) -> str:
    return f"${value:,.2f}" if value >= 1 else f"${value:.3f}" if value >= Decimal("0.01") else f"${value:.5f}"


def _dollars_delta(mine: Decimal, base: Decimal) -> str:
    if not base or abs(mine / base - 1) < Decimal("0.005"):
        return "same"
    return f"{'▲' if mine > base else '▼'} {float(mine / base) - 1:+.0%}".replace("-", "−")


def _request(step: int) -> str:
    return f"request {step + 1:,}"


def _request_delta(mine: int, base: int) -> str:
    by = mine - base
    return f"{'▲' if by > 0 else '▼'} {abs(by):,} {'later' if by > 0 else 'earlier'}" if by else "same"


ROWS = (
    Row("Tokens sent in all", "over all requests", lambda f: f.tokens_total, _count, _delta, 0),
    Row("Largest request", "tokens", lambda f: f.tokens_peak, _count, _delta, 0),
    Row("Requests over the budget", "", lambda f: f.over_budget, _count, _delta),
    Row("Messages lost by the end", "not sent with the last request", lambda f: f.lost, _count, _delta),
    Row("Messages in a summary by the end", "", lambda f: f.summarised, _count, _delta, 0),
    Row("First loss", "the first request that lacks a message", lambda f: f.first_loss, _request, _request_delta, 1),
    Row("Must-remember messages lost", "of those you marked", lambda f: f.stars_lost, _count, _delta),
    Row("First must-remember loss", "that lacks one", lambda f: f.star_lost_at, _request, _request_delta, 1),
    Row("Facts lost", "later answers and tool calls used them", lambda f: f.facts_lost, _count, _delta),
    Row("Summaries made", "", lambda f: f.summaries, _count, _delta, 0),
    Row("Requests that only add", "the cache keeps", lambda f: f.prefix_stable, "{:.0%}".format, _share_delta, 1),
    Row("Cost with prompt cache", "answers included", lambda f: f.cost, _dollars, _dollars_delta),
)
NOTHING = {"First loss": "never", "First must-remember loss": "never", "Cost with prompt cache": "not known"}
LOSSES = {"First loss", "First must-remember loss"}
EVEN_NONE = {*NOTHING, "Must-remember messages lost"}
"""Rows that are shown even if every value is 0."""


def difference_table(compared: Sequence[Configuration], timelines: Sequence[Timeline]) -> None:
    """A row per figure that isn't empty for all of them, a column per configuration, how they differ beside each."""
    all_figures = configurations.compared_figures(timelines)
    head = "".join(
        f'<th class="hl-number"><b class="hl-letter hl-letter-{c.letter}">{c.letter}</b></th>'
        f"{'<th>beside A</th>' if c is not compared[0] else ''}"
        for c in compared
    )
    body = "".join(_row(row, all_figures) for row in ROWS if _is_shown(row, all_figures))
    st.html(
        f'<div class="hl-table hl-compare"><table><thead><tr><th>Over the whole conversation</th>{head}</tr></thead>'
        f'<tbody>{body}</tbody></table></div><div class="hl-meta">{escape(_counting_note(compared, timelines))}</div>'
    )


def _is_shown(row: Row, all_figures: Sequence[Figures]) -> bool:
    values = [row.read(figures) for figures in all_figures]
    return any(values) if row.title not in EVEN_NONE else any(value is not None for value in values)


def _row(row: Row, all_figures: Sequence[Figures]) -> str:
    base, *_ = values = [row.read(figures) for figures in all_figures]
    cells = "".join(_cell(row, value, base, first=not k) for k, value in enumerate(values))
    about = f' <span class="hl-meta">{escape(row.about)}</span>' if row.about else ""
    title = with_terms(row.title, "tokens", "request", "budget", "fact", "cache")
    return f'<tr><th class="hl-tips">{title}{about}</th>{cells}</tr>'


def _cell(row: Row, value: Any, base: Any, *, first: bool) -> str:
    """A value, and beside it the difference from A, with a word for whether that is better."""
    shown = NOTHING.get(row.title, "–") if value is None else row.show(value)
    number = f'<td class="hl-number">{escape(shown)}</td>'
    if first:
        return number
    delta = "" if value is None or base is None else row.delta(value, base)
    verdict = _verdict(row, value, base) if delta != "same" else ""
    word = f' <span class="hl-{verdict}">{verdict}</span>' if verdict else ""
    same = " hl-alike" if delta == "same" else ""
    return f'{number}<td class="hl-delta{same}">{escape(delta)}{word}</td>'


def _verdict(row: Row, value: Any, base: Any) -> str:
    """ "better", "worse", or nothing where it depends. A loss that never comes is later than any."""
    if not row.better or value == base:
        return ""
    if value is None or base is None:
        return ("better" if value is None else "worse") if row.title in LOSSES else ""
    return "better" if (value - base) * row.better > 0 else "worse"


def _counting_note(compared: Sequence[Configuration], timelines: Sequence[Timeline]) -> str:
    """A note on how tokens were counted; one for all if they agree."""
    counters = [counted_by(timeline) for timeline in timelines]
    if len(set(counters)) == 1:
        return f"Tokens by {counters[0]}."
    return (
        "Counted differently: "
        + "; ".join(f"{c.letter} by {how}" for c, how in zip(compared, counters, strict=True))
        + "."
    )
