"""The compare chart: tokens of every request, one line per configuration, on the same axes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go

from historylab.figures.axis import HOVER_LABEL, LEGEND, drawn_requests, turn_ticks
from historylab.planning.context_fill import context_budget
from historylab.planning.replay import Timeline
from historylab.recordings.as_sent import is_foreign
from historylab.wording.as_sent import untrimmed_word
from historylab.wording.palette import CONFIGURATIONS, FAINT, GRID, Look

HEIGHT = 260
DASHES = {"A": "solid", "B": "dash", "C": "dot", "D": "dashdot", "S": "longdash"}
HEADROOM = 1.6  # the untrimmed total may compress the lines by this factor at most
TOGETHER = 0.06  # of the height: line ends closer than this share a label


def compare_chart(timelines: Sequence[Timeline], letters: Sequence[str]) -> go.Figure:
    """The chart, the same for every request. Hover texts hold numbers only."""
    looks = [next(look for look in CONFIGURATIONS if look.word == letter) for letter in letters]
    most = np.max([t.contexts for t in timelines if len(t.plans) == len(timelines[0].plans)], axis=0)
    shown, top = drawn_requests(most), _top(timelines)
    figure = go.Figure(layout=_layout(timelines[0], top))
    faint = {"color": FAINT.light, "width": 1, "dash": "dot"}
    if timelines[0].untrimmed_contexts.max() > 1.02 * max(
        int(t.contexts.max()) for t in timelines
    ):  # else it coincides with a line
        _line(figure, timelines[0].untrimmed_contexts, shown, untrimmed_word(timelines[0]), faint)
    _budgets(figure, timelines, looks, top)
    for timeline, look in zip(timelines, looks, strict=True):
        at = shown[shown < len(timeline.plans)]
        _line(
            figure,
            timeline.contexts,
            at,
            look.word,
            {"color": look.light, "width": 2.5, "dash": DASHES[look.word]},
        )
    _ends(figure, timelines, looks, top)
    return figure


def _line(figure: go.Figure, tokens: np.ndarray, shown: np.ndarray, name: str, line: dict[str, Any]) -> None:
    figure.add_scatter(
        x=shown + 1, y=tokens[shown], name=name, mode="lines", line=line, hovertemplate=f"%{{y:,}} {name}"
    )


def _budgets(figure: go.Figure, timelines: Sequence[Timeline], looks: Sequence[Look], top: float) -> None:
    """A thin line per budget, labelled with the configurations that have it."""
    budgets = {look: context_budget(t, 0) for t, look in zip(timelines, looks, strict=True) if not is_foreign(t)}
    for budget in sorted({b for b in budgets.values() if b <= top}):
        letters = "".join(look.word for look, b in budgets.items() if b == budget)
        whose = "" if len(letters) == len(budgets) else f" of {', '.join(letters)}"
        figure.add_hline(
            y=budget,
            line={"color": FAINT.light, "width": 1, "dash": "longdash"},
            annotation={"text": f"budget{whose} {budget:,}", "font": {"color": FAINT.light, "size": 12}},
            annotation_position="top left",
        )


def _ends(figure: go.Figure, timelines: Sequence[Timeline], looks: Sequence[Look], top: float) -> None:
    """The letters at the lines' ends; lines that end together share a label."""
    ends = sorted((int(t.contexts[-1]), k) for k, t in enumerate(timelines))
    groups: list[list[tuple[int, int]]] = []
    for end in ends:
        if groups and end[0] - groups[-1][-1][0] < TOGETHER * top:
            groups[-1].append(end)
        else:
            groups.append([end])
    for group in groups:
        one = looks[group[0][1]] if len(group) == 1 else looks[0]
        figure.add_annotation(
            x=1,
            xref="paper",
            y=float(np.mean([tokens for tokens, _ in group])),
            text=f"<b>{' '.join(sorted(looks[k].word for _, k in group))}</b>",
            xanchor="left",
            xshift=4,
            showarrow=False,
            font={"color": one.light, "size": 14},
        )


def _top(timelines: Sequence[Timeline]) -> float:
    sent = max(int(t.contexts.max()) for t in timelines)
    budget = max((context_budget(t, 0) for t in timelines if context_budget(t, 0) <= HEADROOM * sent), default=0)
    return 1.1 * max(sent, budget, min(int(timelines[0].untrimmed_contexts.max()), HEADROOM * sent), 10)


def _layout(base: Timeline, top: float) -> go.Layout:
    positions, names = turn_ticks(base, in_full=False)
    faint = FAINT.light
    axis = {"tickfont": {"color": faint, "size": 12}, "zeroline": False, "fixedrange": True, "automargin": True}
    turns = {"tickvals": positions, "ticktext": names, "ticks": "outside", "ticklen": 4, "tickangle": 0}
    return go.Layout(
        height=HEIGHT,
        hovermode="x unified",
        hoverlabel=HOVER_LABEL,
        paper_bgcolor="rgba(0,0,0,0)",
        plot_bgcolor="rgba(0,0,0,0)",
        margin={"l": 4, "r": 44, "t": 30, "b": 4},
        legend={**LEGEND, "traceorder": "normal"},
        xaxis={
            **axis,
            **turns,
            "range": [0.4, len(base.plans) + 0.6],
            "showgrid": False,
            "hoverformat": ",d",
            "unifiedhovertitle": {"text": "request %{x}"},
        },
        yaxis={
            **axis,
            "range": [0, top],
            "tickformat": "~s",
            "gridcolor": GRID.light,
            "nticks": 5,
            "title": {"text": "tokens", "font": {"color": faint, "size": 12}, "standoff": 4},
        },
    )
