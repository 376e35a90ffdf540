"""Requests an API would refuse: which of those that are sent, how many naive slicing makes, and what the guard changes.

In a naive slice a tool result can lose its call, or the history no longer starts with the user. What one provider's API
refuses besides is in `api_rules.py`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from historylab.conversation.columns import ASSISTANT, SYSTEM, TOOL, USER, Columns
from historylab.conversation.conversation import Conversation
from historylab.conversation.message import Message, prompt_length
from historylab.planning.api_rules import ApiRules, recorded_rules, rules_of
from historylab.planning.faults_at_once import find_faults_of_blocks, find_faults_of_slices
from historylab.planning.history import History
from historylab.planning.naive_slicing import naive_masks, naive_starts
from historylab.planning.slot_zero import invalid_blocks
from historylab.planning.steps import PlannedRequests

FAULTS = ("orphans", "unanswered", "wrong_start", "empty", "wrong_end")
Row = tuple[int, int, bool, bool, bool]
"""The faults of one request, in the order of FAULTS."""
FAULTLESS: Row = (0, 0, False, False, False)
"""Also of a request that nothing is known of."""


@dataclass(frozen=True, slots=True, eq=False)
class Validity:
    """The faults of each request: arrays of one entry per request.

    `orphans`: tool results sent without their call (int64); `unanswered`: calls sent without all their results (int64);
    `wrong_start`: the first message but systems isn't the user's (bool); `empty`: nothing but systems is left (bool);
    `wrong_end`: the last message but systems is the assistant's (bool), which some models refuse.
    """

    orphans: np.ndarray
    unanswered: np.ndarray
    wrong_start: np.ndarray
    empty: np.ndarray
    wrong_end: np.ndarray

    @property
    def refused(self) -> np.ndarray:
        """bool[requests]: what any API refuses: a call and its results that don't match, or nothing to answer."""
        faulty: np.ndarray = (self.orphans > 0) | (self.unanswered > 0) | self.empty
        return faulty

    def share(self, fault: str) -> float:
        """Share of the requests with that fault (one of FAULTS)."""
        faulty = np.asarray(getattr(self, fault)) > 0
        return float(faulty.mean()) if len(faulty) else 0.0


@dataclass(frozen=True, slots=True, eq=False)
class ProviderValidity(Validity):
    """The faults of each request, and why one provider's API refuses it beside calls and results that don't match up.

    `causes`: one per request, empty where there is none.
    """

    rules: ApiRules
    causes: Sequence[str]

    @property
    def refused(self) -> np.ndarray:
        """bool[requests]: what this provider's API refuses."""
        faulty: np.ndarray = (self.orphans > 0) | (self.unanswered > 0) | np.array([bool(c) for c in self.causes], bool)
        return faulty


def validity(timeline: PlannedRequests, provider: str | None = None) -> Validity:
    """The faults in the requests of a timeline as `render()` sends them, projected and laid out.

    The guard leaves no orphans and no unanswered calls. `refused` is what any API refuses; with a `provider`
    (anthropic, gemini, openai), what that one's does. Raises UnknownMember for another.
    """
    if provider is None:
        return timeline.remember("validity", lambda: _of_requests(timeline))
    rules = rules_of(provider)
    return timeline.remember(("validity", rules.provider), lambda: _by_rules(timeline, rules))


def recorded_validity(timeline: PlannedRequests) -> Validity:
    """The validity by the rules of the provider that the file names; where none are known, by those of any API."""
    recorded = timeline.original.recorded
    rules = recorded_rules(recorded.provider, recorded.model)
    return validity(timeline, rules.provider if rules else None)


def lost_prompts(timeline: PlannedRequests) -> np.ndarray:
    """bool[requests]: those sent without the conversation's system prompt, none of the messages it begins with."""
    return timeline.remember("lost prompts", lambda: _find_lost_prompts(timeline))


def _find_lost_prompts(timeline: PlannedRequests) -> np.ndarray:
    ranges = timeline.sent_ranges
    leading = timeline.conversation.columns.block[: prompt_length(timeline.conversation)]
    each = np.arange(len(ranges.sizes))
    sent = ranges.sends(each.repeat(len(leading)), np.tile(leading, len(each))).reshape(len(each), len(leading))
    lost = np.logical_not(sent.any(axis=1)) if len(leading) else np.zeros(len(each), bool)
    lost[list(timeline.errors)] = False
    return lost


