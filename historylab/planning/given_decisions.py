"""Decisions from outside: plans of what a log, another trimmer or a recording says was sent.

They are plans like those of our stages, so map, bill, needs, refusals and report judge them alike. Nothing is mended: a
request that an API would refuse keeps its fault.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from itertools import pairwise
from typing import Any

import numpy as np

from historylab.conversation.conversation import Conversation
from historylab.conversation.message import MOST_TOKENS, Message, Summary, prompt_length
from historylab.counters.base import Counter, count_text, token_column
from historylab.errors import PlanError
from historylab.planning.history import History
from historylab.planning.plan import HistoryPlan
from historylab.planning.reasons import SHOWN, Action, EachMessage, reason, reason_of
from historylab.planning.shortening import Shortening
from historylab.planning.texts import Texts
from historylab.trimmers.driving import TrimmedRequest

GIVEN = reason("given", "{why}")
WHOLE = reason("given_whole", "Sent whole, as {by} decided.")
SHORTER = reason("given_shorter", "Sent as a shorter text, as {by} decided.")
FOLDED = reason("given_folded", "Folded into a summary, as {by} decided.")
LEFT_OUT = reason("given_left_out", "Left out, as {by} decided.")
NOT_KNOWN = reason("as_sent_unknown", "Not known: {why}.")

Layout = Callable[[list[Message]], list[Message]]


@dataclass(frozen=True, slots=True)
class RequestDecisions:
    """One request as somebody else decided it. Messages are named by their indices in the conversation, from 0.

    Attributes:
        sent: the indices of messages, and messages that are not in the conversation, in the order they were sent.
        shortened: the text that a message was sent with in place of its own, or the whole message as it was sent, where
            it lost calls, too; it is among `sent`.
        folded: the text of each summary, and the messages that it stands for. Unless it is among `sent`, it is a system
            message after the leading ones.
        reasons: a sentence per message that says why; the others get one of ours.
        budget: tokens that the request may have; None takes it from the settings.
        tokens: of the whole request, as reported; None has them counted.

    A message that is neither sent nor folded was dropped.
    """

    sent: Sequence[int | Message] = ()
    shortened: Mapping[int, str | Message] = field(default_factory=dict)
    folded: Mapping[str, Collection[int]] = field(default_factory=dict)
    reasons: Mapping[int, str] = field(default_factory=dict)
    budget: int | None = None
    tokens: int | None = None


@dataclass(slots=True, eq=False)
class MessageDecisions:
    """Decisions about the first messages of a conversation, ready to become a plan.

    `actions` and `reasons` (uint8[size]) are per message, `numbers` as a plan has them. `order`: what was sent, where
    that isn't the conversation's order: indices, and messages that are none of it.
    """

    by: str
    actions: np.ndarray
    reasons: np.ndarray
    numbers: Mapping[int, Mapping[str, Any]]
    shortened: Mapping[int, str | Message]
    summary: Summary | None
    budget: int
    tokens: int | None = None
    order: Sequence[int | Message] | None = None
    layout: Layout | None = None

    @property
    def size(self) -> int:
        return len(self.actions)

    @property
    def with_text(self) -> np.ndarray:
        """bool[size]: the messages that were sent shorter, of which the text is known."""
        known = np.zeros(self.size, bool)
        known[list(self.shortened)] = True
        known &= self.actions == Action.TRUNCATED
        return known

    def splits(self, conversation: Conversation) -> bool:
        """True if messages of one block are treated differently, so that no decision about the block says it all."""
        homes, cut = conversation.columns.block[: self.size], self.with_text
        actions, whole = np.where(cut, Action.KEPT, self.actions), ~cut
        of_block = np.zeros(homes.max(initial=-1) + 1, np.uint8)
        of_block[homes] = actions
        why = np.zeros(len(of_block), np.uint8)
        why[homes[whole]] = self.reasons[whole]
        return bool((actions != of_block[homes]).any() or (self.reasons[whole] != why[homes[whole]]).any())


def read_decisions(
    decisions: RequestDecisions, conversation: Conversation, request: int, by: str, budget: int, counter: Counter
) -> MessageDecisions:
    """Check the decisions for a request (from 0) and prepare them. Raises PlanError, which names the request."""
    size, decisions = conversation.columns.requests.item(request), _plain(decisions, request)
    indices = [entry for entry in decisions.sent if not isinstance(entry, Message)]
    actions = np.full(size, Action.DROPPED, np.uint8)
    _check_messages([*indices, *decisions.shortened, *decisions.reasons], size, request)
    actions[indices] = Action.KEPT
    for message in decisions.shortened:
        if actions[message] != Action.KEPT:
            raise PlanError(f"request {request}: message {message} is shortened, but not sent")
        actions[message] = Action.TRUNCATED
    folded = [message for messages in decisions.folded.values() for message in messages]
    _check_messages(folded, size, request)
    for message in folded:
        if actions[message] != Action.DROPPED:
            already = "folded" if actions[message] == Action.SUMMARIZED else "sent"
            raise PlanError(f"request {request}: message {message} is folded into a summary, and {already} as well")
        actions[message] = Action.SUMMARIZED
    codes = np.array([WHOLE.code, WHOLE.code, SHORTER.code, FOLDED.code, LEFT_OUT.code], np.uint8)
    reasons = codes[actions]
    shown = conversation.columns.shown_before(size)
    reasons[shown[actions[shown] == Action.DROPPED]] = SHOWN.code
    numbers: dict[int, dict[str, Any]] = {why: {"by": by} for why in codes.tolist()}
    if decisions.reasons:
        reasons[list(decisions.reasons)] = GIVEN.code
        numbers[GIVEN.code] = {"why": each_message(size, decisions.reasons)}
    limit = budget if decisions.budget is None else decisions.budget
    summary = _summary(decisions.folded, size, by, counter)
    order = _order(decisions, indices, conversation)
    return MessageDecisions(by, actions, reasons, numbers, decisions.shortened, summary, limit, decisions.tokens, order)


def _plain(decisions: RequestDecisions, request: int) -> RequestDecisions:
    """The same with plain integers, lists and dicts, whatever was given for them: numpy's, a generator."""
    if not isinstance(decisions, RequestDecisions):
        raise PlanError(f"request {request}: RequestDecisions are wanted, not a Python {type(decisions).__name__}")
    try:
        return RequestDecisions(
            [entry if isinstance(entry, Message) else _index(entry) for entry in decisions.sent],
            {_index(i): sent if isinstance(sent, Message) else _text(sent) for i, sent in decisions.shortened.items()},
            {_text(text): list(map(_index, messages)) for text, messages in decisions.folded.items()},
            {_index(message): _text(text) for message, text in decisions.reasons.items()},
            *(_amount(tokens) for tokens in (decisions.budget, decisions.tokens)),
        )
    except (TypeError, AttributeError) as problem:
        raise PlanError(f"request {request}: its decisions can't be read: {problem}") from None


