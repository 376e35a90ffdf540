"""The requests of a conversation as rows: tokens, budget or fault, and a letter for every message."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from historylab.cli.base import print_line, print_table
from historylab.cli.driven import request_as_json
from historylab.costs.amounts import count_of

if TYPE_CHECKING:
    from historylab.planning.replay import Timeline

ROWS = 20  # requests shown by default
LETTERS = 60
UNKNOWN = "?"  # the letter of a message in a request for which a trimmer failed
LEGEND = f"K kept, P always sent, T cut short, S summarised, D dropped: one letter per message, the newest {LETTERS}."
NOT_KNOWN = f"{UNKNOWN} not known."


def requests_as_json(timeline: Timeline, shown: slice = slice(None)) -> list[dict[str, Any]]:
    """One row per request of those `shown`."""
    return [
        {
            "request": step.number + 1,
            "label": step.label,
            "messages": step.size,
            "tokens": None if step.error else int(timeline.contexts[step.number]),
            "untrimmed": int(timeline.untrimmed_contexts[step.number]),
            "over_budget": step.plan.over_budget,
            "sketch": UNKNOWN * step.size if step.error else step.plan.sketch(),
            "known": step.known,
            **(request_as_json(timeline, step.number) if timeline.run else {}),
        }
        for step in timeline.steps[shown]
    ]


def requests_at_first(timeline: Timeline, *, as_sent: bool) -> slice:
    """The requests that are shown by default: the last ones, or those around the newest cut of what was sent."""
    from historylab.recordings.post_mortem import post_mortem

    last = max(0, len(timeline.plans) - ROWS)
    cuts = [report.request for report in post_mortem(timeline.original)] if as_sent else []
    first = min(last, max(0, max(cuts) - ROWS // 2)) if cuts else last
    return slice(first, first + ROWS)


def print_requests(timeline: Timeline, shown: slice) -> None:
    from historylab.wording.faults import left_out_in_words

    found, requests = requests_as_json(timeline, shown), len(timeline.plans)
    cell, fault = (_fault_cell, "fault") if timeline.run else (_budget_cell, "budget")
    rows = [(r["request"], r["label"], r["tokens"], r["untrimmed"], cell(r), r["sketch"][-LETTERS:]) for r in found]
    part = f", requests {found[0]['request']:,} to {found[-1]['request']:,} of {requests:,}"
    title = timeline.conversation.title + (part if len(found) < requests else "")
    untrimmed = "had nothing been cut" if timeline.decided_by else "untrimmed"
    print_table(title, ("request", "where", "tokens", untrimmed, fault, "messages"), rows)
    print_line(f"{LEGEND} {NOT_KNOWN}" if timeline.errors else LEGEND)
    if left_out := left_out_in_words(timeline):
        print_line(f"Left out in any case: {left_out}.")
    if len(found) < requests:
        print_line(f"--all shows the other {count_of(requests - len(found), 'request')}.")


def _budget_cell(row: dict[str, Any]) -> str:
    """Words for a request over its budget, and for one whose messages are a guess."""
    return ", ".join(filter(None, ("over" * row["over_budget"], "" if row["known"] else "messages not known")))


def _fault_cell(row: dict[str, Any]) -> str:
    """Words for a request of a trimmer's that would be refused, and for one at which it failed."""
    return "failed" if row["error"] else "refused" * row["refused"]