def _by_rules(timeline: PlannedRequests, rules: ApiRules) -> ProviderValidity:
    found = validity(timeline)
    chosen, recorded = timeline.settings.model, timeline.original.recorded.model
    model = chosen if rules.models in chosen else recorded or ""
    blank = blank_messages(timeline.conversation, rules)
    ends = zip(found.empty.tolist(), found.wrong_start.tolist(), found.wrong_end.tolist(), strict=True)
    causes, half_answered = list[str](), _half_answered(timeline).tolist()
    for number, (plan, (empty, start, end)) in enumerate(zip(timeline.plans, ends, strict=True)):
        if number in timeline.errors:
            causes.append("")
            continue
        arranged = plan.layout or plan.decided_by
        sent = plan.render() if arranged or empty or start or end else []
        said = [message for message in sent if message.role != "system"]
        if empty:
            causes.append("nothing to answer" if rules.systems_alone or not sent else "")
        elif _waits(said) if arranged else half_answered[number]:
            causes.append("the newest tool call lacks a result")
        elif (first := _first_sent(timeline, number, blank, sent)) >= 0:
            causes.append(f"message {first + 1:,} is sent without any text")
        elif start and rules.refuses_start(said[0]):
            causes.append("it begins with an answer")
        else:
            causes.append("it ends in an answer" if end and rules.refuses_end(said[-1], model) else "")
    return ProviderValidity(**{name: getattr(found, name) for name in FAULTS}, rules=rules, causes=causes)


def blank_messages(conversation: Conversation, rules: ApiRules) -> np.ndarray:
    """int64: the messages that an API refuses for want of a text."""
    return conversation.remember(
        ("blank", rules.provider), lambda: np.flatnonzero([rules.refuses_text(message) for message in conversation])
    )


def _first_sent(timeline: PlannedRequests, number: int, chosen: np.ndarray, sent: Sequence[Message]) -> int:
    """The first of these messages that is sent, -1 if none is; a layout (`sent`) may have made another of it."""
    plan, messages = timeline.plans[number], timeline.conversation.messages
    found = chosen[: chosen.searchsorted(plan.size)]
    found = found[timeline.sent_ranges.sends(np.full(len(found), number), timeline.conversation.columns.block[found])]
    shown = (i for i in found.tolist() if not plan.layout or any(messages[i] is message for message in sent))
    return next(shown, -1)


def _half_answered(timeline: PlannedRequests) -> np.ndarray:
    """bool[requests]: those that send their newest block, which still waits for a result."""
    columns, ranges = timeline.conversation.columns, timeline.sent_ranges
    newest, each = np.maximum(ranges.blocks - 1, 0), np.arange(len(ranges.sizes))
    waits = (ranges.blocks > 0) & (columns.answered_at[newest] > ranges.sizes)
    half: np.ndarray = waits & ranges.sends(each, newest)
    return half


def _waits(said: Sequence[Message]) -> bool:
    """Whether the newest calls of a request lack a result."""
    last = next((i for i in reversed(range(len(said))) if said[i].role != "tool"), 0)
    return len(said[last].tool_calls) > len(said) - last - 1


def _of_requests(timeline: PlannedRequests) -> Validity:
    if timeline.decided_by:  # no guard of ours stood by: anything may be sent
        rows = (_faults_of_messages(plan.render(), finished=True) for plan in timeline.plans)
        return _validity([FAULTLESS if i in timeline.errors else row for i, row in enumerate(rows)])
    if any(plan.layout for plan in timeline.plans):
        return _validity([_faults_of_messages(plan.render()) for plan in timeline.plans])
    return Validity(*find_faults_of_blocks(timeline.conversation.columns, timeline.sent_ranges))


def naive_validity(timeline: PlannedRequests) -> Validity:
    """The faults under the same settings sliced naively, message by message."""
    columns = timeline.conversation.columns
    if not columns.clean or len(columns.stand_ins) or len(columns.shown) or timeline.settings.filter != "off":
        masks = zip(timeline.plans, naive_masks(timeline), strict=True)
        return _validity([_faults(plan.history, mask) for plan, mask in masks])
    return Validity(*find_faults_of_slices(columns, timeline.sent_ranges.sizes, naive_starts(timeline)))


