"""Decisions as CSV: for each message of one request the decision, the reason, and since which request.

Spreadsheets run text that begins with `=`, `+`, `-` or `@` as a formula; such cells are prefixed with an apostrophe.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator

import numpy as np

from historylab.conversation.conversation import checked_index
from historylab.planning.plan import HistoryPlan
from historylab.planning.reasons import Action, EachMessage
from historylab.planning.replay import Timeline
from historylab.tuning.table import defuse_formula
from historylab.wording.message_text import speaker
from historylab.wording.palette import LOOKS
from historylab.wording.untrusted import one_line

COLUMNS = ("message", "role", "tokens", "sent_tokens", "decision", "reason", "since_request", "since", "text")
LONGEST_TEXT = 300  # characters of a message


def decisions_csv(timeline: Timeline, number: int) -> str:
    """The history of request `number` (from 0) as CSV. In the file, messages and requests count from 1."""
    out = io.StringIO(newline="")
    writer = csv.writer(out)
    writer.writerow(COLUMNS)
    writer.writerows([defuse_formula(cell) for cell in row] for row in _rows(timeline, number))
    return out.getvalue()


def unchanged_since(timeline: Timeline, number: int) -> np.ndarray:
    """int64[messages]: since which request (from 0) each message has had, unbroken, its action at `number`."""
    number = checked_index(number, len(timeline.plans), "request")
    now = timeline.plans[number].actions
    first = np.full(len(now), number, np.int64)
    same = np.arange(len(now))
    for earlier in range(number - 1, -1, -1):
        was = timeline.plans[earlier].actions
        same = same[same < len(was)]
        same = same[was[same] == now[same]]
        if not len(same):
            break
        first[same] = earlier
    return first


def reason_sentences(plan: HistoryPlan) -> list[str]:
    """Per message, the sentence of its reason; each distinct sentence is formatted once."""
    codes, where, back = np.unique(plan.reasons, return_index=True, return_inverse=True)
    written = [plan.reason(int(where[k])).sentence for k in range(len(codes))]
    said = [written[k] for k in back.tolist()]
    differ = [code for code, n in plan.numbers.items() if any(isinstance(one, EachMessage) for one in n.values())]
    for i in np.flatnonzero(np.isin(plan.reasons, differ)).tolist():  # by a rule, or a cut, of its own
        said[i] = plan.reason(i).sentence
    return said


def _rows(timeline: Timeline, number: int) -> Iterator[tuple[object, ...]]:
    plan, steps = timeline.plans[number], timeline.steps
    columns = zip(
        plan.history.tokens.tolist(),
        plan.sent_tokens.tolist(),
        plan.actions.tolist(),
        reason_sentences(plan),
        unchanged_since(timeline, number).tolist(),
        strict=True,
    )
    for i, (tokens, sent, action, why, first) in enumerate(columns):
        message = timeline.conversation[i]
        who = speaker(message)
        word, text = LOOKS[Action(action)].word, one_line(message.content, LONGEST_TEXT)
        yield i + 1, who, tokens, sent, word, why, first + 1, steps[first].label, text
