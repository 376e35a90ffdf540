"""The advice: the verdict with what it rests on, the frontier to click on, and the picked settings beside the base."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import streamlit as st

from historylab.costs.amounts import count_of, money, percent, times
from historylab.figures.frontier import frontier_chart
from historylab.tuning.advice_words import kept_noun, kept_words
from historylab.tuning.evidence import Comparison
from historylab.tuning.trials import Trial
from historylab.tuning.tune import Advice
from historylab.ui.session import drawers, opening, session, tuning_choices, viewing
from historylab.ui.shared.page import go_to
from historylab.wording.cuts import capitalize_first
from historylab.wording.findings import frontier_finding
from historylab.wording.terms import with_terms
from historylab.wording.untrusted import escape

CHOICE = "candidate-choice"
MARKED = "Must-remember messages kept"
ASKED = "Answers to your questions kept"
COST = "Cost, an estimate"
EXPLAINED = ("facts in tool calls", "facts in answers", "evidence", "not trimming", "estimate", "request")
"""The terms that the card explains."""
NO_BUDGET, NOT_SLICED = "it had none", "it was not"
"""In place of figures that what was really sent has none of."""
Figure = Callable[[Trial, str], str]
FIGURES: tuple[tuple[str, Figure], ...] = (
    (COST, lambda t, cache: money(t.figures[f"cost_{cache}"])),
    ("Tokens a request, on average", lambda t, _: f"{t.figures['tokens_mean']:,.0f}"),
    ("Tokens of the largest", lambda t, _: f"{t.figures['tokens_peak']:,}"),
    ("Requests over the budget", lambda t, _: NO_BUDGET if t.as_sent else f"{t.figures['over_budget']:,}"),
    ("Requests that break the prompt cache", lambda t, _: f"{t.figures['prefix_breaks']:,}"),
    ("Summaries made", lambda t, _: f"{t.figures['summaries']:,}"),
    (MARKED, lambda t, _: percent(t.figures["stars_kept"])),
    (ASKED, lambda t, _: percent(t.figures["questions_kept"])),
    (
        "Refused by an API if sliced naively",
        lambda t, _: NOT_SLICED if t.as_sent else f"{t.figures['rejected_naive']:,}",
    ),
)
OFFLINE = "Summaries here come from the offline summarizer, verbatim and free; a model's would cost one call each."
BARS = "The bars span what the starred settings may come to beside {}, with 90% confidence."


def advice_headline(advice: Advice) -> None:
    """The verdict, and what it means in at most three lines; where it is too little to tell, what would help."""
    finding, *lines = advice.why
    body = "".join(f'<div class="hl-small">{with_terms(line, *EXPLAINED)}</div>' for line in lines)
    said = f'<h1 class="hl-verdict">{escape(finding)}</h1><div class="hl-why hl-tips">{body}</div>'
    st.html(f'<div role="status">{said}</div>')
    if advice.verdict == "too little to tell":
        _draw_help(advice)


def _draw_help(advice: Advice) -> None:
    """What would help, at hand; the questions stand below."""
    held = len(viewing.current_file().conversations)
    with st.container(horizontal=True, key="helping"):
        st.button("Open more files", key="open-more", on_click=drawers.open_drawer, args=(opening.KEY,))
        if held > advice.conversations and not session.tab().tuning.everywhere:
            take_all = tuning_choices.search_whole_file
            st.button(f"Take all {held:,} conversations of the file", key="take-all", on_click=take_all, args=(True,))
        if st.button("Mark messages in the playground", key="mark-messages"):
            go_to("playground")


def frontier_view(advice: Advice, cache: str) -> Trial:
    """The chart, and beside it the picked settings: those clicked, else the best found. Returns them."""
    picked = _picked_trial(advice)
    wide, narrow = st.columns([3, 2], gap="medium")
    with wide:
        st.plotly_chart(
            frontier_chart(advice, picked),
            key="frontier",
            on_select=lambda: _pick([trial.key for trial in advice.trials]),
            selection_mode="points",
            config={"displayModeBar": False},
            alt=frontier_finding(advice),
        )
        _about(advice)
        _choice(advice, picked)
    with narrow:
        _card(advice, picked, cache)
    return picked


def _about(advice: Advice) -> None:
    on = f"{advice.evidence:,} {kept_noun(advice.tiers)} in {count_of(advice.conversations, 'conversation')}"
    beside = "what was really sent" if advice.as_sent else "yours"
    bars = "" if advice.chosen is advice.trials[0] else f" {BARS.format(beside)}"
    st.html(f'<div class="hl-meta hl-tips">{with_terms(f"On {on}.{bars}", *EXPLAINED)}</div>')


def _picked_trial(advice: Advice) -> Trial:
    key = session.tab().tuning.picked
    best = advice.trials[0] if advice.verdict == "as good" else advice.chosen
    return next((trial for trial in advice.trials if trial.key == key), best)


def _choice(advice: Advice, picked: Trial) -> None:
    """The settings as a choice, the cheapest first: the chart's twin for the keyboard."""
    both = sorted(zip(advice.trials, advice.points, strict=True), key=lambda each: each[1].cost)
    points = {trial.key: point for trial, point in both}
    kept = {key: kept_words(p.kept, p.noted) if advice.evidence else percent(None) for key, p in points.items()}
    st.selectbox(
        "Settings looked at: click a point, or choose them here",
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


def _card(advice: Advice, picked: Trial, cache: str) -> None:
    base, point = advice.trials[0], advice.points[advice.trials.index(picked)]
    shown = (picked,) if picked is base else (picked, base)
    rows = [*_kept_and_cost(advice, picked), *_evidence_rows(advice, picked)]
    rows += [
        (label, *(show(trial, cache) for trial in shown)) for label, show in FIGURES if _is_known(label, picked, cache)
    ]
    words = ("As sent" if trial.as_sent else "These" if trial is picked else "Yours" for trial in shown)
    head = "".join(f'<th class="hl-number">{word}</th>' for word in words)
    offline = f'<div class="hl-meta">{OFFLINE}</div>' if picked.figures["summaries"] and not picked.as_sent else ""
    broken = "".join(f'<div class="hl-refused">Breaks “{escape(words)}”.</div>' for words in point.broken)
    st.html(
        f'<div class="hl-title">{escape(capitalize_first(point.label))}</div>{broken}<div class="hl-table"><table>'
        f"<thead><tr><th></th>{head}</tr></thead><tbody>{''.join(map(_row, rows))}</tbody></table></div>{offline}"
    )


def _row(row: tuple[str, ...]) -> str:
    label, *figures = row
    cells = "".join(f'<td class="hl-number">{figure}</td>' for figure in figures)
    return f"<tr><td>{with_terms(label, *EXPLAINED)}</td>{cells}</tr>"


def _kept_and_cost(advice: Advice, picked: Trial) -> list[tuple[str, ...]]:
    beside, unpriced = advice.beside_base(picked), "cost" if advice.priced else "tokens"
    shares = ((beside.in_messages, beside.noted), (beside.base_kept - beside.base_noted, beside.base_noted))
    kept = [kept_words(*share) if advice.evidence else percent(math.nan) for share in shares]
    cost = [times(beside.cost_ratio), times(beside.base_cost_ratio)]
    shown = 1 if picked is advice.trials[0] else 2
    noun = capitalize_first(kept_noun(advice.tiers))
    return [(f"{noun} kept", *kept[:shown]), (f"{unpriced.capitalize()}, times not trimming", *cost[:shown])]


def _evidence_rows(advice: Advice, picked: Trial) -> list[tuple[str, ...]]:
    """The two parts of the evidence, of what was chosen by it; or that there were none."""
    if picked is not advice.chosen or picked is advice.trials[0]:
        return []
    if advice.held_out is None:
        return [("· looked at on all requests; nothing was held out", *_both(advice.promised))]
    return [("· where it was chosen", *_both(advice.promised)), ("· where it was judged", *_both(advice.held_out))]


def _both(beside: Comparison) -> tuple[str, str]:
    kept = [percent(share if beside.needs else math.nan) for share in (beside.kept, beside.base_kept)]
    return f"{kept[0]}, {times(beside.cost_ratio)}", f"{kept[1]}, {times(beside.base_cost_ratio)}"


def _is_known(label: str, picked: Trial, cache: str) -> bool:
    """Whether the row has a figure: something is marked or asked, prices are known."""
    if label == MARKED:
        return bool(picked.figures["stars"])
    if label == ASKED:
        return not math.isnan(picked.figures["questions_kept"])
    return label != COST or not math.isnan(picked.figures[f"cost_{cache}"])
