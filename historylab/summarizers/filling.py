"""Filling the room a summary has: as many texts as fit, by their own counts, counted once each."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from historylab.conversation.message import Message
from historylab.summarizers.base import SummaryTask

LEAST = 2  # tokens the shortest text takes: one, and what separates it from the next


def select_fitting(texts: Sequence[str], room: int, task: SummaryTask) -> list[int]:
    """Indices of the texts that fit `room` tokens, taken in order, by their own counts and a separator each."""
    return take_fitting(costs_of(texts, task), room, task) if room >= LEAST else []


def take_fitting(costs: Iterable[int], room: int, task: SummaryTask) -> list[int]:
    """Indices of the costs that fit `room` tokens, taken in order."""
    if room < LEAST:
        return []
    left, fitting = room - task.count(""), []
    for number, cost in enumerate(costs):
        if cost <= left:
            left -= cost
            fitting.append(number)
    return fitting


def costs_of(texts: Sequence[str], task: SummaryTask) -> list[int]:
    """Tokens that each text adds to a summary, with what separates it: counted once, as it comes again in the next."""
    known = task.known.setdefault(("tokens of texts", task.counter.key), {})
    if not all(map(known.__contains__, texts)):
        new = list(dict.fromkeys(text for text in texts if text not in known))
        known.update(zip(new, count_costs(new, task).tolist(), strict=True))
    return [known[text] for text in texts]


def count_costs(texts: Sequence[str], task: SummaryTask) -> np.ndarray:
    """int64: the same, counted now."""
    costs: np.ndarray = task.counter.count([Message("system", text) for text in texts]) - task.count("") + 1
    return costs
