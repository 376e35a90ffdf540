"""The axis all charts share, requests from left to right: which are drawn, and where turns begin."""

from __future__ import annotations

import numpy as np

from historylab.planning.replay import Timeline
from historylab.wording.palette import FAINT, INK, PAGE

MOST_POINTS = 600  # more are binned, each bin shown as its largest request
HEADROOM = 2.4  # the untrimmed total may compress the rest by this factor at most
HOVER_LABEL = {"bgcolor": PAGE.light, "bordercolor": FAINT.light, "font": {"color": INK.light, "size": 12}}
"""The label at the pointer of a Plotly figure, in colours that follow the theme: its own would be the line's."""
LEGEND = {"orientation": "h", "y": 1.02, "yanchor": "bottom", "x": 0, "font": {"color": INK.light}}
"""The legend of a Plotly figure, above it."""


def drawn_requests(tokens: np.ndarray, most: int = MOST_POINTS) -> np.ndarray:
    """int64: the requests drawn (from 0); all, or of each bin the one with the most tokens."""
    if len(tokens) <= most:
        return np.arange(len(tokens))
    bins = np.array_split(np.arange(len(tokens)), most)
    return np.array([chunk[tokens[chunk].argmax()] for chunk in bins])


def reach_of(timeline: Timeline, budget: int) -> float:
    """How far the tokens' axis reaches: to what is sent, and to budget and untrimmed unless they would dwarf it."""
    sent, untrimmed = int(timeline.contexts.max()), int(timeline.untrimmed_contexts.max())
    reach = max(sent, min(budget, 2 * untrimmed))
    return max(reach, min(untrimmed, HEADROOM * reach), 10)


def turn_ticks(timeline: Timeline, most: int = 16, *, in_full: bool = True) -> tuple[list[int], list[str]]:
    """The first request (from 1) of every turn, or of every n-th, and "turn 3"; `in_full` says what is before it."""
    first = [s for s in timeline.steps if s.request_in_turn == 1 and s.turn >= 0]
    every = next((n for n in (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000) if len(first) <= most * n), 2000)
    chosen = [s for s in first if every == 1 or (s.turn + 1) % every == 0 or s.turn == 0]
    names = [f"{step.turn + 1:,}" for step in chosen]
    first_name = [_first_turn(name, step.turn if in_full else 0) for name, step in zip(names[:1], chosen, strict=False)]
    return [step.number + 1 for step in chosen], [*first_name, *names[1:]]


def _first_turn(name: str, before: int) -> str:
    """ "turn 5 (1–4 had no request)" """
    silent = "1" if before == 1 else f"1–{before:,}"
    return f"turn {name}" + (f" ({silent} had no request)" if before else "")
