"""The faults in what a trimmer sends, counted: those it makes, apart from those that the file has already.

A result without a call in the file is one in every request that holds it, whoever trims.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from historylab.conversation.message import Message
from historylab.planning.context_fill import known_window
from historylab.planning.given_decisions import RequestDecisions
from historylab.planning.plan import HistoryPlan
from historylab.planning.reasons import Action
from historylab.planning.replay import Timeline
from historylab.planning.validity import ProviderValidity, Validity, lost_prompts, recorded_validity, validity


class TrimmerFaults(NamedTuple):
    """The faults of all requests of a timeline, counted.

    `refused`: requests that any API refuses, for what the trimmer did: `orphans`, results without their call;
    `unanswered`, calls without all their results; or `empty` ones, with nothing to answer. `already`: requests that
    are refused for what the file has. `without_prompt`: requests without the conversation's system prompt;
    `without_user`: without a message of a user. `over_window`: requests larger than the model's window, None where
    that isn't known.
    """

    requests: int
    refused: int
    already: int
    orphans: int
    unanswered: int
    empty: int
    without_prompt: int
    without_user: int
    over_window: int | None


class _Added(NamedTuple):
    """The faults of each request that the file doesn't have, and which requests are refused for them."""

    orphans: np.ndarray
    unanswered: np.ndarray
    empty: np.ndarray
    refused: np.ndarray


def count_faults(timeline: Timeline) -> TrimmerFaults:
    """The faults of the requests that are judged."""
    found, window, judged = validity(timeline), known_window(timeline.settings), timeline.judged
    plans = [timeline.plans[number] for number in np.flatnonzero(judged).tolist()]
    added = _find_added(timeline, found)
    counted = {name: int(each[added.refused].sum()) for name, each in added._asdict().items()}
    return TrimmerFaults(
        requests=len(plans),
        already=int(found.refused.sum()) - counted["refused"],
        **counted,
        without_prompt=int(lost_prompts(timeline).sum()),
        without_user=sum(all(message.role != "user" for message in plan.render()) for plan in plans),
        over_window=int((timeline.contexts[judged] > window).sum()) if window else None,
    )


def refused_for_trimming(timeline: Timeline) -> np.ndarray:
    """bool[requests]: those refused, by the recorded provider's rules, for what the trimmer did."""
    return _find_added(timeline, recorded_validity(timeline)).refused


def _find_added(timeline: Timeline, found: Validity) -> _Added:
    if not found.refused.any():
        return _Added(found.orphans, found.unanswered, found.empty, found.refused)
    whole = timeline.remember("sent whole", lambda: _send_whole(timeline))
    results, calls = _find_unpaired(timeline.conversation.messages)
    orphans = np.maximum(found.orphans - _count_sent(timeline.plans, results), 0)
    unanswered = np.maximum(found.unanswered - _count_sent(timeline.plans, calls), 0)
    of_file = validity(whole)
    empty = found.empty & ~of_file.empty
    added = (orphans > 0) | (unanswered > 0) | empty
    if isinstance(found, ProviderValidity):
        by_rules = recorded_validity(whole)
        added |= _has_cause(found) & ~_has_cause(by_rules)
    return _Added(orphans, unanswered, empty, found.refused & added)


def _has_cause(found: Validity) -> np.ndarray:
    """bool[requests]: those that a provider's rules refuse; where none are known, those that are empty."""
    causes = found.causes if isinstance(found, ProviderValidity) else found.empty
    return np.array([bool(cause) for cause in causes], bool)


def _send_whole(timeline: Timeline) -> Timeline:
    """The conversation with every request sent whole, as the file has it."""
    sizes = timeline.original.columns.requests.tolist()
    whole = [RequestDecisions(range(size)) for size in sizes]
    return Timeline.from_decisions(timeline.original, whole, settings=timeline.settings)


def _find_unpaired(messages: Sequence[Message]) -> tuple[list[tuple[int, int]], list[tuple[int, int]]]:
    """The file's results without a call, and its messages with calls that lack a result.

    Each with the length of the history in which it first is one: more may be said before a call counts as unanswered.
    """
    results, calls, waiting, calling = list[tuple[int, int]](), list[tuple[int, int]](), list[str](), 0
    for at, message in enumerate(messages):
        if message.role != "tool":
            calls += [(calling, at)] if waiting else []
            waiting, calling = [call.id for call in message.tool_calls], at
        elif message.tool_call_id in waiting:
            waiting.remove(message.tool_call_id)
        else:
            results.append((at, at + 1))
    return results, calls


def _count_sent(plans: Sequence[HistoryPlan], places: Sequence[tuple[int, int]]) -> np.ndarray:
    """int64[requests]: how many of these messages each request holds."""
    counts = [
        sum(size <= plan.size and plan.action_of(at) <= Action.TRUNCATED for at, size in places) for plan in plans
    ]
    return np.array(counts, np.int64)
