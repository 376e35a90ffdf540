"""A HistoryPlan: for one request, what happens to every message so far, and why.

Plans are immutable; a stage returns a new one through four verbs: drop, pin, summarize, truncate. The verbs take
blocks, so a tool call is never separated from its results, and they skip blocks that are already pinned, summarised or
dropped: those decisions are final. `note` decides nothing: it says why blocks are still sent.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from historylab.conversation.message import Message, Summary, prompt_length
from historylab.counters.base import count_messages
from historylab.planning.blocks import Ranges
from historylab.planning.codes import Codes
from historylab.planning.decisions import Cuts, Decisions
from historylab.planning.history import History
from historylab.planning.planned_blocks import LastWord, PlannedBlocks
from historylab.planning.reasons import (
    Action,
    Explanation,
    Reason,
    StageTrace,
    fill_sentence,
    numbers_of,
    reason,
    reason_of,
)
from historylab.planning.shortening import OldestTexts, Shortening
from historylab.planning.standing import Standing
from historylab.planning.texts import Texts

__all__ = ["Action", "Explanation", "History", "HistoryPlan", "Reason", "Shortening", "StageTrace", "Texts", "reason"]

LETTERS = "KPTSD"
SKETCHED = LETTERS.encode().ljust(256, b"?")


class HistoryPlan(PlannedBlocks):
    """One decision and one reason per message of `history`, the summary if there is one, and the tokens of the request.

    Attributes:
        history: what the plan is about.
        budget: tokens the rendered request may have (the setting less reserve and overhead, never below 0).
        shortened: messages sent as shorter texts, in the order of the decisions; for a message the last one counts.
        added: tokens of the framing that the form of an API adds when the plan is sent; stages know nothing of them.
        summary: what stands for the summarised messages; it is sent as a system message after the leading ones.
        others: messages that are sent and stand nowhere in the conversation, where the decisions came from outside.
        decided_by: who made the decisions, if not our stages.
        is_sized: True if `tokens` is the size of the whole request, as it was reported; framing is then all of it that
            is in no message.
        trace: per stage, what it did.
    """

    __slots__ = (
        "added", "budget", "changed", "decided_by", "framing", "is_sized", "layout", "message_tokens", "numbers",
        "others", "summary", "trace",
    )  # fmt: skip

    def __init__(
        self,
        history: History,
        budget: int,
        actions: np.ndarray | None = None,
        reasons: np.ndarray | None = None,
    ):
        nothing = np.zeros(history.blocks, np.uint8)
        self._begin(history, budget, Codes(*(nothing if codes is None else codes for codes in (actions, reasons))))

    def _begin(self, history: History, budget: int, decisions: Decisions) -> None:
        self.history, self.budget, self._decisions = history, budget, decisions
        self._returned: np.ndarray | None = None
        self._tokens = history.block_tokens  # until there are sums
        self._last_word: LastWord | None = None
        self.message_tokens = history.total_tokens  # of the messages sent, without framing and summary
        self.summary: Summary | None = None
        self.shortened: tuple[Shortening | OldestTexts, ...] = ()
        self.numbers: Mapping[int, Mapping[str, Any]] = {}  # reason code → the numbers its sentence needs
        self.framing = history.counter.per_request  # tokens of the request that belong to no message
        self.added = 0
        self.layout: Callable[[list[Message]], list[Message]] | None = None
        self.changed = 0
        self.trace: tuple[StageTrace, ...] = ()
        self.others: tuple[Message, ...] = ()
        self.decided_by, self.is_sized = "", False

    @classmethod
    def on(cls, standing: Standing, history: History, budget: int) -> HistoryPlan:
        """A plan in which only what stands for every request is decided; of whole blocks, one after another."""
        plan = object.__new__(cls)
        plan._begin(history, budget, Cuts(standing, history.blocks))
        plan._tokens, never = standing.tokens(history)
        plan._returned, plan.numbers = standing.returned, standing.numbers
        plan.message_tokens -= never.item(history.blocks)
        return plan

    def _copy(self) -> HistoryPlan:
        new = object.__new__(HistoryPlan)
        new.history, new.budget, new.trace = self.history, self.budget, self.trace
        new._decisions, new._returned, new._tokens = self._decisions, self._returned, self._tokens
        new.message_tokens, new.shortened = self.message_tokens, self.shortened
        new.summary, new.numbers, new.changed = self.summary, self.numbers, self.changed
        new.framing, new.added = self.framing, self.added
        new.layout, new._last_word = self.layout, self._last_word
        new.others, new.decided_by, new.is_sized = self.others, self.decided_by, self.is_sized
        return new

    # -- reading it

    @property
    def tokens(self) -> int:
        """Tokens of the request as `render()` gives it: messages, summary and framing."""
        return self.message_tokens + self.summary_tokens + self.framing

    @property
    def counted_tokens(self) -> int:
        """Tokens of what `render()` gives, where `tokens` is the reported size of the whole request."""
        others = count_messages(self.others, self.history.counter).sum() if self.others and self.is_sized else 0
        outside = self.history.counter.per_request + int(others) if self.is_sized else self.framing
        return self.message_tokens + self.summary_tokens + outside

    @property
    def summary_tokens(self) -> int:
        return self.summary.tokens if self.summary else 0

    @property
    def over_budget(self) -> bool:
        return self.tokens > self.budget

    @property
    def exact(self) -> bool:
        """Whether `tokens` is exact: the model's own tokenizer, and nothing but text is sent."""
        media = self.history.counter.exact and any(m.media for m in self.history.conversation.messages[: self.size])
        return self.history.counter.exact and not (media and any(m.media for m in self.render()))

    @property
    def size(self) -> int:
        return self.history.size

    @property
    def actions(self) -> np.ndarray:
        """uint8[size]: an Action per message."""
        actions: np.ndarray = self.block_actions[self.history.columns.block[: self.size]]
        for cut in self.shortened:
            actions[cut.messages[actions[cut.messages] == Action.KEPT]] = Action.TRUNCATED
        return actions

    @property
    def reasons(self) -> np.ndarray:
        """uint8[size]: a reason code per message."""
        reasons: np.ndarray = self.block_reasons[self.history.columns.block[: self.size]]
        for cut in self.shortened:
            reasons[cut.messages[self._decisions.actions_at(cut.homes) == Action.KEPT]] = cut.why.code
        return reasons

    @property
    def sent_tokens(self) -> np.ndarray:
        """int64[size]: tokens each message takes in the request; 0 where it isn't sent."""
        tokens = self.history.tokens.copy()
        for cut in self.shortened:
            tokens[cut.messages] = cut.texts.tokens_of(cut.messages)
        tokens[~self.sent[self.history.columns.block[: self.size]]] = 0
        return tokens

    def reason(self, i: int) -> Explanation:
        """The rule behind message `i`'s action, and its numbers. Raises IndexError beyond `size`, and below 0."""
        if not 0 <= i < self.size:
            raise IndexError(f"message {i} is not among the {self.size} said so far")
        action, code = self._codes_of(i, self.decisions)
        why = reason_of(code)
        numbers = numbers_of(self.numbers.get(why.code, {}), i)
        return Explanation(action, why.rule, fill_sentence(why, numbers), numbers, why.setting, why.remedy)

    def action_of(self, i: int) -> Action:
        """The Action of message `i`, found without those of all others."""
        return self._codes_of(i, self._decisions)[0]

    def _codes_of(self, i: int, decisions: Decisions) -> tuple[Action, int]:
        """Message `i`'s Action and reason code; what is cut is so within a block that is kept."""
        action, code = decisions.at(self.history.columns.block.item(i))
        for cut in self.shortened if action == Action.KEPT else ():
            place = int(cut.messages.searchsorted(i))
            if place < len(cut.messages) and cut.messages.item(place) == i:
                action, code = Action.TRUNCATED, cut.why.code
        return Action(action), code

    def render(self) -> list[Message]:
        """The messages to send, in order; a late tool result directly follows its call."""
        messages = self._messages(self.sent_messages)
        if self.summary:
            messages.insert(prompt_length(messages), Message("system", self.summary.text))
        return self.layout(messages) if self.layout else messages

    def lay_out(self, layout: Callable[[list[Message]], list[Message]]) -> HistoryPlan:
        """Arrange what is sent by `layout`; what that adds or saves is part of the framing, so `tokens` stays true."""
        plan = self._copy()
        plan.layout = layout
        counter = self.history.counter
        tokens = int(count_messages(plan.render(), counter).sum()) + counter.per_request
        plan.framing = tokens - self.message_tokens - self.summary_tokens
        return plan

    def with_added(self, tokens: int) -> HistoryPlan:
        """The same decisions, sent in the form of an API that adds so many tokens, if any."""
        if tokens <= self.added:
            return self
        plan = self._copy()
        plan.framing, plan.added = self.framing + tokens - self.added, tokens
        return plan

    def with_reasons(self, block_reasons: LastWord, numbers: Mapping[int, Mapping[str, Any]]) -> HistoryPlan:
        """The same decisions; `block_reasons`, asked whenever reasons are read, says why blocks are still sent.

        It is given this plan, and gives blocks (a mask or ranges) with the reason of those that are open, the last one
        counting. No stage may follow.
        """
        plan = self._copy()
        plan._last_word, plan.numbers = block_reasons, {**self.numbers, **numbers}
        return plan

    def _messages(self, chosen: np.ndarray) -> list[Message]:
        messages = self.history.conversation.at(chosen.tolist())
        order = chosen.argsort(kind="stable") if self.shortened else chosen  # a late result stands before older ones
        for cut in self.shortened:
            found = cut.among(chosen[order])
            for i, place in zip(found.tolist(), order[chosen.searchsorted(found, sorter=order)].tolist(), strict=True):
                messages[place] = cut.texts.with_text(i, self.history.conversation[i])
        return messages

    def sketch(self) -> str:
        """One letter per message: K kept, P always sent, T cut short, S summarised, D dropped."""
        return self.actions.tobytes().translate(SKETCHED).decode()

    def __repr__(self) -> str:
        sent = int(np.count_nonzero(self.actions <= Action.TRUNCATED))
        return f"HistoryPlan({sent:,} of {self.size:,} messages sent, {self.tokens:,} of {self.budget:,} tokens)"

    # -- the verbs; `blocks` is bool[blocks], block indices or ranges (`before`), decided blocks are skipped

    def drop(self, blocks: Ranges | np.ndarray, why: Reason, /, **numbers: Any) -> HistoryPlan:
        """Don't send these blocks."""
        return self._decide(blocks, Action.DROPPED, why, numbers)

    def pin(self, blocks: Ranges | np.ndarray, why: Reason, /, **numbers: Any) -> HistoryPlan:
        """Send these blocks; no later stage can drop them."""
        return self._decide(blocks, Action.PINNED, why, numbers)

    def summarize(self, blocks: Ranges | np.ndarray, summary: Summary, why: Reason, /, **numbers: Any) -> HistoryPlan:
        """Send `summary` in place of these blocks. It replaces the plan's summary and must have absorbed it."""
        plan = self._decide(blocks, Action.SUMMARIZED, why, numbers)
        plan = plan._copy() if plan is self else plan
        plan.summary = summary
        return plan

    def truncate(
        self,
        contents: Mapping[int, str],
        why: Reason,
        /,
        *,
        before: int | None = None,
        only: np.ndarray | None = None,
        **numbers: Any,
    ) -> HistoryPlan:
        """Send these texts (by message index) where they are shorter and the message is still open.

        With a `Texts`, each text is counted once for all requests; `before` one message, or `only` of some (int64).
        """
        history = self.history
        texts = contents if isinstance(contents, Texts) else Texts(history.conversation, history.counter, contents)
        count = int(texts.messages.searchsorted(self.size if before is None else before))
        cut = self._shorten(texts, count, only, why)
        if not cut.count:
            return self
        plan = self._copy()
        plan.message_tokens = self.message_tokens - cut.total
        plan.shortened = (*self.shortened, cut)
        plan.changed = self.changed + cut.count
        plan.numbers = {**self.numbers, why.code: numbers}
        return plan

    def recounted(self, history: History, texts_of: Callable[[Texts], Texts]) -> HistoryPlan:
        """The same decisions by the counter of `history`, which has the same messages; `texts_of` counts texts again.

        Its summary and layout are those of this plan.
        """
        plan = self._copy()
        plan.history = history
        tokens = history.tokens.copy()
        cuts = list[Shortening]()
        for cut in self.shortened:
            texts, messages = texts_of(cut.texts), cut.messages
            shorter = texts.tokens_of(messages)
            cuts.append(Shortening(messages, cut.homes, tokens[messages] - shorter, texts, cut.why))
            tokens[messages] = shorter
        plan.shortened = tuple(cuts)
        if isinstance(self._decisions, Cuts):
            plan._tokens, _ = self._decisions.standing.tokens(history)
        plan.message_tokens = int(plan.block_tokens @ plan.sent)
        plan.framing, plan.added, plan.layout = history.counter.per_request, 0, None
        if self.is_sized:
            plan.framing = self.tokens - plan.message_tokens - self.summary_tokens
        return plan

    def _shorten(self, texts: Texts, count: int, only: np.ndarray | None, why: Reason) -> Shortening | OldestTexts:
        if isinstance(self._decisions, Cuts) and only is None and not self.shortened:
            return OldestTexts(self._decisions, texts, count, why)
        messages, homes, saved = texts.messages[:count], texts.homes[:count], texts.saved[:count]
        chosen = self._decisions.actions_at(homes) == 0
        if only is not None:
            chosen &= np.isin(messages, only)
        if self.shortened:
            saved = self.sent_tokens[messages] - texts.tokens_of(messages)
            chosen &= saved > 0
        if not chosen.all():
            messages, homes, saved = messages[chosen], homes[chosen], saved[chosen]
        return Shortening(messages, homes, saved, texts, why)

    def note(self, blocks: Ranges | np.ndarray, why: Reason, /, **numbers: Any) -> HistoryPlan:
        """Say why these blocks (a mask or ranges) are still sent, if they are open; later stages may drop them."""
        plan = self._copy()
        plan._decisions = self._decisions.with_note(self._decisions.still_open(blocks), why.code)
        plan.numbers = {**self.numbers, why.code: numbers}
        return plan

    def _decide(
        self, blocks: Ranges | np.ndarray, action: Action, why: Reason, numbers: Mapping[str, Any]
    ) -> HistoryPlan:
        if isinstance(blocks, np.ndarray) and blocks.dtype != bool:
            mask = np.zeros(self.history.blocks, bool)
            mask[blocks] = True
            blocks = mask
        blocks = self._decisions.still_open(blocks)
        if isinstance(blocks, Ranges) and not blocks:
            return self
        tokens, messages = self._amount(blocks)
        plan = self._copy()
        plan._decisions = self._decisions.decided(blocks, action.value, why.code)
        if action is not Action.PINNED:
            plan.message_tokens = self.message_tokens - tokens
        plan.changed = self.changed + messages
        plan.numbers = {**self.numbers, why.code: numbers}
        return plan

    def stored(self, before: HistoryPlan | None) -> HistoryPlan:
        """The same plan, made to be kept: its decisions as what differs from those of an earlier request's plan."""
        self._decisions = self._decisions.stored(before._decisions if before is not None else None)
        return self
