"""The cuts of a conversation's history, by the agent or app that wrote its file: as the file marks or shows them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from historylab.conversation.message import ReadMessages, Usage
from historylab.conversation.sent import RecordedCut, histories_around, is_summary, sent_histories
from historylab.conversation.usage import usage_by_request

FALL = 0.75
"""A reported context below this share of the one before was cut.

Of 42 sessions that nothing compacted the largest fall is to 0.86, of six that were the smallest to 0.32.
"""
BACK = 0.85
"""A context that is as large again as this share, straight after a small one, shows that one was beside it: a title."""
SLIGHT = 0.97
"""A reported context below this share of the one before, and no cut, is a smaller fall.

Reasoning that isn't sent again makes one, or another model's count.
"""
SMALLEST = 4096
"""No program compacts a context smaller than this."""


@dataclass(frozen=True, slots=True)
class Compaction:
    """One cut of the history, by the agent or app that wrote the file.

    Attributes:
        request: the first request after it, from 0.
        trigger: "auto", "manual" or the program's own word; None where the file doesn't say.
        tokens_before: as the file tells, else the reported context of the request before; None if neither is known.
        tokens_after: the reported context of the first request after it, else what the file tells, or None.
        told_after: what the file itself tells of the size after it, perhaps of the messages alone; or None.
        dropped: the messages that went at this cut, by index.
        summary: the message that stands for them, or None.
        inferred: no marker says so: the reported context fell, or older messages are missing from the request.
        by: who cut, as far as the file says.
        usage: that of the call that wrote the summary, by `model`; None where the file doesn't have it.
    """

    request: int
    trigger: str | None
    tokens_before: int | None
    tokens_after: int | None
    told_after: int | None
    dropped: tuple[int, ...]
    summary: int | None
    inferred: bool
    by: str = ""
    usage: Usage | None = None
    model: str | None = None


def compactions_of(conversation: ReadMessages) -> tuple[Compaction, ...]:
    """The cuts of a conversation, oldest first: those with a marker, and those its reported contexts show.

    A summary in place of messages is one; older messages that are missing from a request are one where more than a
    quarter of the text went at once, and else the window of an app, which moves at each request.
    """
    histories = sent_histories(conversation)
    if histories is None:
        return _infer_cuts(conversation)
    found, contexts = list[Compaction](), _contexts(conversation)
    for now, (before, after) in zip(histories, histories_around(histories), strict=True):
        request = conversation.columns.requests.searchsorted(now.size).item()
        dropped = np.flatnonzero(before & ~after)
        if request >= len(contexts) or not (len(dropped) or now.cut):
            continue
        summarized = now.summary is not None or any(map(is_summary, now.sent)) or bool(now.summarized)
        if now.cut is None and not summarized and not _is_large(conversation, before, dropped):
            continue
        cut = now.cut or RecordedCut(inferred=True)
        found.append(
            Compaction(
                request,
                cut.trigger,
                cut.before if cut.before is not None else (contexts[request - 1] or None if request else None),
                contexts[request] or cut.after,
                cut.after,
                tuple(dropped.tolist()),
                now.summary,
                cut.inferred,
                cut.by,
                cut.usage,
                cut.model,
            )
        )
    return tuple(found)


def _is_large(conversation: ReadMessages, before: np.ndarray, dropped: np.ndarray) -> bool:
    """Tell whether more than a quarter of the text went at once."""
    sizes = _text_sizes(conversation)
    return bool(sizes[dropped].sum() > (1 - FALL) * sizes[: len(before)][before].sum() and len(dropped) > 2)


def _text_sizes(conversation: ReadMessages) -> np.ndarray:
    """int64[messages]: characters of each, its calls included."""

    def count() -> np.ndarray:
        sizes = (len(m.content) + sum(len(c.arguments) for c in m.tool_calls) for m in conversation)
        return np.fromiter(sizes, np.int64, len(conversation))

    return conversation.remember("text sizes", count)


def _contexts(conversation: ReadMessages) -> list[int]:
    """The input tokens that the provider reported, per request; 0 where none are."""
    return [usage.context if usage else 0 for usage in usage_by_request(conversation)]


def _infer_cuts(conversation: ReadMessages) -> tuple[Compaction, ...]:
    """Cuts that only the reported contexts show: which messages went isn't known."""
    known = [(request, tokens) for request, tokens in enumerate(_contexts(conversation)) if tokens]
    found, largest = list[Compaction](), 0
    for k, (request, tokens) in enumerate(known):
        falls = largest >= SMALLEST and tokens < FALL * largest
        beside = k + 1 < len(known) and known[k + 1][1] >= BACK * largest
        if falls and not beside:
            found.append(Compaction(request, None, known[k - 1][1], tokens, None, (), None, True))
        largest = tokens if falls and not beside else max(largest, tokens)
    return tuple(found)


def smaller_falls(conversation: ReadMessages) -> tuple[tuple[int, float], ...]:
    """The requests (from 0) that report a somewhat smaller context than the one before, each with the share it fell by.

    They are no cuts. A request that was sent other messages than the one before is not among them.
    """
    contexts, requests = _contexts(conversation), conversation.columns.requests
    changed = {requests.searchsorted(each.size).item() for each in sent_histories(conversation) or ()}
    pairs = ((i, contexts[i] / contexts[i - 1]) for i in range(1, len(contexts)) if contexts[i - 1] >= SMALLEST)
    return tuple((i, 1 - share) for i, share in pairs if FALL <= share < SLIGHT and i not in changed)
