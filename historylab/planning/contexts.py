"""The contexts of requests: what they send of their messages, and what is outside those, as reported or as set.

A request that reports its usage is anchored there; the stages never see that, so a running app decides the same.
"""

from __future__ import annotations

import numpy as np

from historylab.conversation.conversation import Conversation
from historylab.counters.base import Counter
from historylab.counters.reported_contexts import context_by_request
from historylab.planning.history import sums_of
from historylab.settings.fields import DEFAULT_MODEL
from historylab.settings.model import Settings


def contexts_of(conversation: Conversation, settings: Settings, counter: Counter, tokens: np.ndarray) -> np.ndarray:
    """int64[…, requests]: contexts of requests that send so many `tokens` (int64) of the conversation's messages."""
    reported, counted = reported_under(conversation, settings, tokens.shape[-1]), tokens + settings.overhead
    if not reported.any():
        return counted
    whole = sums_of(conversation, counter).running[conversation.columns.requests] + counter.per_request
    left = np.maximum(reported - (whole - tokens), np.minimum(settings.overhead, reported))
    return np.where(reported > 0, left, counted)


def reported_under(conversation: Conversation, settings: Settings, requests: int) -> np.ndarray:
    """int64[requests]: the reported contexts that say anything of requests under these settings; 0 where none does.

    They were of the recorded model; a projection that makes other requests makes other ones.
    """
    own = settings.model == (conversation.recorded.model or DEFAULT_MODEL) and not conversation.recorded.textless
    found = context_by_request(conversation)
    return found if own and len(found) == requests else np.zeros(requests, np.int64)
