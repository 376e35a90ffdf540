"""Folding blocks into the plan's one summary: shared by everything that summarises.

The summary is made for what is folded now and absorbs the one before it; it never takes more room than it is given.
When no text fits that room, the blocks are dropped and the plan says so. A summary goes when all it stands for is gone
by an explicit wish (`lastN`).
"""

from __future__ import annotations

import numpy as np

from historylab.conversation.message import Summary
from historylab.counters.base import count_text
from historylab.errors import InstrumentError
from historylab.planning.plan import HistoryPlan
from historylab.planning.reasons import Action, Reason, reason
from historylab.planning.strategies.base import Context
from historylab.summarizers.base import Summarizer, SummaryTask, Written
from historylab.summarizers.extractive import ExtractiveSummarizer

READS = ("summarizer", "summary_heading")
"""Settings that folding reads: members that fold declare them."""
FOR_BUDGET = reason("summary", "Folded into the summary made when the history had {tokens:,} tokens.", setting="budget")
NO_ROOM = reason("no_room", "Over the budget, and no room was left for a summary: dropped.", setting="budget")


def carry_over(plan: HistoryPlan, context: Context, why: Reason = FOR_BUDGET) -> HistoryPlan:
    """What the request before summarised stays summarised, by the same text: the prefix doesn't move."""
    before = context.previous
    if before is None or before.summary is None or plan.summary is not None:
        return plan
    blocks = folded_before(context)
    if not (blocks & plan.open).any():  # all it stands for is gone by an explicit wish
        return plan
    return plan.summarize(blocks, before.summary, why, **before.numbers.get(why.code, {"tokens": before.tokens}))


def folded_before(context: Context) -> np.ndarray:
    """bool[blocks]: what the request before had a summary stand for."""
    blocks = np.zeros(context.history.blocks, bool)
    before = context.previous
    if before is not None and before.summary is not None:
        blocks[: before.history.blocks] = before.block_actions == Action.SUMMARIZED
    return blocks


def fold(plan: HistoryPlan, context: Context, blocks: np.ndarray, room: int, why: Reason = FOR_BUDGET) -> HistoryPlan:
    """Summarise `blocks` (bool[blocks]) together with the former summary into at most `room` tokens."""
    blocks = blocks & plan.open
    if not blocks.any() and plan.summary_tokens <= room:
        return plan
    history, instruments = context.history, context.instruments
    indices = np.flatnonzero(blocks[history.columns.block[: history.size]]).tolist()
    covers = len(indices) + (plan.summary.covers if plan.summary else 0)
    heading = heading_of(context.settings.summary_heading, covers)
    room = min(room, int(plan.block_tokens @ blocks) + plan.summary_tokens - 1)  # shorter than what it replaces
    left = room - count_text(instruments.counter, heading)
    former = plan.summary.body if plan.summary else ""
    conversation = history.conversation
    task = SummaryTask([conversation[i] for i in indices], left, instruments.counter, former, conversation.derived)
    written, by = write(task, instruments.summarizer) if left > 0 else (Written(""), "")
    tokens = count_text(instruments.counter, heading + written.text)
    if not written.text or tokens > room:
        return plan.drop(blocks, NO_ROOM)
    text, note, usage = heading + written.text, written.note, written.usage
    summary = Summary(text, tokens, covers, history.size, by, note, usage, heading)
    return plan.summarize(blocks, summary, why, tokens=plan.tokens)


def heading_of(wording: str, covers: int) -> str:
    """The heading before a summary of so many messages: on the text's first line if it ends in a colon, else above."""
    words = wording.replace("{n}", f"{covers:,}").strip()
    return f"{words} " if words.endswith(":") else f"{words}\n"


def write(task: SummaryTask, summarizer: Summarizer) -> tuple[Written, str]:
    """The summary and who wrote it: the summarizer, or the extractive one, with a note that says why."""
    written = _attempt(task, summarizer)
    fits = task.fits(written.text)
    if (written.text and fits) or isinstance(summarizer, ExtractiveSummarizer):
        return written, summarizer.name
    why = written.note or f"{summarizer.name} gave an empty text"
    if not fits:
        why = f"{summarizer.name} wrote {task.count(written.text):,} tokens where {task.max_tokens:,} fit"
    instead = ExtractiveSummarizer()
    return Written(instead.summarize(task), written.usage, f"{instead.name} stepped in: {why}"), instead.name


def _attempt(task: SummaryTask, summarizer: Summarizer) -> Written:
    """What the summarizer wrote; an empty text and the reason where it could not."""
    try:
        written = summarizer.summarize(task)
    except InstrumentError as problem:
        return Written("", note=str(problem))
    return written if isinstance(written, Written) else Written(written)
