"""A strip of all messages at one request, the oldest at the left, coloured by action."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from historylab.planning.plan import HistoryPlan
from historylab.planning.reasons import Action
from historylab.wording.palette import LOOKS

MOST_CELLS = 600  # more messages are binned, each bin shown as its worst decision


def message_strip(plan: HistoryPlan) -> str:
    """The strip as HTML in the page's `--hl-…` colours; the count of each action is its alternative text."""
    counts = np.bincount(plan.actions, minlength=len(Action))
    counted = ", ".join(f"{counts[action]:,} {look.word}" for action, look in LOOKS.items() if counts[action])
    colours = [f"var(--hl-{Action(action).name.lower()})" for action in Action]
    style = paint_gradient(bin_codes(plan.actions), colours)
    return f'<div class="hl-strip" role="img" aria-label="{counted}" style="{style}"></div>'


def difference_strip(plan: HistoryPlan, base: HistoryPlan, name: str, base_name: str) -> str:
    """A thin strip: marked where only one of two plans sends a message, in that configuration's colour."""
    sent, sent_before = plan.actions <= Action.TRUNCATED, base.actions <= Action.TRUNCATED
    only = bin_codes(np.where(sent & ~sent_before, 2, np.where(sent_before & ~sent, 1, 0)).astype(np.uint8))
    colours = ["transparent", f"var(--hl-only-{base_name})", f"var(--hl-only-{name})"]
    return f'<div class="hl-strip hl-thin" aria-hidden="true" style="{paint_gradient(only, colours)}"></div>'


def paint_gradient(codes: np.ndarray, colours: Sequence[str]) -> str:
    """The codes from left to right as a background of hard stops: one element, however many messages."""
    size = max(1, len(codes)) / 100
    stops = (
        f"{colours[code]} {start / size:.2f}% {(start + length) / size:.2f}%"
        for start, length, code in equal_runs(codes)
    )
    return f"background-image:linear-gradient(to right,{','.join(stops)})" if len(codes) else ""


def bin_codes(codes: np.ndarray) -> np.ndarray:
    """At most MOST_CELLS codes: the highest of each bin."""
    if len(codes) <= MOST_CELLS:
        return codes
    return np.array([part.max() for part in np.array_split(codes, MOST_CELLS)], np.uint8)


def equal_runs(codes: np.ndarray) -> Iterator[tuple[int, int, int]]:
    """(start, length, code) of every run of equal codes."""
    starts = np.flatnonzero(np.diff(codes.astype(np.int16), prepend=-1))
    lengths = np.diff(np.append(starts, len(codes)))
    yield from zip(starts.tolist(), lengths.tolist(), codes[starts].tolist(), strict=True)
