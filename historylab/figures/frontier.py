"""The frontier chart: a point per candidate, kept over cost, with the Pareto frontier as a line."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import plotly.graph_objects as go

from historylab.tuning.recommend import Point, Recommendation, relative_cost
from historylab.wording.findings import cost_or_tokens
from historylab.wording.palette import FAINT, GRID, INK, Look
from historylab.wording.untrusted import escape

HEIGHT = 380
ACCENT = Look("frontier", "", "#3A5578", "#8FB4DC")
FALLS_SHORT = Look("breaks a constraint", "×", "#9AA0A6", "#6F7880")
ROOM = 0.06  # of the plot, around the outermost points


def frontier_chart(found: Recommendation, mine: Point | None, picked: Point | None, *, dark: bool = False) -> go.Figure:
    """A point's `customdata[0]` is its index in `found.points`; hover texts hold only settings and numbers."""
    figure = go.Figure(layout=_layout(found, dark=dark))
    allowed = [point for point in found.points if not point.broken]
    short = [point for point in found.points if point.broken]
    _line(figure, found, dark=dark)
    _dots(figure, found, short, FALLS_SHORT, {"symbol": "x-thin", "size": 7, "line": {"width": 1.2}}, dark=dark)
    _dots(figure, found, allowed, ACCENT, {"size": 9, "opacity": 0.75}, dark=dark)
    both = found.choice is not None and found.choice is mine
    named = [
        (found.choice, "yours, and recommended" if both else "recommended", "star", 18),
        (None if both else mine, "yours", "diamond", 13),
    ]
    for point, word, symbol, size in named:
        if point is not None:
            _named(figure, found, point, word, {"symbol": symbol, "size": size}, dark=dark)
    if picked is not None:
        ring = {"symbol": "circle-open", "size": 24, "line": {"width": 2}, "color": INK.colour(dark)}
        figure.add_scatter(**_place(found, [picked]), mode="markers", marker=ring, hoverinfo="skip", showlegend=False)
    _not_trimming(figure, dark=dark)
    return figure


def _place(found: Recommendation, points: Iterable[Point]) -> dict[str, list[float]]:
    chosen = list(points)
    return {"x": [relative_cost(p, found) for p in chosen], "y": [100 * p.kept for p in chosen]}


def _line(figure: go.Figure, found: Recommendation, *, dark: bool) -> None:
    line = {"color": ACCENT.colour(dark), "width": 1.5, "shape": "hv"}
    figure.add_scatter(**_place(found, found.frontier), mode="lines", line=line, name="the frontier", hoverinfo="skip")


def _dots(
    figure: go.Figure, found: Recommendation, points: Sequence[Point], look: Look, marker: dict[str, Any], *, dark: bool
) -> None:
    if not points:
        return
    colour = look.colour(dark)
    line = {**marker.get("line", {"width": 0}), "color": colour}
    figure.add_scatter(
        **_place(found, points),
        mode="markers",
        marker={**marker, "color": colour, "line": line},
        name="tried" if look is ACCENT else look.word,
        **_hover(found, points),
    )


def _named(
    figure: go.Figure, found: Recommendation, point: Point, word: str, marker: dict[str, Any], *, dark: bool
) -> None:
    edge = {"width": 1.5, "color": "#15181C" if dark else "#FCFCFA"}
    place = _place(found, [point])
    left = place["x"][0] > _middle(found)
    figure.add_scatter(
        **place,
        mode="markers+text",
        marker={**marker, "color": INK.colour(dark), "line": edge},
        text=[f"<b>{word}</b>"],
        textposition="top left" if left else "top right",
        textfont={"color": INK.colour(dark), "size": 13},
        showlegend=False,
        **_hover(found, [point]),
    )


def _hover(found: Recommendation, points: Sequence[Point]) -> dict[str, Any]:
    number = {id(point): i for i, point in enumerate(found.points)}
    data = [(number[id(p)], escape(p.label), _breaks(p)) for p in points]
    each = f"%{{customdata[1]}}<br>%{{y:.1f}}% of {escape(found.kept_is)}, %{{x:.2f}}× not trimming%{{customdata[2]}}"
    return {"customdata": data, "hovertemplate": f"{each}<extra></extra>"}


def _breaks(point: Point) -> str:
    return "".join(f"<br>breaks “{escape(words)}”" for words in point.broken)


def _not_trimming(figure: go.Figure, *, dark: bool) -> None:
    font = {"color": FAINT.colour(dark), "size": 12}
    figure.add_vline(
        x=1,
        line={"color": FAINT.colour(dark), "width": 1, "dash": "dot"},
        annotation={"text": "not trimming", "font": font, "yanchor": "bottom", "y": 1, "xanchor": "center"},
    )


def _middle(found: Recommendation) -> float:
    low, high = _reach(found)
    return (low + high) / 2


def _reach(found: Recommendation) -> tuple[float, float]:
    costs = [1.0, *(relative_cost(point, found) for point in found.points)]
    return min(costs), max(costs)


def _layout(found: Recommendation, *, dark: bool) -> go.Layout:
    faint, grid = FAINT.colour(dark), GRID.colour(dark)
    low, high = _reach(found)
    room = ROOM * max(high - low, 0.1)
    least = min(100 * point.kept for point in found.points)
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
            "title": {**title, "text": f"{cost_or_tokens(found)}, times not trimming"},
        },
        yaxis={
            **axis,
            "automargin": True,
            "range": [max(-4, least - 6), 109],
            "ticksuffix": "%",
            "nticks": 6,
            "title": {**title, "text": f"{found.kept_is} kept"},
        },
    )
