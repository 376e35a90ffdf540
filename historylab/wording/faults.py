"""The faults in what a trimmer sends, in a sentence: what an API refuses, and what it takes amiss."""

from __future__ import annotations

import numpy as np

from historylab.costs.amounts import count_of
from historylab.planning.faults import TrimmerFaults, count_faults
from historylab.planning.reasons import INVALID
from historylab.planning.replay import Timeline
from historylab.wording.phrases import list_in_words


def faults_sentence(timeline: Timeline) -> str:
    """ "2 of 62 requests would be refused: 3 tool results without their call. Without a user message: 4 requests."

    "" where it failed at every request.
    """
    found = count_faults(timeline)
    if not found.requests:
        return ""
    of = f"{found.refused:,} of {count_of(found.requests, 'request')} would be refused: {causes_in_words(found)}"
    others = (
        ("Already so in the file", found.already),
        ("Without the system prompt", found.without_prompt),
        ("Without a user message", found.without_user),
        ("Over the window", found.over_window),
    )
    said = [f"{what}: {count_of(number, 'request')}" for what, number in others if number]
    return ". ".join([of if found.refused else "No request would be refused", *said]) + "."


def causes_in_words(found: TrimmerFaults) -> str:
    """ "31 tool results without their call and 2 requests with no message of a user or tool"."""
    return _name_causes(found.orphans, found.unanswered, found.empty)


def _name_causes(orphans: int, unanswered: int, empty: int = 0) -> str:
    causes = (
        (orphans, "tool result", f"without {'its' if orphans == 1 else 'their'} call"),
        (unanswered, "message", "with calls that lack a result"),
        (empty, "request", "with no message of a user or tool"),
    )
    return list_in_words([f"{count_of(number, noun)} {rest}" for number, noun, rest in causes if number])


def left_out_in_words(timeline: Timeline) -> str:
    """ "3 tool results without their call, which no API takes"; "" if no request leaves such a message out."""
    columns = timeline.conversation.columns
    if columns.clean:
        return ""
    out = np.zeros(len(columns.block), bool)
    for plan in timeline.plans:
        out[: plan.size] |= plan.reasons == INVALID.code
    blocks = np.unique(columns.block[out])
    orphans = int(columns.orphan[blocks].sum())
    return f"{_name_causes(orphans, len(blocks) - orphans)}, which no API takes" if len(blocks) else ""
