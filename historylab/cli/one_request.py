"""`historylab show FILE --request N`: the messages of one request, with the reasons."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import TYPE_CHECKING, Any, NamedTuple

from historylab.cli.base import print_line, print_table, strip_controls
from historylab.costs.amounts import count_of
from historylab.errors import SettingsError

if TYPE_CHECKING:
    from historylab.planning.reasons import Action
    from historylab.planning.replay import Timeline

FOLDED = 5  # messages in a row that are not sent for one reason; more of them share a line
TEXT = 50  # characters of a message


class _Row(NamedTuple):
    message: int  # from 0
    role: str
    action: Action
    tokens: int
    text: str
    reason: str


def show_one_request(timeline: Timeline, number: int, as_json: bool) -> Any:
    """Print the messages of request `number` (from 1); as JSON, return them. Raises SettingsError if there is none."""
    check_request_number(timeline, number)
    rows = list(_rows(timeline, number - 1))
    if as_json:
        step = timeline.steps[number - 1]
        known = {"known": step.known, **({"error": step.error} if step.error else {})} if timeline.decided_by else {}
        unknown = {"action": "unknown", "tokens": None, "reason": ""} if step.error else {}
        return [{**row._asdict(), "action": row.action.name.lower(), **unknown, **known} for row in rows]
    _print_request(timeline, number - 1, rows)
    return None


def check_request_number(timeline: Timeline, number: int | None) -> None:
    """Raises SettingsError where there is no request of that number (from 1)."""
    if number is not None and not 1 <= number <= len(timeline.plans):
        raise SettingsError(f"there is no request {number}; the conversation has {len(timeline.plans):,}")


def _rows(timeline: Timeline, request: int) -> Iterator[_Row]:
    plan = timeline.plans[request]
    tokens = plan.sent_tokens
    for i, message in enumerate(timeline.conversation[: plan.size]):
        why = plan.reason(i)
        yield _Row(i, message.role, why.action, int(tokens[i]), message.content, why.sentence)


def _print_request(timeline: Timeline, request: int, rows: Iterable[_Row]) -> None:
    from historylab.planning.context_fill import tokens_over
    from historylab.wording.as_sent import unknown_sentence
    from historylab.wording.context import counted_sentence
    from historylab.wording.verdict import budget_in_words

    step = timeline.steps[request]
    if step.error:
        print_line(f"{step.label}: {unknown_sentence(timeline, request)}")
        return
    of = "" if timeline.run else f" of {budget_in_words(timeline, request)}"
    title = f"{step.label}: {timeline.contexts[request]:,} tokens{of}"
    print_table(title, _Row._fields, _lines(rows))
    if not timeline.run and (cause := timeline.over_budget_cause(request)):
        print_line(f"{tokens_over(timeline, request):,} over the budget: {cause.cause}")
    for said in filter(None, (counted_sentence(timeline, request), unknown_sentence(timeline, request))):
        print_line(said)


def _lines(rows: Iterable[_Row]) -> Iterator[tuple[Any, ...]]:
    """A line per message, and one for a long run of those that are not sent, for one reason."""
    from historylab.planning.reasons import Action
    from historylab.wording.palette import LOOKS

    for (action, reason), found in groupby(rows, lambda row: (row.action, row.reason)):
        run, word = list(found), LOOKS[action].word
        if action > Action.TRUNCATED and len(run) > FOLDED:
            place = f"{run[0].message + 1:,}–{run[-1].message + 1:,}"
            yield place, "…", word, sum(row.tokens for row in run), count_of(len(run), "message"), reason
            continue
        for row in run:
            yield row.message + 1, row.role, word, row.tokens, strip_controls(row.text, TEXT), reason
