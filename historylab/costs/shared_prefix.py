"""The prefix a request shares with the one before: what the provider's prompt cache can read again.

Compared message by message as `render()` gives them: kept messages, shortened texts and summaries. Moving the cut,
shortening a message or rewriting the summary invalidates the prefix from there on.
"""

from __future__ import annotations

import numpy as np

from historylab.conversation.columns import NEVER, SYSTEM
from historylab.conversation.message import Message, known_size
from historylab.counters.base import count_messages
from historylab.planning.plan import HistoryPlan
from historylab.planning.reasons import Action
from historylab.planning.replay import Timeline
from historylab.planning.shortening import OldestTexts
from historylab.planning.strategies.facts import column
from historylab.planning.texts import Texts

Sent = tuple[np.ndarray, np.ndarray]
"""The messages a plan sends, in order: a key (int64) and the tokens of each; equal keys mean equal messages."""


class SharedPrefix:
    """Compares each request of a timeline with the one before."""

    def __init__(self, timeline: Timeline):
        self.conversation, self.plans = timeline.conversation, timeline.plans
        self.keys = column(self.conversation, "identity", message_identity, np.int64)
        self._first = _first_differing(timeline)
        self._shortened: dict[int, tuple[Texts, np.ndarray]] = {}  # holding the Texts keeps its id() from being reused
        self._latest: tuple[HistoryPlan, Sent] | None = None

    def shared_tokens(self, request: int, earlier: int | None = None) -> tuple[int, bool]:
        """Tokens of the messages it and the one before begin with, and whether those are less than all of the latter.

        `request` counts from 0, and isn't the first; it may be compared with an `earlier` one than that before it.
        """
        earlier = request - 1 if earlier is None else earlier
        before, plan = self.plans[earlier], self.plans[request]
        if earlier < request - 1:
            return self._by_messages(before, plan)
        found = self._by_blocks(before, plan, min(self._first.item(request), before.history.blocks))
        return self._by_messages(before, plan) if found is None else found

    def _by_blocks(self, before: HistoryPlan, plan: HistoryPlan, at: int) -> tuple[int, bool] | None:
        """The same, told from the first block that one sends and the other doesn't; None where messages decide."""
        columns, blocks = plan.history.columns, before.history.blocks
        if plan.layout or not columns.contiguous or not blocks or before.summary != plan.summary:
            return None
        if not _texts_are_kept(before, plan):
            return None
        if plan.summary and not (before.sent[:at] & ~columns.system[:at]).any():
            return None  # a summary stands before the first message that is no system message: is it the same one?
        if at == blocks:
            return before.message_tokens + before.summary_tokens, False
        ours, theirs = _next_message(plan, at), _next_message(before, at)
        if ours is not None and theirs is not None and not self._differ(plan, ours, before, theirs):
            return None
        return plan.tokens_before(at) + plan.summary_tokens, theirs is not None

    def _differ(self, plan: HistoryPlan, ours: int, before: HistoryPlan, theirs: int) -> bool:
        """Whether two messages are surely sent as different ones."""
        return self.keys[ours] != self.keys[theirs] and _is_whole(plan, ours) and _is_whole(before, theirs)

    def _by_messages(self, before: HistoryPlan, plan: HistoryPlan) -> tuple[int, bool]:
        latest = self._latest
        keys_before, _ = latest[1] if latest is not None and latest[0] is before else self.sequence(before)
        keys, tokens = sequence = self.sequence(plan)
        self._latest = plan, sequence
        length = _common(keys_before, keys)
        return int(tokens[:length].sum()), length < len(keys_before)

    def sequence(self, plan: HistoryPlan) -> Sent:
        """Keys and tokens of what the plan sends."""
        if plan.layout:  # it may rewrite anything: read what comes out
            rendered = plan.render()
            keys = np.fromiter(map(message_identity, rendered), np.int64, len(rendered))
            return keys, count_messages(rendered, plan.history.counter)
        columns, chosen = plan.history.columns, plan.sent_messages
        if columns.contiguous:
            keys, tokens = self._read(plan, chosen)
        else:
            order = np.argsort(chosen)
            keys, tokens = (found[np.argsort(order)] for found in self._read(plan, chosen[order]))
        if plan.summary:
            others = np.flatnonzero(columns.role[chosen] != SYSTEM)
            at = others[0] if len(others) else len(chosen)
            keys = np.insert(keys, at, message_identity(Message("system", plan.summary.text)))
            tokens = np.insert(tokens, at, plan.summary.tokens)
        return keys, tokens

    def _read(self, plan: HistoryPlan, chosen: np.ndarray) -> Sent:
        """Keys and tokens of some messages (int64, ascending), as the plan sends them."""
        keys, tokens = self.keys[chosen], plan.history.tokens[chosen]
        for cut in plan.shortened:
            shorter = cut.among(chosen)
            at = chosen.searchsorted(shorter)
            keys[at] = self._keys_of(cut.texts)[shorter]
            tokens[at] = cut.texts.tokens_of(shorter)
        return keys, tokens

    def _keys_of(self, texts: Texts) -> np.ndarray:
        if id(texts) not in self._shortened:
            keys = self.keys.copy()
            for i in texts:
                keys[i] = message_identity(texts.with_text(i, self.conversation[i]))
            self._shortened[id(texts)] = texts, keys
        return self._shortened[id(texts)][1]


def _first_differing(timeline: Timeline) -> np.ndarray:
    """int64[requests]: the first block that either a request or the one before it sends, but not both; else NEVER."""
    changes, first = timeline.block_changes, np.full(len(timeline.plans), NEVER)
    sent, before = changes.action <= Action.TRUNCATED, changes.before()
    differing = (before >= 0) & (sent != sent[before])
    np.minimum.at(first, changes.request[differing], changes.place[differing])
    return first


def message_identity(message: Message) -> int:
    """A number that identifies a message by the fields an API receives, within one process."""
    said = (message.content, message.name, message.tool_calls, message.tool_call_id, message.media)
    return hash((message.role, *said) if message.content else (message.role, *said, known_size(message)))


def _common(a: np.ndarray, b: np.ndarray) -> int:
    """The number of entries that two sequences have in common at their beginning."""
    shorter = min(len(a), len(b))
    same = a[:shorter] == b[:shorter]
    return shorter if same.all() else int(same.argmin())


def _next_message(plan: HistoryPlan, block: int) -> int | None:
    """The first message the plan sends of that block or a later one."""
    found = plan.next_sent(block)
    return None if found is None else plan.history.columns.block_first.item(found)


def _is_whole(plan: HistoryPlan, i: int) -> bool:
    """Whether the plan doesn't shorten message `i`."""
    return not any(len(cut.among(np.array([i]))) for cut in plan.shortened)


def _texts_are_kept(before: HistoryPlan, plan: HistoryPlan) -> bool:
    """Whether `plan` shortens the same messages as `before`, to the same texts, and besides only newer ones."""
    if not before.shortened and not plan.shortened:
        return True
    return len(before.shortened) == len(plan.shortened) and all(
        (isinstance(new, OldestTexts) and new.continues(old, before.size))
        or (
            new.texts is old.texts
            and np.array_equal(new.messages[: len(old.messages)], old.messages)
            and (new.messages[len(old.messages) :] >= before.size).all()
        )
        for old, new in zip(before.shortened, plan.shortened, strict=True)
    )
