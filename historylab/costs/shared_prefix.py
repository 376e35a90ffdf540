"""The prefix a request shares with the one before: what the provider's prompt cache can read again.

Compared message by message as `render()` gives them: kept messages, shortened texts and summaries. Moving the cut,
shortening a message or rewriting the summary invalidates the prefix from there on. Nearly always the first block that
one request sends and the other doesn't tells it all, and it is found for all requests at once.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from historylab.conversation.columns import NEVER, SYSTEM
from historylab.conversation.message import Message, known_size
from historylab.counters.base import count_messages
from historylab.planning.plan import HistoryPlan
from historylab.planning.replay import Timeline
from historylab.planning.shortening import OldestTexts
from historylab.planning.strategies.facts import column
from historylab.planning.texts import Texts

Sent = tuple[np.ndarray, np.ndarray]
"""The messages a plan sends, in order: a key (int64) and the tokens of each; equal keys mean equal messages."""


def compare_prefixes(timeline: Timeline) -> tuple[np.ndarray, np.ndarray]:
    """Per request the tokens of the messages that it and the one sent before begin with (int64), and whether those are
    less than all of the latter (bool). 0 of the first request, and of those for which a trimmer failed."""
    count = len(timeline.plans)
    common, broken = np.zeros(count, np.int64), np.zeros(count, bool)
    sent = np.flatnonzero(timeline.judged)
    if len(sent) < 2:
        return common, broken
    by_messages = _ByMessages(timeline)
    told = _told_by_blocks(timeline, by_messages.keys, common, broken)
    for before, request in pairwise(sent.tolist()):
        if before < request - 1 or not told[request]:
            common[request], broken[request] = by_messages.shared_tokens(before, request)
    return common, broken


def _told_by_blocks(timeline: Timeline, keys: np.ndarray, common: np.ndarray, broken: np.ndarray) -> np.ndarray:
    """bool[requests]: those told from the first block that it or the request before sends, but not both; filled in."""
    plans, columns, ranges = timeline.plans, timeline.conversation.columns, timeline.sent_ranges
    told = np.zeros(len(plans), bool)
    if not columns.contiguous:
        return told
    told[1:] = [_is_comparable(before, plan) for before, plan in pairwise(plans)]
    told[1:] &= timeline.judged[1:] & timeline.judged[:-1]
    now = np.flatnonzero(told)
    before, first = now - 1, ranges.first_changed()
    at = np.minimum(first[now], ranges.blocks[before])
    spoken = ranges.next_sent(before, np.zeros_like(before), ~columns.system)
    summarized = np.array([plans[i].summary is not None for i in before.tolist()], bool)
    # A summary stands before the first message that is no system message: is it the same one?
    told[now[summarized & (spoken >= at)]] = False
    ours, theirs = ranges.next_sent(now, at), ranges.next_sent(before, at)
    grown = at == ranges.blocks[before]
    doubtful = ~grown & (ours < NEVER) & (theirs < NEVER)
    firsts = np.append(columns.block_first, 0)
    mine, its = firsts[np.where(doubtful, ours, -1)], firsts[np.where(doubtful, theirs, -1)]
    whole = _are_whole(timeline, now, mine) & _are_whole(timeline, before, its)
    told[now[doubtful & ((keys[mine] == keys[its]) | ~whole)]] = False
    of_messages = np.array([plan.message_tokens for plan in plans], np.int64)
    summaries = np.array([plan.summary_tokens for plan in plans], np.int64)
    common[now] = np.where(grown, of_messages[before], _tokens_before(timeline, now, at)) + summaries[now]
    broken[now] = ~grown & (theirs < NEVER)
    return told


def _is_comparable(before: HistoryPlan, plan: HistoryPlan) -> bool:
    """Tell whether two plans differ in nothing but the blocks they send."""
    alike = not plan.layout and before.history.blocks and before.summary == plan.summary
    return bool(alike) and (not (before.shortened or plan.shortened) or _texts_are_kept(before, plan))


def _are_whole(timeline: Timeline, requests: np.ndarray, messages: np.ndarray) -> np.ndarray:
    """bool[k]: whether each of these requests sends the message, which it sends, whole."""
    whole = ~timeline.shortened.shortens(requests, messages)
    for i in np.flatnonzero(np.isin(requests, timeline.shortened.others)).tolist():
        whole[i] = not any(len(cut.among(messages[i : i + 1])) for cut in timeline.plans[requests.item(i)].shortened)
    return whole


def _tokens_before(timeline: Timeline, requests: np.ndarray, blocks: np.ndarray) -> np.ndarray:
    """int64[k]: the tokens of what each of these requests sends before its block; the blocks before it are whole."""
    ranges, shortened, before = timeline.sent_ranges, timeline.shortened, timeline.sent_ranges.blocks.copy()
    before[requests] = blocks
    tokens = ranges.sums(timeline.plans[-1].history.sums.block_tokens.astype(np.int64), before)
    if shortened.texts is not None:
        tokens -= shortened.sums(shortened.texts.saved, before)
    for request in np.intersect1d(requests, shortened.others).tolist():
        tokens[request] = timeline.plans[request].tokens_before(before.item(request))
    taken: np.ndarray = tokens[requests]
    return taken


class _ByMessages:
    """Compares what two requests send message by message."""

    def __init__(self, timeline: Timeline):
        self.conversation, self.plans = timeline.conversation, timeline.plans
        self.keys = column(self.conversation, "identity", message_identity, np.int64)
        self._shortened: dict[int, tuple[Texts, np.ndarray]] = {}  # holding the Texts keeps its id() from being reused
        self._latest: tuple[int, Sent] | None = None

    def shared_tokens(self, before: int, request: int) -> tuple[int, bool]:
        """Tokens of the messages both begin with, and whether those are less than all of the one before."""
        latest = self._latest
        keys_before, _ = latest[1] if latest is not None and latest[0] == before else self.sequence(self.plans[before])
        keys, tokens = sequence = self.sequence(self.plans[request])
        self._latest = request, sequence
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


def message_identity(message: Message) -> int:
    """A number that identifies a message by the fields an API receives, within one process."""
    said = (message.content, message.name, message.tool_calls, message.tool_call_id, message.media)
    return hash((message.role, *said) if message.content else (message.role, *said, known_size(message)))


def _common(a: np.ndarray, b: np.ndarray) -> int:
    """The number of entries that two sequences have in common at their beginning."""
    shorter = min(len(a), len(b))
    same = a[:shorter] == b[:shorter]
    return shorter if same.all() else int(same.argmin())


def _texts_are_kept(before: HistoryPlan, plan: HistoryPlan) -> bool:
    """Whether `plan` shortens the same messages as `before`, to the same texts, and besides only newer ones."""
    return len(before.shortened) == len(plan.shortened) and all(
        (isinstance(new, OldestTexts) and new.continues(old, before.size))
        or (
            new.texts is old.texts
            and np.array_equal(new.messages[: len(old.messages)], old.messages)
            and (new.messages[len(old.messages) :] >= before.size).all()
        )
        for old, new in zip(before.shortened, plan.shortened, strict=True)
    )
