"""The difference map's bytes: which messages only one of two timelines sends, in the retention map's format."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np

from historylab.figures.difference_fates import Decisions, PlanDifference, decisions, difference_changes
from historylab.figures.packing import Sentences, pack
from historylab.figures.retention_map import browser_look, packed_changes
from historylab.planning.plan import HistoryPlan
from historylab.planning.reasons import Action, fill_sentence, reason_of
from historylab.planning.replay import Timeline
from historylab.wording.palette import BOTH, CONFIGURATIONS, LOOKS, NEITHER, UNLIKE, Look

TEXTURES = {PlanDifference.NEITHER: "dotted", PlanDifference.UNLIKE: "ruled", PlanDifference.ONLY_B: "hatched"}


def pack_difference(a: Timeline, b: Timeline, letters: str, key: str, conversation: str) -> bytes:
    """The part that depends on the two timelines alone, whose messages must match; `letters` names them: "AB".

    `conversation` is the key of the part that follows from the first one's conversation.
    """
    changes = difference_changes(a, b)
    codes = [decisions(fate) for fate in changes.fates.tolist()]
    counts = changes.counts(np.array([code.difference for code in codes], np.int64), len(PlanDifference))
    looks = difference_looks(letters)
    sentences = _sentences(a, b, letters, codes)
    words = {
        "looks": [browser_look(looks[difference], TEXTURES.get(difference, "")) for difference in PlanDifference],
        "codes": [int(code.difference) for code in codes],
        "rules": list(range(len(codes))),
        "replaced": [],
        "sentences": sentences.words(),
        "says": [_says(per_request, letters) for per_request in counts.tolist()],
        "binned": "somewhere ",
    }
    none = np.empty(0, np.int64)
    arrays = {**packed_changes(changes), **sentences.arrays(), "share": _share(counts), "moved": none, "over": none}
    return pack({"key": key, "conversation": conversation}, words, arrays)


def difference_looks(letters: str) -> Mapping[PlanDifference, Look]:
    """Name and look of each difference between the two of these letters."""
    a, b = (next(look for look in CONFIGURATIONS if look.word == word) for word in letters)
    only = {PlanDifference.ONLY_B: _only(b, a), PlanDifference.ONLY_A: _only(a, b)}
    return {PlanDifference.NEITHER: NEITHER, PlanDifference.BOTH: BOTH, PlanDifference.UNLIKE: UNLIKE, **only}


def _only(one: Look, other: Look) -> Look:
    meaning = f"{one.word} sends it, {other.word} doesn’t"
    return Look(f"only {one.word}", one.word, one.light, one.dark, meaning)


def _says(counts: list[int], letters: str) -> str:
    """ "12 messages only in A, 3 only in B" """
    words = {
        PlanDifference.ONLY_A: f"only in {letters[0]}",
        PlanDifference.ONLY_B: f"only in {letters[1]}",
        PlanDifference.UNLIKE: "not alike",
    }
    parts = [f"{counts[difference]:,} {how}" for difference, how in words.items() if counts[difference]]
    if not parts:
        return "the same messages"
    first, *more = parts
    count, _, how = first.partition(" ")
    return ", ".join((f"{count} {'message' if count == '1' else 'messages'} {how}", *more))


def _share(counts: np.ndarray) -> np.ndarray:
    """Per request, percent of messages that differ (rounded up)."""
    differ = counts[:, PlanDifference.UNLIKE :].sum(axis=1)
    percent: np.ndarray = np.ceil(100 * differ / np.maximum(1, counts.sum(axis=1))).astype(np.int64)
    return percent


def _sentences(a: Timeline, b: Timeline, letters: str, codes: list[Decisions]) -> Sentences:
    """Per request and code its sentence, with both plans' numbers; what no message has may be missing."""
    found = Sentences()
    for request, plans in enumerate(zip(a.plans, b.plans, strict=True)):
        for k, code in enumerate(codes):
            given = map(_numbers, plans, code.actions, code.reasons)
            numbers = tuple(known for known in given if known is not None)
            if len(numbers) == len(plans):
                found.tell(request, k, numbers, partial(_sentence, code, numbers, letters))
    return found


def _numbers(plan: HistoryPlan, action: Action, reason: int) -> Mapping[str, Any] | None:
    """The numbers of the reason's sentence, which nobody needs for what is sent whole; None if the plan has none."""
    needed = action > Action.PINNED and "{" in reason_of(reason).sentence
    return (plan.numbers.get(reason) or None) if needed else {}


def _sentence(code: Decisions, numbers: tuple[Mapping[str, Any], ...], letters: str) -> str:
    """ "A: ● kept. B: × dropped. Older than the last 10 user messages." """
    parts = []
    for letter, action, reason, known in zip(letters, code.actions, code.reasons, numbers, strict=True):
        because = fill_sentence(reason_of(reason), known) if action > Action.PINNED else ""
        parts.append(" ".join(filter(None, (f"{letter}: {LOOKS[action].badge}.", because))))
    return " ".join(parts)
