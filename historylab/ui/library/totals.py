"""The totals of the conversations listed: a strip under the headline, and the sizes and prices behind them."""

from __future__ import annotations

from collections import Counter

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from historylab.costs.amounts import count_of
from historylab.figures.size_histogram import size_histogram
from historylab.settings.resolve import Resolution
from historylab.ui.library.measuring import Measured, Rows
from historylab.ui.session import session, tuning_choices
from historylab.ui.session.background_work import Work
from historylab.ui.settings.amount import read_amount
from historylab.ui.shared.notice import fold_lines, notice
from historylab.ui.shared.page import link_to_page
from historylab.ui.shared.price_list import price_list
from historylab.wording.costs import PRICES_UNKNOWN
from historylab.wording.findings import workload_finding
from historylab.wording.library import Total, measured_under, totals
from historylab.wording.loading import MOST_REASONS, REASON
from historylab.wording.untrusted import escape, one_line

VOLUME = "Conversations a month"
MOST_MODELS = 3  # whose prices are offered


def measures_now(rows: Rows) -> bool:
    """Tell whether what is missing is to be measured, at once or after a click."""
    work = rows.work
    return bool(rows.missing) and not work.stopped and (rows.is_quick or work.wanted)


def totals_strip(rows: Rows, resolution: Resolution) -> DeltaGenerator | None:
    """The figures of what is measured; returns the bar that shows how far measuring is, if it goes on."""
    bar = None
    with st.container(horizontal=True, vertical_alignment="center", key="totals"):
        st.html(_strip(rows))
        if measures_now(rows):
            bar = st.progress(*progress_of(len(rows.measured), len(rows.measured) + len(rows.missing)), width=220)
            st.button("Stop", key="stop-rows", on_click=_stop, args=(rows.work,))
        elif rows.missing:
            begin = "Go on" if rows.measured else f"Measure {count_of(len(rows.missing), 'conversation')}"
            st.button(begin, key="start-rows", on_click=_want, args=(rows.work,))
    _under(rows, resolution)
    if problem := _common_problem(rows):
        notice(f"These settings can't be replayed: {problem}", "error")
    return bar


def progress_of(done: int, of: int) -> tuple[float, str]:
    """The progress of measuring, as a bar takes it."""
    return done / max(1, of), f"Measuring: {done:,} of {of:,}"


def _strip(rows: Rows) -> str:
    counted = Counter(found.counted for found in rows.measured.values() if found.counted).most_common(1)
    if not counted or not len(rows.workload.tokens):
        return '<div class="hl-totals"></div>'
    as_sent = all(found.as_sent for found in rows.measured.values() if found.load)
    shown = totals(rows.workload, session.tab().tuning.volume, counted[0][0], as_sent=as_sent)
    unknown = "" if any(load.cost is not None for load in rows.workload.loads) else f"<span>{PRICES_UNKNOWN}</span>"
    return f'<div class="hl-totals">{"".join(map(_total, shown))}{unknown}</div>'


def _total(total: Total) -> str:
    said = f"{escape(total.before)} <b>{escape(total.amount)}</b>{escape(total.after)}"
    return f'<span title="{escape(total.exact)}">{said.strip()}</span>'


def _common_problem(rows: Rows) -> str:
    """The reason why nothing could be measured; empty where anything was."""
    problems = [found.problem for found in rows.measured.values()]
    return problems[0] if problems and all(problems) else ""


def _under(rows: Rows, resolution: Resolution) -> None:
    """A line on the settings that the figures rest on, and the way to change them."""
    loads = [found for found in rows.measured.values() if found.load]
    sent = sum(found.as_sent for found in loads)
    otherwise = sum(found.settings not in ("", resolution.settings.key) for found in loads)
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="measured-under"):
        said = measured_under(resolution.settings, len(loads) - sent - otherwise, sent, otherwise)
        st.html(f'<span class="hl-meta">{escape(said)}</span>', width="content")
        link_to_page("playground", "Change")


def totals_details(rows: Rows, *, unfold: bool) -> None:
    """Unfolded: the sizes of all requests, how many conversations a month, and the prices."""
    unfolded = st.expander(
        "Request sizes and prices", expanded=unfold, key="details", type="compact", on_change=session.touch
    )
    if not unfolded.open:
        return
    with unfolded:
        found = rows.workload
        if len(found.tokens):
            st.html(size_histogram(found, workload_finding(found)))
        written = f"{session.tab().tuning.volume:,}"
        st.text_input(
            VOLUME,
            written,
            key=session.seed_widget("volume", written),
            on_change=session.hand_value,
            args=("volume", _set_volume),
            width=200,
        )
        models = Counter(one.model for one in rows.measured.values() if one.model).most_common(MOST_MODELS)
        for model, _ in models:
            price_list(model)
        _not_measured(list(rows.measured.values()))


def _set_volume(text: str) -> None:
    if text and (volume := read_amount(VOLUME, text)):
        tuning_choices.set_monthly_volume(volume)


def _not_measured(found: list[Measured]) -> None:
    problems = [one_line(one.problem, REASON) for one in found if one.problem]
    if problems:
        more = [f"… and {len(problems) - MOST_REASONS:,} more"] if len(problems) > MOST_REASONS else []
        told = f"{count_of(len(problems), 'conversation')} could not be measured."
        st.html(fold_lines(told, problems[:MOST_REASONS] + more))


def _stop(work: Work) -> None:
    work.stop()
    session.touch()


def _want(work: Work) -> None:
    work.want()
    session.touch()