def read_trimmed(
    trimmed: TrimmedRequest, conversation: Conversation, request: int, by: str, counter: Counter
) -> MessageDecisions:
    """The decisions of a trimmer about a request (from 0); all that it can have sent where it failed."""
    if not trimmed.error:
        decided = RequestDecisions(trimmed.sent, trimmed.rewritten, trimmed.folded)
        return read_decisions(decided, conversation, request, by, 0, counter)
    size = conversation.columns.requests.item(request)
    kept, why = np.full(size, Action.KEPT, np.uint8), np.full(size, NOT_KNOWN.code, np.uint8)
    shown = conversation.columns.shown_before(size)
    kept[shown], why[shown] = Action.DROPPED, SHOWN.code
    return MessageDecisions(by, kept, why, {NOT_KNOWN.code: {"why": trimmed.error}}, {}, None, 0)


def _index(message: Any) -> Any:
    """The plain integer; what is none comes back, to be named in the error about it."""
    is_index = hasattr(message, "__index__") and not isinstance(message, bool | np.bool_)
    return operator.index(message) if is_index else message


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{value!r:.80} is no text")
    return value


def _amount(tokens: Any) -> int | None:
    if tokens is None:
        return None
    if not isinstance(found := _index(tokens), int) or isinstance(found, bool) or not 0 <= found <= MOST_TOKENS:
        raise TypeError(f"{tokens!r:.80} is no number of tokens from 0 to {MOST_TOKENS:,}")
    return found


