"""The frontier chart: a point per candidate, kept over cost, with the Pareto frontier as a line."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeAlias

import plotly.graph_objects as go

from historylab.costs.amounts import percent
from historylab.figures.axis import HOVER_LABEL
from historylab.figures.point_labels import Label, place_labels
from historylab.tuning.advice_words import kept_noun
from historylab.tuning.points import Point, pareto
from historylab.tuning.trials import Trial
from historylab.tuning.tune import Advice
from historylab.wording.advice import short_name
from historylab.wording.palette import FAINT, FALLS_SHORT, GRID, INK, PAGE, TRIED, Look
from historylab.wording.untrusted import escape

HEIGHT = 340
PLOT = HEIGHT - 70
"""The height of the plot itself: without the axis' words below, and its title above."""
PHONE, DESKTOP = 280, 640
"""The widths of the plot for which labels are placed: the first few, and the rest, which phones don't show."""
MOST_NAMED = 6
ROOM = 0.06  # of the plot, around the outermost points
LABELS = 0.18
"""The room above everything kept, for the names that stand there, as a share of the rest."""
OVER_THE_AXIS = {
    "x": 0,
    "xref": "paper",
    "xanchor": "left",
    "y": 1,
    "yref": "paper",
    "yanchor": "bottom",
    "showarrow": False,
    "font": {"color": FAINT.light, "size": 12},
}
"""The place of the upright axis' title: above it, where it can be read."""
Named: TypeAlias = tuple[str, int]
"""A name, and the number of its point."""


def frontier_chart(advice: Advice, picked: Trial) -> go.Figure:
    """A point's `customdata[0]` is its index in `advice.trials`; hover texts hold only settings and numbers.

    The last trace are the names that there is room for on a wide screen only.
    """
    figure = go.Figure(layout=_layout(advice))
    allowed = [point for point in advice.points if not point.broken]
    short = [point for point in advice.points if point.broken]
    line = {"color": TRIED.light, "width": 1.5, "shape": "hv"}
    figure.add_scatter(**_place(pareto(advice.points)), mode="lines", line=line, hoverinfo="skip")
    _dots(figure, advice, short, FALLS_SHORT, {"symbol": "x-thin", "size": 7, "line": {"width": 1.2}})
    _dots(figure, advice, allowed, TRIED, {"size": 8, "opacity": 0.7})
    if best := advice.trials.index(advice.advised):
        _bars(figure, advice, best)
        _mark(figure, advice, best, {"symbol": "star", "size": 17})
    _mark(figure, advice, 0, {"symbol": "diamond", "size": 12})
    ring = {"symbol": "circle-open", "size": 22, "line": {"width": 2}, "color": INK.light}
    there = _place([advice.points[advice.trials.index(picked)]])
    figure.add_scatter(**there, mode="markers", marker=ring, hoverinfo="skip")
    figure.add_vline(x=1, line={"color": FAINT.light, "width": 1, "dash": "dot"}, layer="below")
    _names(figure, advice, picked)
    return figure


def _names(figure: go.Figure, advice: Advice, picked: Trial) -> None:
    """The names beside the points: those that phones have room for, and the rest."""
    first = _first_named(advice, picked)
    rest = [advice.points.index(point) for point in pareto(advice.points)]
    found: dict[str, int] = {}
    for number in (*first, *rest):
        found.setdefault(short_name(advice, advice.trials[number]), number)
    named = list(found.items())[:MOST_NAMED]
    sure = [each for each in named if each[1] in first]
    places = dict(zip(sure, place_labels(_labels(advice, sure, PHONE), PHONE, PLOT), strict=True))
    fixed = {each: place for each, place in places.items() if place}
    left = [each for each in named if each not in fixed]
    beside = [*_labels(advice, list(fixed), DESKTOP, list(fixed.values())), *_labels(advice, left, DESKTOP)]
    later = place_labels(beside, DESKTOP, PLOT)[len(fixed) :]
    _write(figure, advice, fixed)
    _write(figure, advice, {each: place for each, place in zip(left, later, strict=True) if place})


def _first_named(advice: Advice, picked: Trial) -> list[int]:
    """The points that everybody looks for: what is picked, the best, the base and not trimming."""
    whole = next((number for number, trial in enumerate(advice.trials) if trial.sends_all), 0)
    return list(dict.fromkeys((advice.trials.index(picked), advice.trials.index(advice.advised), 0, whole)))


def _labels(advice: Advice, named: Sequence[Named], width: float, places: Sequence[str] = ()) -> list[Label]:
    (left, right), (low, high) = _axis_ranges(advice)
    points = [advice.points[number] for _, number in named]
    return [
        Label(
            text,
            width * (point.cost - left) / (right - left),
            PLOT * (high - 100 * point.kept) / (high - low),
            places[k] if places else "",
        )
        for k, ((text, _), point) in enumerate(zip(named, points, strict=True))
    ]


