"""The ground that cuts are made on, for all requests at once: blocks that stay whatever is cut, and running sums.

Only for conversations of whole blocks, one after another, in which nothing changes between requests but what is cut:
then a request is a block before which what is open isn't sent.
"""

from __future__ import annotations

import numpy as np

from historylab.conversation.conversation import Conversation
from historylab.counters.base import Counter
from historylab.planning.agent_context import Contexts
from historylab.planning.history import History, sums_of
from historylab.planning.pins import pin_rules
from historylab.planning.plan import HistoryPlan
from historylab.planning.reasons import KEPT, PINNED
from historylab.planning.scans import running_sums
from historylab.planning.slot_zero import SlotZero, start
from historylab.planning.strategies.base import Context, Instruments
from historylab.planning.texts import Texts
from historylab.registry import member
from historylab.settings.model import Settings
from historylab.settings.pin import AGENT_CONTEXT

TOOL_OUTPUTS = ("off", "clear", "truncate", "collapse")
"""The stages that shorten the oldest results, up to one that the request alone decides."""


class CutGround:
    """A conversation of r requests and b blocks under settings that differ only in where they cut.

    Attributes:
        sizes, blocks, users: int64[r], the messages, blocks and user messages that each request knows.
        newest, task: int64[r], its newest block, and that of its newest user message (-1: none).
        pinned, open: bool[b], blocks that are always sent, and those that may be cut. Nothing else is ever sent.
        tokens, messages: int64[b + 1], of open blocks before each; `always`: int64[b + 1], tokens of pinned ones.
        texts: the shorter texts sent in place of tool results, or None; `saved` (int64[k + 1]) what those of open
            blocks save, before each text, and `texts_before` (int64[b + 1]) the texts before each block.
    """

    def __init__(self, conversation: Conversation, counter: Counter, settings: Settings):
        columns, sums = conversation.columns, sums_of(conversation, counter)
        self.conversation, self.counter, self.columns, self.token_sums = conversation, counter, columns, sums
        self.sizes = columns.requests
        self.blocks, self.users = columns.blocks_before[self.sizes], columns.users_before[self.sizes]
        self.newest = np.maximum(self.blocks - 1, 0)
        last = np.maximum(self.users - 1, 0)
        self.task = np.where(self.users > 0, columns.user_blocks[last], -1) if len(columns.user_blocks) else last - 1
        heading, pins = settings.summary_heading, pin_rules(settings)
        slot = SlotZero(settings.preserve_system_messages, heading, pins, projected=False)
        standing = slot.standing_decisions(conversation)
        self.returned = standing.returned
        self.pinned, self.open = standing.actions == PINNED, standing.actions == KEPT
        if settings.value(AGENT_CONTEXT):
            context = columns.block[conversation.growing(("agent context",), Contexts).messages]
            self.pinned = self.pinned.copy()
            self.pinned[context] |= self.open[context]
            self.open = self.open & ~self.pinned
        if settings.policy != "all" and not settings.preserve_system_messages:
            self.open = self.open & ~(columns.system & ~self.returned)
        sizes = sums.block_sizes.astype(np.int64)
        taken = sums.block_tokens.astype(np.int64)
        self.tokens, self.messages = running_sums(taken * self.open), running_sums(sizes * self.open)
        self.always = running_sums(taken * self.pinned)
        self.texts = self._texts(settings)
        homes = self.texts.homes if self.texts is not None else np.zeros(0, np.int64)
        saved = self.texts.saved * self.open[homes] if self.texts is not None else homes
        self.saved = running_sums(saved)
        self.texts_before = homes.searchsorted(np.arange(len(self.open) + 1))
        self._shorter = self.tokens - self.saved[self.texts_before]

    @staticmethod
    def suits(conversation: Conversation, settings: Settings) -> bool:
        """Tell whether every request sends whole blocks, and which may be cut is the same for all of them."""
        columns = conversation.columns
        if not columns.contiguous or columns.apart or len(columns.stand_ins):
            return False
        sizes = columns.requests[columns.blocks_before[columns.requests] > 0]
        newest = columns.blocks_before[sizes] - 1
        if (columns.block_last[newest] >= sizes).any() or (columns.answered_at[newest] > sizes).any():
            return False
        if not settings.value(AGENT_CONTEXT):
            return True
        return conversation.growing(("agent context",), Contexts).all_last

    def _texts(self, settings: Settings) -> Texts | None:
        """The texts in place of tool results, as the stage makes them; None where it shortens nothing."""
        if settings.tool_output == "off" or not len(self.sizes):
            return None
        history = History(self.conversation, self.counter, int(self.sizes[-1]))
        plan = start(history, 0, settings.preserve_system_messages, settings.summary_heading, pin_rules(settings))
        options = settings.options_of("tool_output")
        waits: dict[str, int] = {name: 0 for name in ("trigger", "at_least", "keep_tokens") if name in options}
        stage = member("tool_output", settings.tool_output).target
        context = Context(history, settings, Instruments(self.counter), None)
        shortened: HistoryPlan = stage(plan, context, **{**options, **waits})
        return shortened.shortened[0].texts if shortened.shortened else None

    def before(self, blocks: np.ndarray, stops: np.ndarray) -> np.ndarray:
        """int64: tokens of what is open before these blocks, where the first `stops` of the texts are sent."""
        found: np.ndarray = self.tokens[blocks] - self.saved[np.minimum(stops, self.texts_before[blocks])]
        return found

    def first_that_makes(self, tokens: np.ndarray, stops: np.ndarray) -> np.ndarray:
        """int64: the first block up to which what is open takes that many tokens; b where all takes less."""
        shorter = self._shorter[1:].searchsorted(tokens)
        if self.texts is None:
            found: np.ndarray = shorter
            return found
        whole = self.tokens[1:].searchsorted(tokens + self.saved[stops])
        known: np.ndarray = self.texts_before[np.minimum(shorter + 1, len(self.open))] <= stops
        found = np.where(known & (shorter < len(self.open)), shorter, whole)
        return found

    def count_texts(self, settings: Settings, cuts: np.ndarray, beside: np.ndarray) -> np.ndarray:
        """int64[r]: the texts that each request sends, the oldest first, of what a policy cuts as in `sent_tokens`."""
        name, none = settings.tool_output, np.zeros(len(self.sizes), np.int64)
        if self.texts is None:
            return none

        def option(key: str) -> int:
            number: int = settings.value(f"tool_output.{name}.{key}")
            return number

        columns, results = self.columns, self.columns.results
        if name == "collapse":
            ends = np.append(columns.users, len(columns.role))
            turns = option("turns")
            first = ends[np.maximum(self.users - turns, 0)] if turns else self.sizes
            found: np.ndarray = self.texts.messages.searchsorted(np.where(self.users >= turns, first, 0))
            return found
        said = results.searchsorted(self.sizes)
        within = self._results_within(said, option("keep_tokens"))
        if name == "truncate":
            old = said - within if option("keep_tokens") else said
            before = np.where(old > 0, results[np.maximum(old - 1, 0)] + 1, 0) if option("keep_tokens") else self.sizes
            found = self.texts.messages.searchsorted(before)
            return found
        batch = option("batch")
        old = np.maximum(0, said - np.maximum(option("keep"), within)) // batch * batch
        stops = self.texts.messages.searchsorted(np.where(old > 0, results[np.maximum(old - 1, 0)] + 1, 0))
        if trigger := option("trigger"):
            size = self.sent_tokens(cuts, beside, none) + settings.overhead
            stops = np.where(size > trigger, stops, 0)
        freed = self.saved[stops] - self.saved[np.minimum(stops, self.texts_before[cuts])]
        return np.where(freed >= option("at_least"), stops, 0)

    def _results_within(self, said: np.ndarray, tokens: int) -> np.ndarray:
        """int64[r]: the newest tool results, of so many `said`, that together have at most so many tokens."""
        if not tokens:
            return np.zeros_like(said)
        running = running_sums(self.token_sums.tokens[self.columns.results])
        found: np.ndarray = said - running.searchsorted(running[said] - tokens)
        return found

    def sent_tokens(
        self, cuts: np.ndarray, beside: np.ndarray, stops: np.ndarray, requests: slice = slice(None)
    ) -> np.ndarray:
        """int64[…, r]: the size of requests cut so; one block `beside` stays that is older than the cut (-1: none)."""
        blocks, kept = self.blocks[requests], np.maximum(beside, 0)
        rest = self.before(blocks, stops) - self.before(cuts, stops)
        aside = np.where(beside >= 0, self.tokens[kept + 1] - self.tokens[kept], 0)
        found: np.ndarray = self.always[blocks] + rest + aside + self.counter.per_request
        return found

    def end_of_turn(self, last: int, request: int, unit: str) -> int:
        """The first block after the turn of `last`; in a request's newest turn the next one, or all are meant."""
        turn, users = self.columns.block_turn.item(last) + 1, self.users.item(request)
        if turn < users:
            return int(self.columns.user_blocks[turn])
        return int(self.blocks[request]) if unit == "whole_turn" and users else last + 1
