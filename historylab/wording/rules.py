"""Standing instructions in words: those that a request no longer holds, and since which one."""

from __future__ import annotations

from dataclasses import dataclass

from historylab.conversation.conversation import checked_index
from historylab.costs.amounts import count_of
from historylab.planning.replay import Timeline
from historylab.recall.rules import TrackedRule, track_rules
from historylab.wording.message_text import without_escapes
from historylab.wording.untrusted import one_line

QUOTE = 60  # characters of a rule


@dataclass(frozen=True, slots=True)
class RulesStatus:
    """A sentence on the rules that a request no longer holds, and those rules, the longest lost first.

    "The rule “never e-mail outside” left at request 31, as did 2 others; 1 more left later." The
    quotation is untrusted text on one line. The sentence is empty if all that was said is held.
    """

    sentence: str = ""
    lost: tuple[TrackedRule, ...] = ()


def rules_status(timeline: Timeline, number: int) -> RulesStatus:
    """The status of the rules at request `number` (from 0)."""
    number = checked_index(number, len(timeline.plans), "request")
    tracked = track_rules(timeline)
    since = {k: first for k, rule in enumerate(tracked) if (first := rule.held.lost_since(number)) is not None}
    lost = [tracked[k] for k in sorted(since, key=lambda k: (since[k], k))]
    if not lost:
        return RulesStatus()
    first = min(since.values())
    beside = [*since.values()].count(first) - 1
    gone = first > lost[0].first_request
    how = _left_since(lost[0], first) + _others(beside, later=len(lost) - 1 - beside, gone=gone)
    return RulesStatus(f"The rule {quoted_rule(lost[0])} {how}.", tuple(lost))


def _others(beside: int, later: int, *, gone: bool) -> str:
    """ ", as did 2 others; 1 more left later": the rules lost from the same request on, and from a later one."""
    verb = "as did" if gone else "nor has" if beside == 1 else "nor have"
    said = f", {verb} {count_of(beside, 'other')}" if beside else ""
    return f"{said}; {later:,} more left later" if later else said


def quoted_rule(tracked: TrackedRule) -> str:
    """ "“never e-mail outside”": untrusted text on one line."""
    return f"“{one_line(without_escapes(tracked.rule.text), QUOTE)}”"


def when_left(timeline: Timeline, tracked: TrackedRule) -> str:
    """ "left at request 31"; of one that came back "missing from 4 of 9 requests, first at 31" """
    (since, stop), requests = tracked.gaps[0], len(timeline.plans)
    if stop == requests:
        return _left_since(tracked, since)
    missing = sum(stop - first for first, stop in tracked.gaps)
    return (
        f"missing from {missing:,} of {count_of(requests - tracked.first_request, 'request')}, first at {since + 1:,}"
    )


def _left_since(tracked: TrackedRule, since: int) -> str:
    return f"left at request {since + 1:,}" if since > tracked.first_request else "has never been sent"