def _write(figure: go.Figure, advice: Advice, names: Mapping[Named, str]) -> None:
    best = advice.trials.index(advice.advised)
    figure.add_scatter(
        **_place(advice.points[number] for _, number in names),
        mode="markers+text",
        marker={"size": 14, "color": "rgba(0,0,0,0)"},  # keeps the names off the points
        text=[f"<b>{text}</b>" if number == best > 0 else text for text, number in names],
        textposition=list(names.values()),
        textfont={"color": INK.light, "size": 12},
        hoverinfo="skip",
    )


def _place(points: Iterable[Point]) -> dict[str, list[float]]:
    chosen = list(points)
    return {"x": [p.cost for p in chosen], "y": [100 * p.kept for p in chosen]}


def _bars(figure: go.Figure, advice: Advice, number: int) -> None:
    """Draw how far the difference to the base may go in both directions."""
    beside, muted = advice.beside_base(advice.trials[number]), FAINT.light
    there = beside.in_messages - beside.more_kept.value
    kept = [100 * min(1.0, there + share) for share in (beside.more_kept.low, beside.more_kept.high)]
    cost = [beside.base_cost_ratio * share for share in (beside.cost.low, beside.cost.high)]
    figure.add_scatter(
        **_place([advice.points[number]]),
        mode="markers",
        marker={"size": 1, "color": muted},
        error_y=_reach_of(100 * beside.in_messages, kept, muted),
        error_x=_reach_of(beside.cost_ratio, cost, muted),
        hoverinfo="skip",
    )


def _reach_of(value: float, bounds: Sequence[float], colour: str) -> dict[str, Any]:
    low, high = bounds
    return {
        "type": "data",
        "symmetric": False,
        "array": [max(0.0, high - value)],
        "arrayminus": [max(0.0, value - low)],
        "color": colour,
        "thickness": 1.5,
        "width": 5,
    }


def _dots(figure: go.Figure, advice: Advice, points: Sequence[Point], look: Look, marker: dict[str, Any]) -> None:
    if not points:
        return
    colour = look.light
    line = {**marker.get("line", {"width": 0}), "color": colour}
    figure.add_scatter(
        **_place(points),
        mode="markers",
        marker={**marker, "color": colour, "line": line},
        **_hover(advice, points),
    )


def _mark(figure: go.Figure, advice: Advice, number: int, marker: dict[str, Any]) -> None:
    points = [advice.points[number]]
    look = {**marker, "color": INK.light, "line": {"width": 1.5, "color": PAGE.light}}
    figure.add_scatter(**_place(points), mode="markers", marker=look, **_hover(advice, points))


def _hover(advice: Advice, points: Sequence[Point]) -> dict[str, Any]:
    number = {id(point): i for i, point in enumerate(advice.points)}
    data = [(number[id(p)], escape(p.label), _summary_note(p) + _breaks(p)) for p in points]
    kept = f"%{{y:.1f}}% of {escape(kept_noun(advice.tiers))}, " if advice.evidence else ""
    each = f"%{{customdata[1]}}<br>{kept}%{{x:.2f}}× not trimming%{{customdata[2]}}"
    return {"customdata": data, "hovertemplate": f"{each}<extra></extra>"}


def _summary_note(point: Point) -> str:
    return f"<br>{percent(point.noted)} more in the summary only" if point.noted else ""


def _breaks(point: Point) -> str:
    return "".join(f"<br>breaks “{escape(words)}”" for words in point.broken)


def _axis_ranges(advice: Advice) -> tuple[tuple[float, float], tuple[float, float]]:
    """The ends of both axes: cost, and what is kept in percent."""
    costs = [1.0, *(point.cost for point in advice.points)]
    low, high = min(costs), max(costs)
    room = ROOM * max(high - low, 0.5)
    least = max(-4.0, min(100 * point.kept for point in advice.points) - 8)
    return (low - room, high + room), (least, 100 + LABELS * (100 - least))


def _layout(advice: Advice) -> go.Layout:
    faint, grid = FAINT.light, GRID.light
    across, upwards = _axis_ranges(advice)
    step = next(step for step in (5, 10, 20) if upwards[0] >= 92 - 5 * step or step == 20)
    where = " in messages" if any(point.noted for point in advice.points) else ""
    axis = {"tickfont": {"color": faint, "size": 12}, "gridcolor": grid, "zeroline": False, "fixedrange": True}
    title = {"font": {"color": faint, "size": 12}, "standoff": 6}
    return go.Layout(
        height=HEIGHT,
        hovermode="closest",
        hoverlabel={**HOVER_LABEL, "align": "left", "namelength": -1},
        showlegend=False,
        paper_bgcolor="rgba(0,0,0,0)",
        plot_bgcolor="rgba(0,0,0,0)",
        margin={"l": 8, "r": 12, "t": 26, "b": 8},
        annotations=[{**OVER_THE_AXIS, "text": f"facts kept{where}"}],
        clickmode="event+select",
        dragmode=False,
        xaxis={
            **axis,
            "automargin": True,
            "range": across,
            "ticksuffix": "×",
            "nticks": 8,
            "title": {**title, "text": f"{'cost' if advice.priced else 'tokens'} (1× is not trimming)"},
        },
        yaxis={
            **axis,
            "automargin": True,
            "range": upwards,
            "tickvals": [*range(0, 101, step)],
            "ticktext": [f"{share}%" for share in range(0, 101, step)],
        },
    )
