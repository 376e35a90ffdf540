"""Folding blocks into the plan's one summary: shared by all stages that summarise.

A new summary absorbs the former one and never takes more room than it is given. If no text fits, the blocks are dropped
with a reason of their own. A summary is dropped once the policy (`lastN`) has dropped everything it stands for. One
that came back with the messages (returned.py) is taken up as the former one.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from historylab.conversation.growing import Notes
from historylab.conversation.message import Summary
from historylab.counters.base import count_text
from historylab.errors import InstrumentError
from historylab.planning.blocks import Ranges
from historylab.planning.plan import HistoryPlan
from historylab.planning.reasons import Action, Reason, reason
from historylab.planning.strategies.base import Context
from historylab.planning.strategies.returned import heading_of, read_summary
from historylab.summarizers.base import SummaryTask
from historylab.summarizers.extractive import ExtractiveSummarizer
from historylab.summarizers.writing import write_summary

READS = ("summarizer", "summary_heading")
"""Settings that folding reads: members that fold declare them."""
FOR_BUDGET = reason("summary", "Folded into the summary made when the history had {tokens:,} tokens.", setting="budget")
RETURNED = reason("returned", "A summary of earlier messages that came back: it goes on as the request's summary.")
EARLIER = "an earlier request"
NO_ROOM = reason("no_room", "Over the budget, and no room was left for a summary: dropped.", setting="budget")


def carry_over(plan: HistoryPlan, context: Context, why: Reason, *others: Reason) -> HistoryPlan:
    """Keep the messages that the previous request summarised under the same text, so that the prefix stays the same.

    They keep the one of the `others` that they had then; all else is summarised for the reason `why`.
    """
    before = context.previous
    if before is not None and before.summary is not None and plan.summary is None:
        blocks = plan.decided_before(before, Action.SUMMARIZED)
        if plan.any_open(blocks):  # else the policy dropped all it stands for
            if plan.returned.any():
                plan = plan.summarize(plan.among(blocks) & plan.returned, before.summary, RETURNED)
            for other in others:
                if other.code in before.numbers:
                    same = plan.decided_before(before, Action.SUMMARIZED, other)
                    plan = plan.summarize(same, before.summary, other, **before.numbers[other.code])
            numbers = before.numbers.get(why.code, {"tokens": before.tokens})
            plan = plan.summarize(blocks, before.summary, why, **numbers)
    return _take_up(plan, context)


def _take_up(plan: HistoryPlan, context: Context) -> HistoryPlan:
    """Summaries that came back, and are not carried already, become part of the plan's one summary."""
    if not plan.returned.any() or not len(back := np.flatnonzero(plan.returned & plan.open)):
        return plan
    history, wording = context.history, context.settings.summary_heading
    messages = [history.conversation[i] for i in history.columns.block_first[back].tolist()]
    read = [summary for message in messages if (summary := read_summary(message, wording))]
    former = plan.summary
    covers = sum(summary.covers for summary in read) + (former.covers if former else 0)
    heading = read[0].heading if len(read) == 1 and not former else heading_of(wording, covers)
    text = heading + "\n".join([*([former.body] if former else []), *(summary.body for summary in read)])
    tokens = count_text(context.instruments.counter, text)
    return plan.summarize(back, Summary(text, tokens, covers, 0, EARLIER, heading=heading), RETURNED)


def fold(
    plan: HistoryPlan, context: Context, blocks: Ranges | np.ndarray, room: int, why: Reason, /, **numbers: Any
) -> HistoryPlan:
    """Summarise `blocks` (a mask or ranges) together with the former summary into at most `room` tokens."""
    if not plan.any_open(blocks) and plan.summary_tokens <= room:
        return plan
    room = min(room, plan.tokens_of(blocks) + plan.summary_tokens - 1)  # shorter than what it replaces
    summary = _write(_task(plan, context, plan.among(blocks), room), context)
    if summary is None or summary.tokens > room:
        return plan.drop(blocks, NO_ROOM)
    return plan.summarize(blocks, summary, why, tokens=plan.tokens, **numbers)


def _task(plan: HistoryPlan, context: Context, blocks: np.ndarray, room: int) -> SummaryTask:
    """The messages of `blocks` and the plan's summary; the room still has to hold the heading as well."""
    history, former = context.history, plan.summary
    conversation = history.conversation
    indices = np.flatnonzero(blocks[history.columns.block[: history.size]]).tolist()
    return SummaryTask(
        [conversation[i] for i in indices],
        room,
        context.instruments.counter,
        former.body if former else "",
        conversation.growing(("summaries",), Notes).found,
        former.covers if former else 0,
    )


def _write(task: SummaryTask, context: Context) -> Summary | None:
    """The summary with its heading; None if no text fits."""
    heading = heading_of(context.settings.summary_heading, task.covers)
    left = task.max_tokens - count_text(task.counter, heading)
    if left <= 0:
        return None
    task, summarizer = replace(task, max_tokens=left), context.instruments.summarizer
    made_at, kept = context.history.size, context.instruments.summaries

    def write() -> Summary:
        return write_summary(task, summarizer, made_at=made_at, heading=heading, fallback=ExtractiveSummarizer())

    try:
        return kept.summary(task, heading, made_at, write) if kept else write()
    except InstrumentError:
        return None
