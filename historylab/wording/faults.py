"""The faults in what a trimmer sends, in a sentence: what an API refuses, and what it takes amiss."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from historylab.costs.amounts import count_of
from historylab.planning.context_fill import known_window
from historylab.planning.replay import Timeline
from historylab.planning.validity import lost_prompts, validity
from historylab.wording.phrases import list_in_words


class TrimmerFaults(NamedTuple):
    """The faults of all requests of a timeline, counted.

    `refused`: requests that any API refuses: `orphans`, results without their call; `unanswered`, calls without all
    their results; or `empty` ones, with nothing to answer. `without_prompt`: requests without the conversation's
    system prompt; `without_user`: without a message of a user.
    `over_window`: requests larger than the model's window, None where that isn't known.
    """

    requests: int
    refused: int
    orphans: int
    unanswered: int
    empty: int
    without_prompt: int
    without_user: int
    over_window: int | None


def count_faults(timeline: Timeline) -> TrimmerFaults:
    """The faults of the requests that are judged."""
    found, window, judged = validity(timeline), known_window(timeline.settings), timeline.judged
    plans = [timeline.plans[number] for number in np.flatnonzero(judged).tolist()]
    refused, orphans, unanswered, empty, unprompted = (
        int(each.sum())
        for each in (found.refused, found.orphans, found.unanswered, found.empty, lost_prompts(timeline))
    )
    alone = sum(all(message.role != "user" for message in plan.render()) for plan in plans)
    over = int((timeline.contexts[judged] > window).sum()) if window else None
    return TrimmerFaults(len(plans), refused, orphans, unanswered, empty, unprompted, alone, over)


def faults_sentence(timeline: Timeline) -> str:
    """ "2 of 62 requests would be refused: 3 tool results without their call. Without a user message: 4 requests."

    "" where it failed at every request.
    """
    found = count_faults(timeline)
    if not found.requests:
        return ""
    of = f"{found.refused:,} of {count_of(found.requests, 'request')} would be refused: {causes_in_words(found)}"
    others = (
        ("Without the system prompt", found.without_prompt),
        ("Without a user message", found.without_user),
        ("Over the window", found.over_window),
    )
    said = [f"{what}: {count_of(number, 'request')}" for what, number in others if number]
    return ". ".join([of if found.refused else "No request would be refused", *said]) + "."


def causes_in_words(found: TrimmerFaults) -> str:
    """ "31 tool results without their call and 2 requests with nothing to answer": why requests are refused."""
    causes = (
        (found.orphans, "tool result", f"without {'its' if found.orphans == 1 else 'their'} call"),
        (found.unanswered, "message", "with calls that lack a result"),
        (found.empty, "request", "with no message of a user or tool"),
    )
    return list_in_words([f"{count_of(number, noun)} {rest}" for number, noun, rest in causes if number])