@dataclass(frozen=True, slots=True)
class GuardReport:
    """The effect of sending calls and results together: naive requests any API refuses, of how many, and messages.

    `results_left_out` and `calls_left_out` are summed over all requests: halves the naive version would have sent.
    """

    requests: int
    refused: int
    results_left_out: int
    calls_left_out: int
    filtered: bool = False

    def sentence(self) -> str:
        """ "Sliced naively, 42 of 105 requests would be refused: 61 tool results without their call." """
        sliced = "Filtered, then sliced naively," if self.filtered else "Sliced naively,"
        one = self.requests == 1
        if not self.refused:
            sound = "the one request would not" if one else f"none of the {self.requests:,} requests would"
            return f"{sliced} {sound} be refused."
        halves = [
            f"{n:,} {singular if n == 1 else plural}"
            for n, singular, plural in (
                (self.results_left_out, "tool result without its call", "tool results without their call"),
                (self.calls_left_out, "tool call without its results", "tool calls without their results"),
            )
            if n
        ]
        why = f": {' and '.join(halves)}" if halves else ""
        refused = "the one request" if one else f"{self.refused:,} of {self.requests:,} requests"
        return f"{sliced} {refused} would be refused{why}."


def guard_report(timeline: PlannedRequests) -> GuardReport:
    """The requests and messages that the pairing guard saved under these settings."""
    naive = naive_validity(timeline)
    refused, orphans = int(naive.refused.sum()), int(naive.orphans.sum())
    filtered = timeline.settings.filter != "off"
    return GuardReport(len(timeline.plans), refused, orphans, int(naive.unanswered.sum()), filtered)


def _validity(rows: list[Row]) -> Validity:
    columns = list(zip(*rows, strict=True)) or [()] * len(FAULTS)
    kinds = (np.int64, np.int64, bool, bool, bool)
    return Validity(*(np.array(column, kind) for column, kind in zip(columns, kinds, strict=True)))


def _faults(history: History, mask: np.ndarray) -> Row:
    columns, size = history.columns, history.size
    role, homes = columns.role[:size], columns.block[:size]
    firsts = columns.block_first[: history.blocks]
    calling = mask[firsts]  # bool[blocks]: the message that opens the block is sent
    results = mask & (role == TOOL)
    orphans = results & (~calling[homes] | columns.orphan[homes])
    rest = mask & (role != SYSTEM)
    empty = not rest.any()
    begins_wrong = not empty and bool(role[rest.argmax()] != USER)
    sent = np.flatnonzero(rest)
    ends_wrong = not empty and bool(role[sent[homes[sent] == homes[sent].max()][-1]] == ASSISTANT)
    return int(orphans.sum()), _count_unanswered(history, columns, mask, calling), begins_wrong, empty, ends_wrong


def _count_unanswered(history: History, columns: Columns, mask: np.ndarray, calling: np.ndarray) -> int:
    """Messages with calls that are sent without all their results; broken in the source, or results sliced away."""
    homes = columns.block[: history.size]
    sent = np.bincount(homes, mask, history.blocks)
    split = sent < history.block_sizes
    if not columns.clean:
        split |= invalid_blocks(history) & ~columns.orphan[: history.blocks]
    return int(np.count_nonzero(calling & split))


def _faults_of_messages(messages: Sequence[Message], *, finished: bool = False) -> Row:
    """The faults of a request as it is sent, message by message; `finished`: calls at its end are unanswered, too."""
    waiting, orphans, unanswered = list[str](), 0, 0
    for message in messages:
        if message.role == "tool":
            if message.tool_call_id in waiting:
                waiting.remove(message.tool_call_id)
            else:
                orphans += 1
        else:
            unanswered += bool(waiting)  # those at the very end are still being answered
            waiting = [call.id for call in message.tool_calls]
    unanswered += finished and bool(waiting)
    said = [message.role for message in messages if message.role != "system"]
    if not said or (finished and not {"user", "tool"} & set(said)):
        return orphans, unanswered, False, True, False
    return orphans, unanswered, said[0] != "user", False, said[-1] == "assistant"
