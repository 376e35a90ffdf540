"""The holders of many values in many requests at once: `held.find_holder` for all of a timeline.

Nearly always a request sends the newest message that mentions a value, or none of them, and that is asked of the ranges
of all requests together. Only where one is sent as a shorter text, or a summary may hold the value, a text is read:
each once for each value.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import numpy as np

from historylab.conversation.conversation import Conversation
from historylab.conversation.sent import summaries_in
from historylab.planning.reasons import BY_MESSAGE, BY_SUMMARY, LOST
from historylab.planning.replay import Timeline
from historylab.planning.scans import running_sums
from historylab.planning.sent_ranges import BlockLists
from historylab.planning.texts import Texts
from historylab.recall.held import is_said, sent_text
from historylab.recall.references import Need, Said, contains_value, find_needs


class Sayings:
    """Values and the messages of a conversation that mention each: by `messages`, and by `summaries` among them."""

    def __init__(self, conversation: Conversation, said: Sequence[Said]):
        self.said = said
        self.messages = lists = _Lists.of_messages(conversation, [mentions for _, mentions in said])
        self.summaries: _Lists | None = None
        if summaries := summaries_in(conversation):
            apart = np.isin(lists.messages, [*summaries])
            self.messages, self.summaries = lists.among(~apart), lists.among(apart)


class _Lists:
    """Messages (int64, ascending), list by list, and their blocks."""

    def __init__(self, messages: np.ndarray, blocks: BlockLists, width: int):
        self.messages, self.blocks, self._width = messages, blocks, width
        self._keys = np.arange(len(blocks.offsets) - 1).repeat(np.diff(blocks.offsets)) * width + messages

    @staticmethod
    def of_messages(conversation: Conversation, lists: Sequence[np.ndarray]) -> _Lists:
        messages = np.concatenate([np.empty(0, np.int64), *lists])
        return _Lists(messages, BlockLists.of_messages(conversation.columns, lists), len(conversation) + 1)

    def among(self, mask: np.ndarray) -> _Lists:
        """The messages for which the mask is True, in their lists."""
        blocks, offsets, ascending = self.blocks
        lists = BlockLists(blocks[mask], running_sums(mask)[offsets], ascending)
        return _Lists(self.messages[mask], lists, self._width)

    def newest_sent(self, timeline: Timeline, requests: np.ndarray, which: np.ndarray) -> np.ndarray:
        """int64[k]: the place of the newest message of a list that each request sends; -1 if it sends none."""
        ranges = timeline.sent_ranges
        ends = self._keys.searchsorted(which * self._width + ranges.sizes[requests])
        return ranges.newest_sent(requests, self.blocks, which, ends)


def find_holders(timeline: Timeline, sayings: Sayings, requests: np.ndarray, which: np.ndarray) -> np.ndarray:
    """int64[k]: the holder of a value (`which` of the sayings) in each of these requests (from 0)."""
    found = np.where(_are_said(timeline, sayings, sayings.messages, requests, which), BY_MESSAGE, LOST)
    if sayings.summaries is not None:
        lost = np.flatnonzero(found == LOST)
        found[lost[_are_said(timeline, sayings, sayings.summaries, requests[lost], which[lost])]] = BY_SUMMARY
    texts = timeline.remember("texts of no message", lambda: _texts_of_no_message(timeline))
    has_some = np.zeros(len(timeline.plans), bool)
    has_some[list(texts)] = True
    says = cache(contains_value)
    for i in np.flatnonzero((found == LOST) & has_some[requests]).tolist():
        value = sayings.said[which.item(i)][0]
        if value and any(says(text, value) for text in texts[requests.item(i)]):
            found[i] = BY_SUMMARY
    return found


def _texts_of_no_message(timeline: Timeline) -> dict[int, list[str]]:
    """By request the texts it sends that stand nowhere in the conversation, where there are any."""
    some = ((request, plan) for request, plan in enumerate(timeline.plans) if plan.summary is not None or plan.others)
    return {
        request: [*([plan.summary.text] if plan.summary else []), *(other.content for other in plan.others)]
        for request, plan in some
    }


def _are_said(
    timeline: Timeline, sayings: Sayings, lists: _Lists, requests: np.ndarray, which: np.ndarray
) -> np.ndarray:
    """bool[k]: whether each of these requests sends one of a list's messages with the value in it."""
    newest, shortened = lists.newest_sent(timeline, requests, which), timeline.shortened
    said = newest >= 0
    sent = np.flatnonzero(said)
    doubtful = sent[shortened.shortens(requests[sent], lists.messages[newest[sent]])]
    if shortened.texts is not None and len(doubtful):
        whole = lists.among(_still_say(timeline, sayings, lists, shortened.texts, which[doubtful]))
        said[doubtful] = whole.newest_sent(timeline, requests[doubtful], which[doubtful]) >= 0
    for i in sent[np.isin(requests[sent], shortened.others)].tolist():
        plan, (value, _) = timeline.plans[requests.item(i)], sayings.said[which.item(i)]
        first, stop = lists.blocks.offsets[which.item(i) : which.item(i) + 2]
        mentions = lists.messages[first:stop]
        said[i] = is_said(plan, value, mentions[: mentions.searchsorted(plan.size)])
    return said


