"""Every decision of an app as one structured log record, and as an event of OpenTelemetry's current span.

Off unless the app asks for it, by giving the logger `historylab.decisions` a level of its own:

    logging.getLogger("historylab.decisions").setLevel(logging.INFO)

Each request then is a record of numbers and names, its fields as attributes of the record (`historylab.tokens_after`),
as formatters for JSON and OpenTelemetry's log handler take them. No text of the conversation is in it; at level DEBUG
it has one more field, `historylab.why`, with the reason of each message that isn't sent whole, which may quote it.

Where the app has loaded OpenTelemetry and a span is recording, a request of which something was cut is an event
`gen_ai.conversation.compacted` there, with the same fields but that one. The conventions for generative AI have that
name as an attribute, true on the span of an operation whose context was compacted, never false (in development, as of
November 2026: https://github.com/open-telemetry/semantic-conventions-genai); such a span gets it, too. They name no
counts, so those are ours.
"""

from __future__ import annotations

import logging
import sys
from hashlib import blake2b
from typing import Any

import numpy as np

from historylab.planning.plan import HistoryPlan
from historylab.planning.reasons import Action, reason_of
from historylab.settings.model import Settings

log = logging.getLogger("historylab.decisions")

COMPACTED = "gen_ai.conversation.compacted"
OPERATION = "gen_ai.operation.name"
"""The attribute that every span of a generative AI operation has."""


def logs_decisions() -> bool:
    """Whether the app asked for records: the logger's own level counts, so that a level of the root asks for none."""
    return bool(log.level) and log.isEnabledFor(logging.INFO)


def log_decision(plan: HistoryPlan, settings: Settings) -> None:
    """Tell what was decided for the request that this plan sends, if the app asked for that."""
    if not logs_decisions():
        return
    fields = decision_fields(plan, settings)
    _tell_span(fields)
    if log.level <= logging.DEBUG:
        fields["historylab.why"] = "\n".join(_why(plan))
    log.info(
        "%s of %s messages sent, %s of %s tokens, for a budget of %s",
        f"{int((plan.actions <= Action.TRUNCATED).sum()):,}",
        f"{plan.size:,}",
        f"{plan.tokens:,}",
        f"{fields['historylab.tokens_before']:,}",
        f"{plan.budget:,}",
        extra=fields,
    )


def decision_fields(plan: HistoryPlan, settings: Settings) -> dict[str, str | int | bool]:
    """What was decided, in numbers: messages by action and by the rule that cut them, tokens before and after."""
    actions = plan.actions
    counts = np.bincount(actions, minlength=len(Action)).tolist()
    cut = np.bincount(plan.reasons[actions > Action.PINNED])
    return {
        "gen_ai.request.model": settings.model,
        "historylab.settings": blake2b(settings.key.encode(), digest_size=6).hexdigest(),
        "historylab.messages": plan.size,
        **{f"historylab.{action.name.lower()}": counts[action] for action in Action},
        **{f"historylab.reason.{reason_of(code).rule}": int(cut[code]) for code in cut.nonzero()[0].tolist()},
        "historylab.tokens_before": plan.history.untrimmed_tokens + plan.history.counter.per_request,
        "historylab.tokens_after": plan.tokens,
        "historylab.summary_tokens": plan.summary_tokens,
        "historylab.budget": plan.budget,
        "historylab.over_budget": plan.over_budget,
    }


def _tell_span(fields: dict[str, str | int | bool]) -> None:
    trace: Any = sys.modules.get("opentelemetry.trace")  # imported by the app or not at all
    cut = ("historylab.dropped", "historylab.summarized", "historylab.truncated")
    if trace is None or not any(fields[name] for name in cut):
        return
    span = trace.get_current_span()
    if span.is_recording():
        span.add_event(COMPACTED, fields)
        if OPERATION in (getattr(span, "attributes", None) or {}):
            span.set_attribute(COMPACTED, True)


def _why(plan: HistoryPlan) -> list[str]:
    """ "message 4, user, dropped: Older than the last 20 turns." for each that isn't sent whole; counted from 0."""
    messages, lines = plan.history.conversation.messages, list[str]()
    for i in (plan.actions > Action.PINNED).nonzero()[0].tolist():
        why = plan.reason(i)
        lines.append(f"message {i}, {messages[i].role}, {why.action.name.lower()}: {why.sentence}")
    return lines
