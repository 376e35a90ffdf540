"""The history as really sent, as decisions: of an agent, an app or its framework, read off the file they left."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import Any

import numpy as np

from historylab.conversation.compactions import Compaction
from historylab.conversation.conversation import Conversation
from historylab.conversation.message import Message
from historylab.conversation.sent import SentHistory, each_sent, held_by_request
from historylab.planning.given_decisions import NOT_KNOWN, MessageDecisions
from historylab.planning.reasons import SHOWN, Action, EachMessage, reason

IN_REQUEST = reason("as_sent_whole", "It was in the request.")
OTHER_TEXT = reason("as_sent_otherwise", "It was in the request with another text.")
GONE = reason("as_sent_gone", "{why}")
SUMMED_UP = reason("as_sent_summed_up", "{why}")
NEVER = "It was in no request so far"
FELL = "the reported size fell here, and the file doesn’t say which messages went"


def decide_as_sent(
    conversation: Conversation,
    histories: Sequence[SentHistory],
    compactions: Sequence[Compaction],
    sizes: Sequence[int | None],
    by: str,
) -> Iterator[MessageDecisions]:
    """The decisions of each request, as the file says it was sent; `sizes`: tokens of each whole request, where they
    were reported. The caller sets the budgets."""
    causes = _Causes(len(conversation), by, compactions)
    folded = np.zeros(len(conversation), bool)
    fell = [cut.request for cut in compactions if cut.inferred and not cut.dropped]
    unknown = unknown_requests(conversation, histories, compactions)
    for request, (held, history) in enumerate(held_by_request(conversation, histories)):
        size = len(held)
        shown = conversation.columns.shown_before(size)
        held[shown] = False
        causes.see(request, held)
        for first, stop in history.summarized:
            folded[first:stop] = True
        actions = np.where(held, Action.KEPT, np.where(folded[:size], Action.SUMMARIZED, Action.DROPPED))
        reasons = np.where(held, IN_REQUEST.code, np.where(folded[:size], SUMMED_UP.code, GONE.code))
        actions[shown], reasons[shown] = Action.DROPPED, SHOWN.code
        shortened = {i: text for i, text in history.shortened.items() if i < size and held[i]}
        for i in shortened:
            actions[i], reasons[i] = Action.TRUNCATED, OTHER_TEXT.code
        cause = {"why": causes.of(size)}  # of both, as it is made for every request
        numbers: dict[int, dict[str, Any]] = {GONE.code: cause, SUMMED_UP.code: cause}
        if request in unknown:
            newest = size
            if history.known:  # what was said since the size last fell was sent
                newest = conversation.columns.requests.item(max(cut for cut in fell if cut <= request))
            reasons[:newest][held[:newest]] = NOT_KNOWN.code
            numbers[NOT_KNOWN.code] = {"why": history.why or FELL}
        yield MessageDecisions(
            by,
            actions.astype(np.uint8),
            reasons.astype(np.uint8),
            numbers,
            shortened,
            None,
            0,
            sizes[request],
            _order(history, size, frozenset(shown.tolist())),
        )


def unknown_requests(
    conversation: Conversation, histories: Sequence[SentHistory], compactions: Sequence[Compaction]
) -> frozenset[int]:
    """The requests (from 0) whose messages the file doesn't tell."""
    requests = len(conversation.columns.requests)
    lost = next((cut.request for cut in compactions if cut.inferred and not cut.dropped), requests)
    told = (i for i, (_, history) in enumerate(held_by_request(conversation, histories)) if not history.known)
    return frozenset((*told, *range(lost, requests)))


class _Causes:
    """The sentence per message on why it is no longer sent, as of the request that was seen last."""

    def __init__(self, size: int, by: str, compactions: Sequence[Compaction]):
        self._of = np.zeros(size, np.int32)  # 0: sent, or never yet
        self._was = np.zeros(0, bool)
        self._sentences = [f"{NEVER}."]
        self._by, self._cuts = by, {cut.request: cut for cut in compactions}

    def see(self, request: int, held: np.ndarray) -> None:
        """Take the next request: what it no longer holds went there."""
        was = np.pad(self._was, (0, len(held) - len(self._was)), constant_values=request in self._cuts)
        gone = np.flatnonzero(was & ~held)  # what came since the request before is gone by a cut alone
        if len(gone):
            self._of[gone] = len(self._sentences)
            self._sentences.append(self._sentence(request))
        self._was = held

    def of(self, size: int) -> EachMessage:
        """The sentences of the first so many messages."""
        together = self._sentences[1] if len(self._sentences) == 2 else f"Left out by {self._by}, at several places."
        return EachMessage(self._of[:size].copy(), self._sentences, together)  # the list grows, and stays what it was

    def _sentence(self, request: int) -> str:
        cut = self._cuts.get(request)
        if cut is None:
            return f"Left out from request {request + 1:,} on, by {self._by}."
        return f"{cut_clause(cut, self._by)}."


def cut_clause(cut: Compaction, by: str = "") -> str:
    """ "Compacted by Claude Code before request 72 (auto, 167,731 tokens → 42,603); message 431 is its summary"."""
    sizes = [f"{n:,}" for n in (cut.tokens_before, cut.tokens_after) if n is not None]
    told = ", ".join(filter(None, (cut.trigger, f"{' → '.join(sizes)} tokens" if sizes else "")))
    stands = "" if cut.summary is None else f"; message {cut.summary + 1:,} is its summary"
    word = "Cut" if cut.inferred and cut.summary is None else "Compacted"
    return f"{word} by {cut.by or by} before request {cut.request + 1:,}{f' ({told})' if told else ''}{stands}"


def _order(history: SentHistory, size: int, shown: Collection[int]) -> list[int | Message] | None:
    """The messages as sent, but for those only `shown`; None where they are the conversation's in its order."""
    ranges = [each for each in history.sent if not isinstance(each, Message)]
    if len(ranges) == len(history.sent) and ranges == sorted(ranges):
        return None
    return [each for each in each_sent(history.up_to(size)) if isinstance(each, Message) or each not in shown]
