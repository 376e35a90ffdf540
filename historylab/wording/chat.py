"""Words of the chat: what an answer's request saw, what was compacted, and who answers."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from historylab.agent.events import Compacted
from historylab.conversation.conversation import Conversation
from historylab.costs.amounts import count_of
from historylab.counters.base import counter_for, token_column
from historylab.planning.context_fill import limit_of
from historylab.planning.plan import HistoryPlan
from historylab.planning.reasons import Action
from historylab.settings.model import Settings
from historylab.wording.untrusted import one_line
from historylab.wording.verdict import count_actions, count_sent

NAME = 60  # characters of a tool's, a summarizer's or a model's name
NOTE = 200
EXAMPLES = (
    "When does a ferry go to Dursey on Friday?",
    "My booking is FR-7731. Is the sea rough on Sunday?",
    "What is my booking?",
)
"""First messages that show something with the scripted model and its tools."""
SCRIPTED_ABOUT = (
    "The scripted model answers, here and without a key. It knows nothing but what its request holds, so what the "
    "settings leave out it has forgotten."
)


@dataclass(frozen=True, slots=True)
class SeenRequest:
    """What a request held: its number (from 0), the messages sent of all there were, its tokens of the limit.

    The limit is what the settings cut at, so a request may be `over` a budget and far from it.
    """

    request: int
    sent: int
    size: int
    tokens: int
    limit: int
    dropped: int
    summarised: int
    over: int

    @property
    def line(self) -> str:
        """ "saw 14 of 30 messages · 1,230 of 8,000 tokens · 16 dropped" """
        parts = [
            f"saw {self.sent:,} of {count_of(self.size, 'message')}",
            f"{self.tokens:,} of {self.limit:,} tokens",
            f"{self.summarised:,} summarised" if self.summarised else "",
            f"{self.dropped:,} dropped" if self.dropped else "",
            f"{self.over:,} over the budget" if self.over else "",
        ]
        return " · ".join(filter(None, parts))


def seen_of(plan: HistoryPlan, settings: Settings) -> SeenRequest:
    """What the request that was sent by this plan held."""
    counts = count_actions(plan)
    sent, size = count_sent(counts)
    return SeenRequest(
        int(plan.history.columns.requests.searchsorted(plan.size)),
        sent,
        size,
        plan.tokens + settings.overhead,
        limit_of(settings)[0],
        counts[Action.DROPPED],
        counts[Action.SUMMARIZED],
        max(0, plan.tokens - plan.budget),
    )


def compacted_sentence(plan: HistoryPlan, event: Compacted) -> str:
    """A compaction by the settings: "Compacted by extractive: 12 messages, from 2,300 to 410 tokens." """
    folded = plan.history.sums.tokens[: plan.size][plan.actions == Action.SUMMARIZED]
    return _compaction_sentence(event, event.messages, int(np.sum(folded)), plan.summary_tokens)


def rewritten_sentence(before: Conversation, event: Compacted, settings: Settings) -> str:
    """The same of a tool that put a summary into the conversation itself."""
    counter = counter_for(settings)
    was, now = (int(token_column(said, counter).sum()) for said in (before, event.conversation))
    return f"{_compaction_sentence(event, event.messages, was, now)} The summary has taken their place for good."


def _compaction_sentence(event: Compacted, messages: int, was: int, now: int) -> str:
    note = f" {one_line(event.note, NOTE)}" if event.note else ""
    return (
        f"Compacted by {one_line(event.by, NAME)}: {count_of(messages, 'message')} became a summary, "
        f"from {was:,} to {now:,} tokens.{note}"
    )
