"""Requests an API would refuse, of cuts planned all at once: in those that are sent, and in naive slices.

Of conversations without a call or a result that lacks the other, and in which nothing is only shown: blocks are sent
whole, so that only the ends of a request can be wrong. `validity.py` says the same of plans.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from historylab.conversation.columns import ASSISTANT, SYSTEM, USER
from historylab.planning.api_rules import ApiRules, recorded_rules
from historylab.planning.cut_vectors import CutVectors
from historylab.planning.naive_slicing import find_starts
from historylab.planning.scans import next_places
from historylab.planning.validity import blank_messages
from historylab.settings.model import Settings


def refused_requests(vectors: CutVectors, model: str) -> np.ndarray:
    """bool[s, r]: those that the recorded provider's API refuses; where its rules aren't known, those that any does."""
    ground = vectors.ground
    spoken, everywhere = ~ground.columns.system, np.zeros_like(vectors.cuts)
    first = vectors.first_sent(everywhere, spoken)
    empty: np.ndarray = first >= ground.blocks
    recorded = ground.conversation.recorded
    rules = recorded_rules(recorded.provider, recorded.model)
    if rules is None:
        return empty
    blank = np.zeros(len(spoken), bool)
    blank[ground.columns.block[blank_messages(ground.conversation, rules)]] = True
    starts, ends = _wrong_ends(vectors, rules, model if rules.models in model else recorded.model or "")
    wrong: np.ndarray = starts[first] | ends[vectors.last_sent(spoken)]
    wrong |= vectors.last_sent(blank) >= 0
    nothing = empty if rules.systems_alone else vectors.first_sent(everywhere, np.ones_like(spoken)) >= ground.blocks
    return np.where(empty, nothing, wrong)


def _wrong_ends(vectors: CutVectors, rules: ApiRules, model: str) -> tuple[np.ndarray, np.ndarray]:
    """bool[b + 1] each: the blocks with which no request may begin, and in which none may end."""
    columns, messages = vectors.ground.columns, vectors.ground.conversation.messages
    starts, ends = np.zeros((2, len(columns.block_first) + 1), bool)
    for block in np.flatnonzero(columns.block_role != USER).tolist():
        starts[block] = rules.refuses_start(messages[columns.block_first.item(block)])
    answers = (columns.block_role == ASSISTANT) & (columns.block_first == columns.block_last)
    for block in np.flatnonzero(answers).tolist():
        ends[block] = rules.refuses_end(messages[columns.block_first.item(block)], model)
    return starts, ends


def naively_refused(vectors: CutVectors, settings: Sequence[Settings]) -> np.ndarray:
    """bool[s, r]: requests that any API refuses if the same settings are sliced message by message."""
    ground, columns = vectors.ground, vectors.ground.columns
    starts, sizes = find_starts(ground.conversation, ground.counter, settings, vectors.budgets), ground.sizes
    systems = columns.role == SYSTEM
    if not len(systems):
        found: np.ndarray = starts >= sizes
        return found
    at = np.minimum(starts, len(systems) - 1)
    halved = columns.block_first[columns.block[at]] < at
    refused: np.ndarray = halved | (next_places(~systems)[starts] >= sizes)
    return refused
