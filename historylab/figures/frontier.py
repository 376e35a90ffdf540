"""The frontier chart: a point per candidate, kept over cost, with the Pareto frontier as a line."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import plotly.graph_objects as go

from historylab.costs.amounts import percent
from historylab.tuning.advice_words import kept_noun
from historylab.tuning.points import Point, pareto
from historylab.tuning.trials import Trial
from historylab.tuning.tune import Advice
from historylab.wording.palette import FAINT, FALLS_SHORT, GRID, INK, PAGE, TRIED, Look
from historylab.wording.untrusted import escape

HEIGHT = 380
ROOM = 0.06  # of the plot, around the outermost points


def frontier_chart(advice: Advice, picked: Trial) -> go.Figure:
    """A point's `customdata[0]` is its index in `advice.trials`; hover texts hold only settings and numbers."""
    figure = go.Figure(layout=_layout(advice))
    allowed = [point for point in advice.points if not point.broken]
    short = [point for point in advice.points if point.broken]
    line = {"color": TRIED.light, "width": 1.5, "shape": "hv"}
    frontier = _place(pareto(advice.points))
    figure.add_scatter(**frontier, mode="lines", line=line, name="the frontier", hoverinfo="skip")
    _dots(figure, advice, short, FALLS_SHORT, {"symbol": "x-thin", "size": 7, "line": {"width": 1.2}})
    _dots(figure, advice, allowed, TRIED, {"size": 9, "opacity": 0.75})
    for number, word, symbol, size in _marked_points(advice):
        _bars(figure, advice, number)
        _add_named_point(figure, advice, number, word, {"symbol": symbol, "size": size})
    ring = {"symbol": "circle-open", "size": 24, "line": {"width": 2}, "color": INK.light}
    there = _place([advice.points[advice.trials.index(picked)]])
    figure.add_scatter(**there, mode="markers", marker=ring, hoverinfo="skip", showlegend=False)
    _not_trimming(figure, advice)
    return figure


def _marked_points(advice: Advice) -> list[tuple[int, str, str, int]]:
    """The points that are named: the base, and the best found, where anything is claimed of it."""
    best = advice.trials.index(advice.chosen)
    base = (0, "as sent" if advice.as_sent else "yours", "diamond", 13)
    if not best or advice.verdict == "as good":
        return [base]
    words = {"better": "recommended", "promising": "promising"}
    return [(best, words.get(advice.verdict, "best found"), "star", 18), base]


def _place(points: Iterable[Point]) -> dict[str, list[float]]:
    chosen = list(points)
    return {"x": [p.cost for p in chosen], "y": [100 * p.kept for p in chosen]}


def _bars(figure: go.Figure, advice: Advice, number: int) -> None:
    """Draw how far the difference to the base may go in both directions; nothing for the base."""
    beside, muted = advice.beside_base(advice.trials[number]), FAINT.light
    if not number:
        return
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
        showlegend=False,
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
        name="tried" if look is TRIED else look.word,
        **_hover(advice, points),
    )


def _add_named_point(figure: go.Figure, advice: Advice, number: int, word: str, marker: dict[str, Any]) -> None:
    edge = {"width": 1.5, "color": PAGE.light}
    points = [advice.points[number]]
    left = points[0].cost > sum(_reach(advice)) / 2
    figure.add_scatter(
        **_place(points),
        mode="markers+text",
        marker={**marker, "color": INK.light, "line": edge},
        text=[f"<b>{word}</b>"],
        textposition="top left" if left else "top right",
        textfont={"color": INK.light, "size": 13},
        showlegend=False,
        **_hover(advice, points),
    )


def _hover(advice: Advice, points: Sequence[Point]) -> dict[str, Any]:
    number = {id(point): i for i, point in enumerate(advice.points)}
    data = [(number[id(p)], escape(p.label), _summary_note(p) + _breaks(p)) for p in points]
    kept = f"%{{y:.1f}}% of {escape(kept_noun(advice.tiers))}, " if advice.evidence else ""
    each = f"%{{customdata[1]}}<br>{kept}%{{x:.2f}}× not trimming%{{customdata[2]}}"
    return {"customdata": data, "hovertemplate": f"{each}<extra></extra>"}


def _summary_note(point: Point) -> str:
    return f"<br>and {percent(point.noted)} only in the summary" if point.noted else ""


def _breaks(point: Point) -> str:
    return "".join(f"<br>breaks “{escape(words)}”" for words in point.broken)


def _not_trimming(figure: go.Figure, advice: Advice) -> None:
    font = {"color": FAINT.light, "size": 12}
    low, high = _reach(advice)
    share = (1 - low) / (high - low) if high > low else 0.5
    side = "right" if share > 0.85 else "left" if share < 0.15 else "center"  # towards the middle: never cut off
    figure.add_vline(
        x=1,
        line={"color": FAINT.light, "width": 1, "dash": "dot"},
        annotation={"text": "not trimming", "font": font, "yanchor": "bottom", "y": 1, "xanchor": side},
    )


def _reach(advice: Advice) -> tuple[float, float]:
    costs = [1.0, *(point.cost for point in advice.points)]
    return min(costs), max(costs)


def _layout(advice: Advice) -> go.Layout:
    faint, grid = FAINT.light, GRID.light
    low, high = _reach(advice)
    room = ROOM * max(high - low, 0.5)
    least = min(100 * point.kept for point in advice.points)
    step = next(step for step in (5, 10, 20) if least >= 100 - 5 * step or step == 20)
    where = " in messages" if any(point.noted for point in advice.points) else ""
    axis = {"tickfont": {"color": faint, "size": 12}, "gridcolor": grid, "zeroline": False, "fixedrange": True}
    title = {"font": {"color": faint, "size": 12}, "standoff": 6}
    return go.Layout(
        height=HEIGHT,
        hovermode="closest",
        hoverlabel={"align": "left", "namelength": -1},
        paper_bgcolor="rgba(0,0,0,0)",
        plot_bgcolor="rgba(0,0,0,0)",
        margin={"l": 8, "r": 12, "t": 52, "b": 8},
        legend={"orientation": "h", "y": 1.08, "yanchor": "bottom", "x": 0},
        clickmode="event+select",
        dragmode=False,
        xaxis={
            **axis,
            "automargin": True,
            "range": [low - room, high + room],
            "ticksuffix": "×",
            "nticks": 8,
            "title": {**title, "text": f"{'cost' if advice.priced else 'tokens'}, times not trimming"},
        },
        yaxis={
            **axis,
            "automargin": True,
            "range": [max(-4, least - 6), 109],
            "tickvals": [*range(0, 101, step)],
            "ticktext": [f"{share}%" for share in range(0, 101, step)],
            "title": {**title, "text": f"{kept_noun(advice.tiers)} kept{where}"},
        },
    )
