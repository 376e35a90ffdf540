"""What a timeline sends in place of messages, for the list in the browser: shorter texts, and the summaries.

Every request of the timeline is in it, as what changed since the one before; deflated JSON.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from historylab.conversation.message import Summary
from historylab.figures.message_texts import beginning
from historylab.figures.packing import deflate
from historylab.planning.plan import HistoryPlan
from historylab.planning.replay import Timeline
from historylab.wording.settings import summary_author
from historylab.wording.untrusted import multiline, one_line

MOST = 20_000  # characters shown of a summary

Shorter = list[tuple[int, int, tuple[str, int] | None]]
"""From which request (from 0) on a message takes how many tokens, and the beginning of its text if that differs."""


def pack_otherwise(timeline: Timeline) -> bytes:
    """The shorter texts by message, the summaries by request, and the messages that later ones stand for."""
    columns = timeline.conversation.columns
    replaced = np.flatnonzero(columns.replaced_by < len(timeline.conversation))
    return deflate(
        {
            "shorter": list(_shorter(timeline).items()),
            "summaries": _summaries(timeline),
            "replaced": [[i, int(columns.replaced_by[i])] for i in replaced.tolist()],
        }
    )


def summary_at(timeline: Timeline, number: int) -> dict[str, Any]:
    """The text of the summary that request `number` sends, empty without one, and the first request that sends it."""
    summary = timeline.plans[number].summary
    before = (i for i in range(number - 1, -1, -1) if timeline.plans[i].summary is not summary)
    return {"from": next(before, -1) + 1, "text": multiline(summary.text, MOST) if summary else ""}


def _shorter(timeline: Timeline) -> dict[int, Shorter]:
    found: dict[int, Shorter] = {}
    takes = np.full(len(timeline.conversation), -1)
    for request, plan in enumerate(timeline.plans):
        if not plan.shortened:
            continue
        now = takes.copy()
        for cut in plan.shortened:
            now[cut.messages] = cut.texts.tokens_of(cut.messages)
        for i in np.flatnonzero(now != takes).tolist():
            found.setdefault(i, []).append((request, int(now[i]), _text(timeline, plan, i)))
        takes = now
    return found


def _text(timeline: Timeline, plan: HistoryPlan, i: int) -> tuple[str, int] | None:
    message = timeline.conversation[i]
    sent = next(cut.texts[i] for cut in reversed(plan.shortened) if i in cut.messages)
    shown = beginning(message, sent)
    return None if shown[0] == beginning(message, message.content)[0] else shown


def _summaries(timeline: Timeline) -> list[dict[str, Any]]:
    """Each summary, with the first request that sends it; one that covers nothing where none is sent any more."""
    found: list[dict[str, Any]] = []
    last = None
    for request, summary in enumerate(plan.summary for plan in timeline.plans):
        if summary is not last:
            found.append({"from": request, **(_about(summary) if summary else {"covers": 0})})
        last = summary
    return found


def _about(summary: Summary) -> dict[str, Any]:
    note = one_line(summary.note, 300)
    return {"covers": summary.covers, "tokens": summary.tokens, "by": summary_author(summary.by), "note": note}