def _order(
    decisions: RequestDecisions, indices: Sequence[int], conversation: Conversation
) -> Sequence[int | Message] | None:
    """Everything sent, with each summary in its place; None where a plan would send the same in the same order."""
    ascending = all(a < b for a, b in pairwise(indices))
    if ascending and len(indices) == len(decisions.sent) and conversation.columns.contiguous:
        return None
    placed = {entry.content for entry in decisions.sent if isinstance(entry, Message)}
    leads = (entry if isinstance(entry, Message) else conversation[entry] for entry in decisions.sent)
    first = prompt_length(leads)
    summaries = [Message("system", text) for text in decisions.folded if text not in placed]
    return [*decisions.sent[:first], *summaries, *decisions.sent[first:]]


def _check_messages(messages: Sequence[int], size: int, request: int) -> None:
    for message in messages:
        if type(message) is not int or not 0 <= message < size:
            known = f"its messages are 0 to {size - 1}" if size else "it has no messages"
            raise PlanError(f"request {request}: there is no message {message!r:.80}; {known}")


def _summary(folded: Mapping[str, Collection[int]], size: int, by: str, counter: Counter) -> Summary | None:
    """One summary for all that was folded, as needs are looked up in a single text."""
    text = "\n\n".join(folded)
    covers = sum(map(len, folded.values()))
    return Summary(text, count_text(counter, text), covers, size, by) if folded else None


def each_message(size: int, said: Mapping[int, Any]) -> EachMessage:
    """A value per message, few of them different; "" for any other."""
    of = np.zeros(size, np.int64)
    values: dict[Any, int] = {}
    for message, value in said.items():
        of[message] = values.setdefault(value, len(values) + 1)
    return EachMessage(of, ["", *values], "")


def plan_given(
    conversation: Conversation, counter: Counter, given: Sequence[MessageDecisions | HistoryPlan]
) -> tuple[Conversation, tuple[HistoryPlan, ...], str]:
    """The conversation, a plan per request, and a digest of what was decided.

    Where a decision parts a call from its results, in any request, the conversation is one of messages apart. Plans of
    our stages stand as they are, as stages never do that.
    """
    decided = [each for each in given if isinstance(each, MessageDecisions)]
    ordered = any(each.order is not None for each in decided)
    if ordered or any(each.splits(conversation) for each in decided):
        conversation = conversation.message_by_message()
        given = [_apart(each) if isinstance(each, HistoryPlan) else each for each in given]
    texts = _Texts(conversation, counter, [each.shortened for each in given if isinstance(each, MessageDecisions)])
    plans, digest = list[HistoryPlan](), blake2b(digest_size=16)
    for each in given:
        plan = each
        if isinstance(each, MessageDecisions):
            plan = _plan(each, conversation, counter, texts).stored(plans[-1] if plans else None)
            digest.update(each.actions.tobytes() + each.reasons.tobytes())
            numbers = (tuple(each.numbers), *{id(one): one for one in each.numbers.values()}.values())
            said = (each.by, each.summary, each.shortened, each.budget, each.tokens, each.order, numbers)
            digest.update(repr(said).encode("utf-8", "backslashreplace"))
        assert isinstance(plan, HistoryPlan)
        plans.append(plan)
    return conversation, tuple(plans), digest.hexdigest()


