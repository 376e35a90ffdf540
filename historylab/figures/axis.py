"""The axis all charts share, requests from left to right: which are drawn, where turns begin; and a chart in words."""

from __future__ import annotations

import numpy as np

from historylab.planning.replay import Timeline
from historylab.wording.verdict import counter_label

MOST_POINTS = 600  # more are binned, the fullest request of a bin standing for it


def chart_finding(timeline: Timeline) -> str:
    """What the chart shows, in words: its alternative text."""
    peak = int(timeline.tokens.argmax())
    over = int(timeline.over_budget.sum())
    requests = len(timeline.plans)
    return (
        f"Tokens over {requests:,} requests ({counter_label(timeline.counter)}), budget {timeline.plans[0].budget:,}. "
        f"The fullest is request {peak + 1:,} with {timeline.tokens[peak]:,}; untrimmed the last would have "
        f"{timeline.untrimmed[-1]:,}. {f'{over:,} are over the budget' if over else 'None is over the budget'}."
    )


def drawn_requests(tokens: np.ndarray) -> np.ndarray:
    """Which requests are drawn: all, or of each bin the one with the most tokens."""
    if len(tokens) <= MOST_POINTS:
        return np.arange(len(tokens))
    bins = np.array_split(np.arange(len(tokens)), MOST_POINTS)
    return np.array([chunk[tokens[chunk].argmax()] for chunk in bins])


def turn_ticks(timeline: Timeline, most: int = 16) -> tuple[list[int], list[str]]:
    """The first request (from 1) of every turn, or of every n-th, and "turn 3"."""
    first = [s for s in timeline.steps if s.request_in_turn == 1 and s.turn >= 0]
    every = next((n for n in (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000) if len(first) <= most * n), 2000)
    chosen = [s for s in first if every == 1 or (s.turn + 1) % every == 0 or s.turn == 0]
    return [s.number + 1 for s in chosen], [
        f"turn {s.turn + 1:,}" if k == 0 else f"{s.turn + 1:,}" for k, s in enumerate(chosen)
    ]
