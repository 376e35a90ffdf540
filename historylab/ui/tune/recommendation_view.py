"""The recommendation: the finding as headline, the frontier to click on, and the picked point beside your settings."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import streamlit as st

from historylab.costs.amounts import money, percent, times
from historylab.figures.frontier import frontier_chart
from historylab.tuning.recommend import Point, Recommendation, relative_cost
from historylab.ui.session import session, tuning_choices
from historylab.ui.shared.theme import is_dark
from historylab.wording.cuts import capitalize_first
from historylab.wording.findings import cost_or_tokens, frontier_finding
from historylab.wording.terms import with_terms
from historylab.wording.untrusted import escape

CHOICE = "candidate-choice"
MARKED = "Must-remember messages kept"
ASKED = "Answers to your questions kept"
EXPLAINED = ("facts in tool calls", "facts in answers", "evidence", "not trimming", "estimate", "request", "beginning")
"""The terms that the first column explains."""
Figure = Callable[[Point, Recommendation], str]
FIGURES: tuple[tuple[str, Figure], ...] = (
    ("{kept} kept", lambda p, _: percent(p.kept)),
    ("{cost}, times not trimming", lambda p, found: times(relative_cost(p, found))),
    ("Cost, an estimate", lambda p, found: money(p.figures[f"cost_{found.constraints.cache}"])),
    ("Tokens a request, on average", lambda p, _: f"{p.figures['tokens_mean']:,.0f}"),
    ("Tokens of the largest", lambda p, _: f"{p.figures['tokens_peak']:,}"),
    ("Requests over the budget", lambda p, _: f"{p.figures['over_budget']:,}"),
    ("Requests whose beginning changes", lambda p, _: f"{p.figures['prefix_breaks']:,}"),
    ("Summaries made", lambda p, _: f"{p.figures['summaries']:,}"),
    (MARKED, lambda p, _: percent(p.figures["stars_kept"])),
    (ASKED, lambda p, _: percent(p.figures["questions_kept"])),
    ("Refused by an API if sliced naively", lambda p, _: f"{p.figures['rejected_naive']:,}"),
)

OFFLINE = "Its summaries come from the offline summarizer, verbatim and free; a model's would cost one call each."


def headline(found: Recommendation, mine: Point | None) -> None:
    """The choice in a sentence, why, what it gives up, and how your own settings do."""
    if found.choice is None:
        finding, more = "None of the settings tried do all that.", ""
    elif mine is not None and found.choice.figures["settings"] == mine.figures["settings"]:
        finding, more = (
            f"Your settings are the best of {len(found.points):,} tried: they {_outcome(mine, found, 'keep')}.",
            "",
        )
    else:
        finding = f"{capitalize_first(found.choice.label)} would {_outcome(found.choice, found, 'keep')}."
        more = f"Yours: {mine.label}, {_outcome(mine, found)}." if mine else ""
    lines = [more, *found.why[:1], *found.why[2:]]  # the second says again what it keeps
    if found.choice is not None and found.choice.figures["summaries"]:
        lines.append(OFFLINE)
    lines += [f"Given up: {line}" for line in found.gives_up]
    body = "".join(f'<div class="hl-small">{escape(line)}</div>' for line in lines if line)
    st.html(f'<h1 class="hl-verdict">{escape(finding)}</h1><div class="hl-why">{body}</div>')


def frontier_view(found: Recommendation, mine: Point | None) -> Point | None:
    """The chart, and beside it the picked point: the one clicked, else the recommended one. Returns it."""
    picked = _picked(found, mine)
    wide, narrow = st.columns([3, 2], gap="medium")
    with wide:
        keys = [point.figures["settings"] for point in found.points]
        st.plotly_chart(
            frontier_chart(found, mine, picked, dark=is_dark()),
            key="frontier",
            on_select=lambda: _pick(keys),
            selection_mode="points",
            config={"displayModeBar": False},
            alt=frontier_finding(found),
        )
        _choice(found, picked)
    if picked is not None:
        with narrow:
            _card(found, picked, mine)
    return picked


def _outcome(point: Point, found: Recommendation, verb: str = "keeps") -> str:
    cost = f"{times(relative_cost(point, found))} the {cost_or_tokens(found)}"
    return f"{verb} {percent(point.kept)} of {found.kept_is} for {cost} of not trimming"


def _picked(found: Recommendation, mine: Point | None) -> Point | None:
    key = session.tab().tuning.picked
    return next((p for p in found.points if p.figures["settings"] == key), found.choice or mine)


def _choice(found: Recommendation, picked: Point | None) -> None:
    """The points as a choice, the cheapest first: the chart's twin for the keyboard."""
    points = {p.figures["settings"]: p for p in sorted(found.points, key=lambda p: relative_cost(p, found))}
    chosen = picked.figures["settings"] if picked and picked.figures["settings"] in points else None
    st.selectbox(
        "Settings looked at: click a point, or choose them here",
        list(points),
        list(points).index(chosen) if chosen else None,
        format_func=lambda key: _in_short(points[key], found),
        key=session.key_of_field(CHOICE, chosen),
        on_change=lambda: tuning_choices.pick_candidate(session.value_of_field(CHOICE)),
    )


def _in_short(point: Point, found: Recommendation) -> str:
    return f"{capitalize_first(point.label)}: {percent(point.kept)} kept, {times(relative_cost(point, found))}"


def _pick(keys: Sequence[str]) -> None:
    points = session.widget_value("frontier")["selection"]["points"]
    if points and points[0].get("customdata"):
        tuning_choices.pick_candidate(keys[int(points[0]["customdata"][0])])


def _card(found: Recommendation, picked: Point, mine: Point | None) -> None:
    others = [mine] if mine is not None and mine is not picked else []
    head = "".join(f'<th class="hl-number">{word}</th>' for word in ["These", *(["Yours"] if others else [])])
    words = {"kept": found.kept_is, "cost": cost_or_tokens(found)}
    rows = "".join(
        f"<tr><td>{with_terms(capitalize_first(label.format(**words)), *EXPLAINED)}</td>"
        + "".join(f'<td class="hl-number">{show(point, found)}</td>' for point in (picked, *others))
        + "</tr>"
        for label, show in FIGURES
        if not _is_empty(label, picked, found)
    )
    broken = "".join(f'<div class="hl-refused">Breaks “{escape(words)}”.</div>' for words in picked.broken)
    st.html(
        f'<div class="hl-title">{escape(capitalize_first(picked.label))}</div>{broken}<div class="hl-table"><table>'
        f"<thead><tr><th></th>{head}</tr></thead><tbody>{rows}</tbody></table></div>"
    )


def _is_empty(label: str, picked: Point, found: Recommendation) -> bool:
    """Whether the row has no figure: nothing is marked or asked, or prices are unknown."""
    if label == MARKED:
        return not picked.figures["stars"]
    if label == ASKED:
        return math.isnan(picked.figures["questions_kept"])
    return "estimate" in label and math.isnan(picked.figures[f"cost_{found.constraints.cache}"])