def _apart(plan: HistoryPlan) -> MessageDecisions:
    """The decisions of our stages, message by message."""
    shortened: dict[int, str] = {}
    for cut in plan.shortened:  # of several texts the last one counts
        shortened |= {i: cut.texts[i] for i in cut.messages.tolist()}
    whole = (plan.actions, plan.reasons, plan.numbers, shortened, plan.summary, plan.budget, plan.tokens)
    return MessageDecisions(plan.decided_by, *whole, layout=plan.layout)


def _plan(given: MessageDecisions, conversation: Conversation, counter: Counter, texts: _Texts) -> HistoryPlan:
    history, columns = History(conversation, counter, given.size), conversation.columns
    homes, cut = columns.block[: given.size], given.with_text
    actions, reasons = np.zeros(history.blocks, np.uint8), np.zeros(history.blocks, np.uint8)
    for messages in (cut, ~cut):  # a block of which a part is sent shorter has the reason of the rest
        actions[homes[messages]] = np.where(cut, Action.KEPT, given.actions)[messages]
        reasons[homes[messages]] = given.reasons[messages]
    plan = HistoryPlan(history, given.budget, actions, reasons)
    plan.numbers, plan.summary, plan.decided_by = given.numbers, given.summary, given.by
    plan.shortened = tuple(texts.of(np.flatnonzero(cut), given))
    plan.message_tokens = int(plan.block_tokens[plan.sent].sum())
    if given.order is not None:
        plan.others = tuple(entry for entry in given.order if isinstance(entry, Message))
        plan = plan.lay_out(_AsSent(plan, given.order))
    elif given.layout:
        plan = plan.lay_out(given.layout)
    if given.tokens is not None:
        plan.framing, plan.is_sized = given.tokens - plan.message_tokens - plan.summary_tokens, True
    return plan


class _Texts:
    """The shorter texts of all requests, each counted once: a message that was sent as several has one per layer."""

    def __init__(self, conversation: Conversation, counter: Counter, shortened: Iterable[Mapping[int, str | Message]]):
        self._layers: list[dict[int, str | Message]] = []
        for texts in shortened:
            for message, text in texts.items():
                self._layer_of(message, text)
        self._texts = [Texts(conversation, counter, layer, every=True) for layer in self._layers]
        self._tokens, self._homes = token_column(conversation, counter), conversation.columns.block

    def _layer_of(self, message: int, text: str | Message) -> int:
        for number, layer in enumerate(self._layers):
            if layer.setdefault(message, text) == text:
                return number
        self._layers.append({message: text})
        return len(self._layers) - 1

    def of(self, messages: np.ndarray, given: MessageDecisions) -> Iterator[Shortening]:
        """One shortening per layer and reason of these messages (int64, ascending), all of which have a text."""
        layers = np.array([self._layer_of(i, given.shortened[i]) for i in messages.tolist()], np.int64)
        kinds = layers << 8 | given.reasons[messages]
        for kind in np.unique(kinds).tolist():
            chosen, texts = messages[kinds == kind], self._texts[kind >> 8]
            saved = self._tokens[chosen] - texts.tokens_of(chosen)
            yield Shortening(chosen, self._homes[chosen], saved, texts, reason_of(kind & 255))


class _AsSent:
    """The layout of a request whose messages were sent in another order than the conversation's, or among others."""

    def __init__(self, plan: HistoryPlan, order: Sequence[int | Message]):
        places = {message: place for place, message in enumerate(plan.sent_messages.tolist())}
        self._order = [entry if isinstance(entry, Message) else places[entry] for entry in order]
        self._summary = prompt_length(plan.history.conversation.at(places)) if plan.summary else None

    def __call__(self, messages: list[Message]) -> list[Message]:
        kept = list(messages)
        if self._summary is not None:  # it is in the order
            del kept[self._summary]
        return [entry if isinstance(entry, Message) else kept[entry] for entry in self._order]
