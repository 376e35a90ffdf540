"""The verdict: what one request sends, in plain sentences made from the timeline's numbers."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from historylab.conversation.columns import NEVER, USER
from historylab.conversation.conversation import Conversation
from historylab.planning.context_fill import context_budget, tokens_over
from historylab.planning.plan import HistoryPlan
from historylab.planning.reasons import REPLACED, Action
from historylab.planning.replay import Timeline
from historylab.recall.must_remember import MustRemember
from historylab.wording.context import counted_sentence, measured_by, used_tokens
from historylab.wording.cuts import capitalize_first
from historylab.wording.message_text import own_words
from historylab.wording.must_remember import MustRememberStatus, at_step, must_remember_status
from historylab.wording.over_budget import cause_in_words
from historylab.wording.palette import LOOKS
from historylab.wording.rules import rules_status
from historylab.wording.untrusted import one_line

QUOTE = 60  # characters of a forgotten message
SEES, WOULD_SEE = "sees", "would see"
"""What the model does with a request; and would, were it sent as planned."""
NO_REQUESTS = "This conversation makes no model requests."


def without_requests(conversation: Conversation) -> str:
    """Why it makes no model requests, and what to do."""
    why = "A request is made for every answer to a user or a tool"
    if any(m.role != "assistant" for m in conversation) or not len(conversation):
        return f"{why}. Open another conversation."
    only = "only an answer" if len(conversation) == 1 else f"only {len(conversation):,} answers"
    return f"{why}; this holds {only}. Open a file that has what was asked, too."


@dataclass(frozen=True, slots=True)
class Verdict:
    """Sentences, in reading order. `remembered`, `rules` and `forgotten` quote messages: untrusted text on one line."""

    seen: str
    cost: str
    decisions: str
    remembered: MustRememberStatus
    rules: str
    forgotten: str
    over: bool

    def __str__(self) -> str:
        sentences = (self.seen, self.cost, self.decisions, self.remembered.sentence, self.rules, self.forgotten)
        return " ".join(filter(None, sentences))


def verdict(timeline: Timeline, number: int, starred: Sequence[MustRemember] = ()) -> Verdict:
    """The verdict on request `number` (from 0). `starred` are the messages that must be remembered."""
    step = timeline.steps[number]
    counts = count_actions(step.plan)
    held = must_remember_status(timeline, number, starred)
    return Verdict(
        seen_sentence(timeline, number),
        _cost(timeline, number),
        _decisions(counts),
        held,
        rules_status(timeline, number).sentence,
        forgotten_sentence(timeline, number, {star.message for star in held.lost}),
        step.plan.over_budget,
    )


def seen_sentence(timeline: Timeline, number: int, *, sees: str = SEES) -> str:
    """ "At turn 12, request 3 of 9, the model sees 40 of 166 messages." """
    step = timeline.steps[number]
    return f"{capitalize_first(at_step(step))}, the model {sees} {share_sent(count_actions(step.plan))}."


def count_actions(plan: HistoryPlan) -> dict[Action, int]:
    """The number of messages per action, without those that a later message stands for."""
    counts = np.bincount(plan.actions[plan.reasons != REPLACED.code], minlength=len(Action))
    return {action: int(counts[action]) for action in Action}


def count_sent(counts: Mapping[Action, int]) -> tuple[int, int]:
    """The number of messages that are sent, whole or in part, and that of all."""
    return counts[Action.KEPT] + counts[Action.PINNED] + counts[Action.TRUNCATED], sum(counts.values())


def count_shown(conversation: Conversation) -> int:
    """The number of messages of a conversation in the end, without those that a later one stands for."""
    return int(np.count_nonzero(conversation.columns.replaced_by == NEVER))


def stopped_being_sent(timeline: Timeline, number: int, message: int) -> int:
    """The first request (from 0) of the run, up to `number`, in which the message isn't sent."""
    for earlier in reversed(timeline.plans[:number]):
        if message >= earlier.size or earlier.action_of(message) <= Action.TRUNCATED:
            break
        number -= 1
    return number


def share_sent(counts: Mapping[Action, int]) -> str:
    """ "40 of 166 messages": how many are sent, of those there are."""
    sent, size = count_sent(counts)
    if sent == size:
        few = ("no message yet", "the one message so far", "both messages")
        return few[size] if size < len(few) else f"all {size:,} messages"
    return f"{sent:,} of {size:,} messages"


def _cost(timeline: Timeline, number: int) -> str:
    used, how = used_tokens(timeline, number), measured_by(timeline, number)
    of = budget_in_words(timeline, number)
    if cause := timeline.over_budget_cause(number):
        over = f"{tokens_over(timeline, number):,} over the budget of {of}"
        said = f"{used:,} tokens ({how}), {over}: {cause_in_words(cause)}"
    else:
        said = f"{used:,} of {of} tokens ({how})."
    return f"{said} {counted_sentence(timeline, number)}".rstrip()


def budget_in_words(timeline: Timeline, number: int) -> str:
    """ "66,000 (71,000 less 5,000 reserved)": what request `number` may have, and what is taken off the setting."""
    left = context_budget(timeline, number)
    less = timeline.settings.budget - left
    return f"{left:,} ({timeline.settings.budget:,} less {less:,} reserved)" if less > 0 else f"{left:,}"


def _decisions(counts: dict[Action, int]) -> str:
    order = (Action.DROPPED, Action.SUMMARIZED, Action.TRUNCATED, Action.PINNED)
    parts = [f"{counts[action]:,} {LOOKS[action].word}" for action in order if counts[action]]
    if not counts[Action.DROPPED] and not counts[Action.SUMMARIZED]:
        parts.insert(0, "nothing left out")
    text = ", ".join(parts)
    return f"{capitalize_first(text)}."


def forgotten_sentence(timeline: Timeline, number: int, named: Container[int | None] = ()) -> str:
    """The oldest dropped message in which a user wrote something, and since when; those `named` already are skipped."""
    plan = timeline.plans[number]
    lost = np.flatnonzero((plan.actions == Action.DROPPED) & (timeline.conversation.columns.role[: plan.size] == USER))
    others = (i for i in lost.tolist() if i not in named)
    words = ((i, own_words(timeline.conversation[i])) for i in others)
    message, said = next(((i, said) for i, said in words if said), (None, ""))
    if message is None:
        return ""
    since = stopped_being_sent(timeline, number, message)
    quote = f"message {message + 1:,}, “{one_line(said, QUOTE)}”"
    if not since or message >= timeline.plans[since - 1].size:
        return f"It has never seen {quote}."
    return f"It stopped seeing {quote}, {at_step(timeline.steps[since])}."
