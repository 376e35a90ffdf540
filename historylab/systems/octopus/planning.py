"""From Octopus' history and target to a plan of the core, and from the plan back to the caller's messages."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from historylab.conversation.message import prompt_length
from historylab.counters.base import Counter, PerMessage
from historylab.counters.octopus import OctopusCounter
from historylab.planning.blocks import Ranges, before
from historylab.planning.history import History
from historylab.planning.plan import HistoryPlan
from historylab.planning.slot_zero import start
from historylab.planning.strategies.base import Context, Instruments, first_of_last_turns
from historylab.settings.model import Settings
from historylab.systems.base import as_message, conversation_of, number, require_whole_number, sent_messages

CountTokens = Callable[[Any], int]


def count_message_tokens(message: Mapping[str, Any]) -> int:
    """Tokens of one message: its text's, and 4 more. Tool calls and media count nothing."""
    return int(OctopusCounter("").count([as_message(message)])[0])


@dataclass(slots=True)
class MinimumContext(Context):
    """Octopus protects its minimum history and nothing else: without one, the history may become empty."""

    min_history_turns: int = 0

    def free(self, plan: HistoryPlan, *, keep_task: bool = True) -> Ranges:
        return before(_first_of_last(plan, self.min_history_turns))


def begin_plan(
    history: Iterable[Any] | None,
    target_tokens: int = 0,
    count_tokens: CountTokens = count_message_tokens,
    min_history_turns: int = 0,
) -> tuple[HistoryPlan, MinimumContext]:
    """A plan that sends everything, and the context the pruners need. A target below 0 is 0."""
    conversation = conversation_of(history)
    whole = History(conversation, _counter(count_tokens), len(conversation))
    target: Any = number(target_tokens, "target_tokens")  # no limit is one as well
    turns = require_whole_number(min_history_turns, "min_history_turns", -math.inf)
    context = MinimumContext(whole, Settings(policy="all"), Instruments(whole.counter), None, turns)
    return start(whole, max(0, target), preserve_system_messages=True), context


def _first_of_last(plan: HistoryPlan, turns: int) -> int:
    """The block at which the last complete turns begin; without a complete one, the newest turn."""
    history = plan.history
    if turns <= 0 or not history.users:
        return history.blocks
    newest: int = history.columns.user_blocks.item(history.users - 1)
    return min(first_of_last_turns(plan, turns), newest)


def plan_messages(plan: HistoryPlan) -> list[Any]:
    """The messages the plan sends: the caller's own in their order, a summary after the leading system messages."""
    return [message for message, _ in counted_messages(plan)]


def counted_messages(plan: HistoryPlan) -> list[tuple[Any, int]]:
    """The same, each with its tokens."""
    kept = sent_messages(plan)
    tokens = plan.sent_tokens[plan.sent[plan.history.columns.block[: plan.size]]].tolist()
    counted = [(message.source, count) for message, count in zip(kept, tokens, strict=True)]
    if plan.summary:
        counted.insert(prompt_length(kept), ({"role": "system", "content": plan.summary.text}, plan.summary.tokens))
    return counted


def _counter(count_tokens: CountTokens) -> Counter:
    return OctopusCounter("") if count_tokens is count_message_tokens else PerMessage(count_tokens)
