"""The workload chart: the cumulative distribution of tokens per request, with and without the cut."""

from __future__ import annotations

import numpy as np
import plotly.graph_objects as go

from historylab.costs.workload import PERCENTILES, Workload, percentiles
from historylab.figures.axis import HOVER_LABEL, LEGEND
from historylab.wording.palette import FAINT, GRID, INK

HEIGHT = 300
MOST_POINTS = 400


def workload_chart(found: Workload, budget: int) -> go.Figure:
    """Both cumulative distributions, their percentiles marked, and the budget."""
    figure = go.Figure(layout=_layout(found))
    lines = ((found.untrimmed, "not trimming", FAINT, "dot"), (found.tokens, "these settings", INK, "solid"))
    for tokens, name, look, dash in lines:
        colour = look.light
        x, y = _cumulative_shares(tokens)
        hover = "%{y:.0f}% of the requests send at most %{x:,} tokens<extra>" + name + "</extra>"
        line = {"color": colour, "width": 2, "dash": dash, "shape": "hv"}
        figure.add_scatter(x=x, y=y, mode="lines", name=name, line=line, hovertemplate=hover)
        figure.add_scatter(
            x=percentiles(tokens),
            y=PERCENTILES,
            mode="markers",
            marker={"color": colour, "size": 8},
            hoverinfo="skip",
            showlegend=False,
        )
    largest = found.untrimmed.max(initial=0)
    if budget <= largest * 1.2:
        figure.add_vline(
            x=budget,
            line={"color": INK.light, "width": 1.5, "dash": "dash"},
            annotation={"text": f"budget {budget:,}", "font": {"color": INK.light, "size": 12}},
            annotation_position="bottom right" if budget <= largest * 0.8 else "bottom left",
        )
    return figure


def _cumulative_shares(tokens: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Tokens in order, and the percentage of requests up to each; thinned out where there are many."""
    ordered = np.sort(tokens)
    at = np.unique(np.linspace(0, len(ordered) - 1, min(len(ordered), MOST_POINTS)).astype(int))
    return ordered[at], 100 * (at + 1) / max(1, len(ordered))


def _layout(found: Workload) -> go.Layout:
    faint, grid = FAINT.light, GRID.light
    axis = {"tickfont": {"color": faint, "size": 12}, "gridcolor": grid, "zeroline": False, "fixedrange": True}
    title = {"font": {"color": faint, "size": 12}, "standoff": 6}
    return go.Layout(
        height=HEIGHT,
        hovermode="closest",
        hoverlabel=HOVER_LABEL,
        paper_bgcolor="rgba(0,0,0,0)",
        plot_bgcolor="rgba(0,0,0,0)",
        margin={"l": 8, "r": 12, "t": 34, "b": 8},
        legend={**LEGEND, "traceorder": "reversed"},
        dragmode=False,
        xaxis={
            **axis,
            "automargin": True,
            "range": [0, 1.05 * max(10, int(found.untrimmed.max(initial=0)))],
            "tickformat": "~s",
            "title": {**title, "text": "tokens of a request"},
        },
        yaxis={
            **axis,
            "automargin": True,
            "range": [0, 104],
            "tickvals": [0, 25, *PERCENTILES],
            "ticksuffix": "%",
            "title": {**title, "text": "of the requests"},
        },
    )
