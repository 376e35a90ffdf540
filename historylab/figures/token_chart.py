"""The token chart: what every request sends, by kind, against the budget and what it would send untrimmed."""

from __future__ import annotations

from typing import Any

import numpy as np
import plotly.graph_objects as go

from historylab.costs.amounts import count_of
from historylab.figures.axis import MOST_POINTS, drawn_requests, turn_ticks
from historylab.planning.reasons import Action
from historylab.planning.replay import Step, Timeline
from historylab.wording.palette import ALARM, FAINT, GRID, INK, KINDS, LOOKS, Look

HEIGHT = 270
MOST_BARS = 150  # more requests are drawn as an area
LEFT, RIGHT = 48, 12  # pixels, as in the retention map, so that the requests of both line up
ACROSS = {"xref": "paper", "x0": 0, "x1": 1}
HEADROOM = 2.4  # the untrimmed total may compress the rest by this factor at most


def token_chart(timeline: Timeline, *, dark: bool = False) -> go.Figure:
    """The chart, the same for every selected request. Hover texts hold numbers only, never a message's text."""
    shown = drawn_requests(timeline.tokens)
    layout = _layout(timeline, shown, dark=dark) | _limits(timeline, dark=dark)
    figure = go.Figure(layout=layout)
    _stack(figure, timeline, shown, dark=dark)
    _untrimmed(figure, timeline, shown, dark=dark)
    _events(figure, timeline, dark=dark)
    return figure


def _stack(figure: go.Figure, timeline: Timeline, shown: np.ndarray, *, dark: bool) -> None:
    for kind, look in KINDS.items():
        tokens = timeline.tokens_by_kind[kind]
        if tokens.max() <= timeline.counter.per_request:  # a request's framing alone is too small to draw
            continue
        colour = look.colour(dark)
        common = {"x": shown + 1, "y": tokens[shown], "name": look.word, "hovertemplate": "%{y:,}"}
        if len(shown) <= MOST_BARS:
            figure.add_bar(**common, marker={"color": colour, "line": {"width": 0}})
        else:
            line = {"width": 0, "shape": "hv", "color": colour}
            figure.add_scatter(**common, mode="lines", stackgroup="sent", fillcolor=colour, line=line)


def _untrimmed(figure: go.Figure, timeline: Timeline, shown: np.ndarray, *, dark: bool) -> None:
    figure.add_scatter(
        x=shown + 1,
        y=timeline.untrimmed[shown],
        name="untrimmed",
        mode="lines",
        line={"color": FAINT.colour(dark), "width": 1.5, "dash": "dot"},
        hovertemplate="%{y:,}",
    )


def _limits(timeline: Timeline, *, dark: bool) -> dict[str, list[dict[str, Any]]]:
    """The budget as a line, its reserved part as a band, and a label for each limit that is off the scale.

    Part of the layout from the start: `add_hline` and the like walk over every trace, which takes as long as a replay.
    """
    budget, whole, top = timeline.plans[0].budget, timeline.settings.budget, _top(timeline)
    shapes, words = [], []
    if timeline.untrimmed.max() > top:
        first = int((timeline.untrimmed > top).argmax())
        words.append(_note(first + 1, f"untrimmed up to {timeline.untrimmed.max():,} ↑", dark=dark))
    if budget > top:
        words.append(_note(1, f"budget {budget:,} ↑", dark=dark))
    else:
        line = {"color": INK.colour(dark), "width": 1.5, "dash": "dash"}
        shapes.append({**ACROSS, "y0": budget, "y1": budget, "type": "line", "line": line})
        words.append(_budget_label(budget, dark=dark))
        if whole > budget:
            band = {"fillcolor": FAINT.colour(dark), "opacity": 0.16, "line": {"width": 0}}
            shapes.append({**ACROSS, "y0": budget, "y1": whole, "type": "rect", **band})
    return {"shapes": shapes, "annotations": words}