def _still_say(timeline: Timeline, sayings: Sayings, lists: _Lists, texts: Texts, which: np.ndarray) -> np.ndarray:
    """bool: the messages in lists that say their value as a shorter text, too, or have none; of these lists alone."""
    offsets, open_to_all = lists.blocks.offsets, timeline.sent_ranges.open[0]
    says, text_of = cache(contains_value), cache(lambda i: sent_text(texts, timeline.conversation, i))
    still = np.ones(len(lists.messages), bool)
    shorter = (
        np.isin(lists.messages, texts.messages[: timeline.shortened.stops.max()]) & open_to_all[lists.blocks.blocks]
    )
    for number in np.unique(which).tolist():
        first, stop = offsets.item(number), offsets.item(number + 1)
        value = sayings.said[number][0]
        for at in (shorter[first:stop].nonzero()[0] + first).tolist():
            still[at] = not value or says(text_of(lists.messages.item(at)), value)
    return still


# -- what a conversation needs


class _Items:
    """All needs of a conversation, and their values one after another: one each, or as many as it has telling lines."""

    def __init__(self, conversation: Conversation):
        self.needs = [need for step in find_needs(conversation) for need in step]
        numbers, said, items = dict[str, int](), list[Said](), list[tuple[int, int]]()
        for need in self.needs:
            for value, mentions in need.lines or ((need.value, need.mentions),):
                number = numbers.setdefault(value, len(said))
                if number == len(said):
                    said.append((value, mentions))
                elif len(mentions) > len(said[number][1]):  # of a later request
                    said[number] = value, mentions
                items.append((need.step, number))
        self.sayings = Sayings(conversation, said)
        self.requests, self.which = np.array(items, np.int64).reshape(-1, 2).T
        self.begins = running_sums(np.array([max(1, len(need.lines)) for need in self.needs], np.int64))


class HeldNeeds:
    """The references and links of a conversation, and the holder of each in its request: `held` (int64[needs])."""

    def __init__(self, timeline: Timeline):
        items = timeline.conversation.remember("items of needs", lambda: _Items(timeline.conversation))
        self.needs, self._begins = items.needs, items.begins
        self._by_item = find_holders(timeline, items.sayings, items.requests, items.which)
        self.held = self._by_item
        if len(self.needs):
            worst, best = (of.reduceat(self._by_item, items.begins[:-1]) for of in (np.minimum, np.maximum))
            self.held = np.where(worst == LOST, LOST, best)

    def lost_said(self, number: int) -> list[Said]:
        """The telling lines that are lost of a need that is, or its value."""
        need: Need = self.needs[number]
        if not need.lines:
            return [(need.value, need.mentions)]
        held = self._by_item[self._begins.item(number) : self._begins.item(number + 1)].tolist()
        return [line for line, how in zip(need.lines, held, strict=True) if how == LOST]
