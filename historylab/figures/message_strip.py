"""A strip of all messages at one request, the oldest at the left, coloured by what happens to each."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from historylab.figures.palette import LOOKS
from historylab.plan import Action, HistoryPlan

MOST_CELLS = 600  # more messages are binned, the worst decision of a bin standing for it


def message_strip(plan: HistoryPlan) -> str:
    """The strip as SVG in the page's `--hl-…` colours; how many of each is its alternative text."""
    actions = binned(plan.actions)
    counts = np.bincount(plan.actions, minlength=len(Action))
    said = ", ".join(f"{counts[action]:,} {look.word}" for action, look in LOOKS.items() if counts[action])
    cells = "".join(
        f'<rect x="{start}" width="{length}" height="1" fill="var(--hl-{Action(action).name.lower()})"/>'
        for start, length, action in runs(actions)
    )
    return (
        f'<svg class="hl-strip" viewBox="0 0 {max(1, len(actions))} 1" preserveAspectRatio="none" role="img" '
        f'aria-label="{said}">{cells}</svg>'
    )


def difference_strip(plan: HistoryPlan, base: HistoryPlan, name: str, base_name: str) -> str:
    """A thin strip: marked where only one of two plans sends a message, in that configuration's colour."""
    sent, sent_before = plan.actions <= Action.TRUNCATED, base.actions <= Action.TRUNCATED
    only = binned(np.where(sent & ~sent_before, 2, np.where(sent_before & ~sent, 1, 0)).astype(np.uint8))
    colours = {1: f"var(--hl-only-{base_name})", 2: f"var(--hl-only-{name})"}
    cells = "".join(
        f'<rect x="{start}" width="{length}" height="1" fill="{colours[which]}"/>'
        for start, length, which in runs(only)
        if which
    )
    return (
        f'<svg class="hl-strip hl-thin" viewBox="0 0 {max(1, len(only))} 1" preserveAspectRatio="none" '
        f'aria-hidden="true">{cells}</svg>'
    )


def binned(codes: np.ndarray) -> np.ndarray:
    """At most MOST_CELLS codes, of each bin the highest."""
    if len(codes) <= MOST_CELLS:
        return codes
    return np.array([part.max() for part in np.array_split(codes, MOST_CELLS)], np.uint8)


def runs(codes: np.ndarray) -> Iterator[tuple[int, int, int]]:
    """(start, length, code) of every run of equal codes."""
    starts = np.flatnonzero(np.diff(codes.astype(np.int16), prepend=-1))
    lengths = np.diff(np.append(starts, len(codes)))
    yield from zip(starts.tolist(), lengths.tolist(), codes[starts].tolist(), strict=True)