def _budget_label(budget: int, *, dark: bool) -> dict[str, Any]:
    return {
        **{"x": 0, "xref": "paper", "xanchor": "left", "y": budget, "yanchor": "bottom", "showarrow": False},
        "text": f"budget {budget:,}",
        "font": {"color": INK.colour(dark), "size": 12},
        "bgcolor": "rgba(21,24,28,.75)" if dark else "rgba(252,252,250,.8)",
    }


def _note(x: int, text: str, *, dark: bool) -> dict[str, Any]:
    """A label at the upper edge for a line that lies above it."""
    font = {"color": FAINT.colour(dark), "size": 12}
    place = {"x": x, "xanchor": "left", "y": 1, "yref": "paper", "yanchor": "top"}
    return {**place, "text": text, "showarrow": False, "font": font}


def _events(figure: go.Figure, timeline: Timeline, *, dark: bool) -> None:
    """A Σ above every request with a new summary, a ! above every one over the budget."""
    new = [s for s in timeline.steps if s.plan.summary and (not s.before or s.before.summary != s.plan.summary)]
    made = [s.plan.summary for s in new if s.plan.summary]
    labels = [f"new summary: {count_of(summary.covers, 'message')} in {summary.tokens:,} tokens" for summary in made]
    _signs(figure, new, LOOKS[Action.SUMMARIZED], labels, dark=dark)
    over = [s for s in timeline.steps if s.plan.over_budget][:MOST_POINTS]
    labels = [f"{s.plan.tokens - s.plan.budget:,} over the budget" for s in over]
    _signs(figure, over, ALARM, labels, dark=dark)


def _signs(figure: go.Figure, steps: list[Step], look: Look, labels: list[str], *, dark: bool) -> None:
    if steps:
        figure.add_scatter(
            x=[s.number + 1 for s in steps],
            y=[s.plan.tokens for s in steps],
            mode="text",
            text=[look.glyph] * len(steps),
            textposition="top center",
            textfont={"color": look.colour(dark), "size": 15},
            customdata=labels,
            showlegend=False,
            name="",
            hovertemplate="%{customdata}",
        )


def _top(timeline: Timeline) -> float:
    """The top of the y axis: room for what is sent, and for budget and untrimmed total unless they would dwarf it."""
    sent, untrimmed = int(timeline.tokens.max()), int(timeline.untrimmed.max())
    reach = max(sent, min(timeline.settings.budget, 2 * untrimmed))
    return 1.12 * max(reach, min(untrimmed, HEADROOM * reach), 10)


def _layout(timeline: Timeline, shown: np.ndarray, *, dark: bool) -> dict[str, Any]:
    positions, names = turn_ticks(timeline)
    faint, grid = FAINT.colour(dark), GRID.colour(dark)
    axis = {"tickfont": {"color": faint, "size": 12}, "zeroline": False, "fixedrange": True, "automargin": True}
    return dict(
        height=HEIGHT,
        barmode="stack",
        bargap=0.12 if len(shown) <= 60 else 0,
        hovermode="x unified",
        paper_bgcolor="rgba(0,0,0,0)",
        plot_bgcolor="rgba(0,0,0,0)",
        margin={"l": LEFT, "r": RIGHT, "t": 34, "b": 4},
        legend={"orientation": "h", "y": 1.02, "yanchor": "bottom", "x": 0, "traceorder": "normal"},
        xaxis={
            **axis,
            "range": [0.5, len(timeline.plans) + 0.5],
            "automargin": "height",
            "tickvals": positions,
            "ticktext": names,
            "ticks": "outside",
            "ticklen": 4,
            "tickcolor": grid,
            "showgrid": False,
            "tickangle": 0,
            "hoverformat": ",d",
            "unifiedhovertitle": {"text": "request %{x}"},
        },
        yaxis={
            **axis,
            "automargin": False,
            "range": [0, _top(timeline)],
            "tickformat": "~s",
            "gridcolor": grid,
            "nticks": 5,
            "title": {"text": "tokens", "font": {"color": faint, "size": 12}, "standoff": 4},
        },
    )
