"""The contexts that a provider reported, and which of them were of the history that the file holds.

After a compaction by the program that wrote the file, marked or not, a request no longer sends what stands before it;
and a call beside the conversation (a title, a topic) never did.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from historylab.conversation.compactions import BACK, SMALLEST, Compaction
from historylab.conversation.conversation import Conversation
from historylab.conversation.recorded import sent_whole
from historylab.conversation.sent import is_summary, sent_histories, trimmed_requests
from historylab.conversation.usage import answer_with_usage, usage_of
from historylab.counters.base import model_counter, token_column
from historylab.settings.fields import DEFAULT_MODEL

FALLEN = 0.5
"""Below this share of the largest context before, and of its own messages' tokens, a request isn't the whole history.

Of 42 sessions that nothing compacted the largest fall is to 0.86, of six that were the smallest to 0.32.
"""
BY_ITSELF, BY_HAND = ("auto", "threshold", "context_limit"), ("manual", "requested")
"""Triggers of a compaction of a context that was full, and of one that somebody asked for."""
FEWEST_REQUESTS = 3
"""A line through fewer points says nothing about its fit."""


def reported_contexts(conversation: Conversation) -> tuple[np.ndarray, np.ndarray]:
    """Per reply with usage: the history length it answered (int64), and the context the provider counted (float64).

    Only of requests that sent the history, or as much of it as a recording says. A reply that begins the file was to
    something the file does not hold: what its context was made of is unknown.
    """
    at, reported, fallen = _contexts(conversation)
    return at[~fallen], reported[~fallen]


def context_by_request(conversation: Conversation) -> np.ndarray:
    """int64[requests]: the reported context of each that sent its history whole; 0 where that isn't known."""
    return conversation.remember("context by request", lambda: _context_by_request(conversation))


def _context_by_request(conversation: Conversation) -> np.ndarray:
    at, reported = reported_contexts(conversation)
    held = dict(zip(at.tolist(), reported.astype(np.int64).tolist(), strict=True))
    sizes, trimmed = conversation.columns.requests.tolist(), trimmed_requests(conversation)
    whole = (sent_whole(conversation, size) and size not in trimmed for size in sizes)
    answers = (answer_with_usage(conversation, n) if sent else None for n, sent in zip(sizes, whole, strict=True))
    return np.array([0 if i is None else held.get(i, 0) for i in answers], np.int64)


def full_at(conversation: Conversation) -> int | None:
    """Tokens of the largest context before a compaction took more than half of it; None where nothing shows one.

    Not where the file says that a person had it compacted.
    """
    if any(cut.trigger in BY_HAND for cut in _marked_cuts(conversation)):
        return None
    _, reported, fallen = _contexts(conversation)
    largest = reported[~fallen].max(initial=0)
    compacted = len(fallen) > 0 and fallen[-1] and reported[fallen].min() < FALLEN * largest
    return int(largest) if compacted else None


def compacted_by_itself_at(conversation: Conversation) -> int | None:
    """Tokens at which the file says that its program compacted because it was full; None if it says so of no cut."""
    told = (cut.tokens_before for cut in _marked_cuts(conversation) if cut.trigger in BY_ITSELF)
    return max(filter(None, told), default=None)


def _marked_cuts(conversation: Conversation) -> list[Compaction]:
    """The cuts that took messages from what is sent, as the file's own marks tell."""
    cuts = conversation.recorded.compactions if sent_histories(conversation) else ()
    return [cut for cut in cuts if not cut.inferred and (cut.dropped or cut.summary is not None)]


def _contexts(conversation: Conversation) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """History length, context, and whether the request didn't hold the history (bool), per reply with usage."""
    return conversation.remember("reported contexts", lambda: _find_contexts(conversation))


def _find_contexts(conversation: Conversation) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    found = [(i, u) for i, m in enumerate(conversation) if i and (u := usage_of(m)) and u.context]
    at = np.array([i for i, _ in found], np.int64)
    reported = np.array([usage.context for _, usage in found], float)
    marked = next((i for i, m in enumerate(conversation) if is_summary(m)), len(conversation))
    told = sent_histories(conversation)
    after = [each.size for each in told or () if each.cut]
    fallen = _fallen(conversation, at, reported) if told is None else np.zeros(len(at), bool)
    return at, reported, fallen | ~_first_part(at, {marked, *after})


def _first_part(at: np.ndarray, cuts: Iterable[int]) -> np.ndarray:
    """bool: the requests before the first of these cuts; where these are too few, between the first two that have more.

    What a program attaches again after a cut is in no file: each part has an overhead of its own.
    """
    part = np.searchsorted(sorted(cuts), at, side="right")
    parts, requests = np.unique(part, return_counts=True)
    chosen = next(iter(parts[requests >= FEWEST_REQUESTS]), 0)
    found: np.ndarray = part == chosen
    return found


def _fallen(conversation: Conversation, at: np.ndarray, reported: np.ndarray) -> np.ndarray:
    """bool: contexts far below both an earlier one and their own messages, and all after them until one is back."""
    fallen = np.zeros(len(at), bool)
    if reported.max(initial=0) < SMALLEST:
        return fallen
    counter = model_counter(conversation.recorded.model or DEFAULT_MODEL)
    messages = np.concatenate(([0], np.cumsum(token_column(conversation, counter))))[at]
    largest, beside, before = 0.0, np.inf, False
    for k, (tokens, counted) in enumerate(zip(reported.tolist(), messages.tolist(), strict=True)):
        below = largest >= SMALLEST and tokens < FALLEN * largest and tokens - max(beside, 0) < FALLEN * counted
        straight_back = before and reported[k - 1] < FALLEN * largest and tokens >= BACK * largest
        fallen[k] = before = below or (before and not straight_back)
        if not before:
            largest, beside = max(largest, tokens), min(beside, tokens - counted)
    return fallen
