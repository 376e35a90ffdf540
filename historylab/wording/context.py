"""Words on how full a request is: of the budget or the window, and from where on a compaction summarises."""

from __future__ import annotations

from historylab.conversation.usage import usage_by_request
from historylab.costs.amounts import percent
from historylab.counters.badge import count_badge
from historylab.planning.context_fill import ContextLimit, context_budget, context_limit, tokens_over
from historylab.planning.contexts import reported_under
from historylab.planning.replay import Timeline
from historylab.recordings.as_sent import is_as_sent
from historylab.wording.palette import KINDS
from historylab.wording.untrusted import one_line

MODEL = 40  # characters of a model's name
NOT_HELD, REPORTED = "not in the file", "reported by the provider"
BADGE = 200  # of how tokens are counted, which may name models


def counted_by(timeline: Timeline) -> str:
    """ "o200k_base, exact for gpt-5.5": how every token of a timeline is counted."""
    settings = timeline.settings
    return one_line(count_badge(timeline.counter, settings.model, [timeline.original], settings.overhead), BADGE)


def used_tokens(timeline: Timeline, number: int) -> int:
    """Tokens that request `number` (from 0) takes of its limit, all that is outside the messages included."""
    return int(timeline.contexts[number])


def context_fill_sentence(timeline: Timeline, number: int) -> str:
    """ "18.7% of the budget." or "9.2% of gpt-5.5's window. From 96,000 tokens on, older history is summarised." """
    limit, used = context_limit(timeline), used_tokens(timeline, number)
    share = percent(used / limit.tokens) if limit.tokens else "All"
    whose = limit_in_words(timeline)
    over = tokens_over(timeline, number)
    said = f"{over:,} over the budget." if over else ""
    return " ".join(filter(None, (f"{share} of {whose}.", said, counted_sentence(timeline, number), _limits(limit))))


def limit_in_words(timeline: Timeline) -> str:
    """ "gpt-5.5's window", "the budget", or of what was sent under an unknown one "the largest request"."""
    if context_limit(timeline).is_window:
        return f"{one_line(timeline.settings.model, MODEL)}'s window"
    sized = timeline.run is not None or (is_as_sent(timeline) and timeline.plans[-1].is_sized)
    return "the largest request" if sized else "the budget"


def kind_in_words(timeline: Timeline, kind: str) -> str:
    """A kind of tokens in a legend: "tool results"; "not in the file" for what a reported size has besides."""
    return NOT_HELD if kind == "overhead" and timeline.plans[-1].is_sized else KINDS[kind].word


def counted_sentence(timeline: Timeline, number: int) -> str:
    """ "Counted, which decides, it has 94,000." where that is on the other side of the budget; else ""."""
    if timeline.plans[number].is_sized:
        return ""
    counted, room = timeline.plans[number].tokens + timeline.settings.overhead, context_budget(timeline, number)
    differ = (counted > room) != (used_tokens(timeline, number) > room)
    return f"Counted, which is what decides, it has {counted:,}." if differ else ""


def measured_by(timeline: Timeline, number: int) -> str:
    """ "reported by the provider", also "less what is cut"; else how tokens are counted."""
    if timeline.plans[number].is_sized:
        return REPORTED if usage_by_request(timeline.original)[number] else counted_by(timeline)
    if not reported_under(timeline.original, timeline.settings, len(timeline.plans))[number]:
        return counted_by(timeline)
    cut = timeline.contexts[number] < timeline.untrimmed_contexts[number]
    return f"{REPORTED}, less what is cut: {counted_by(timeline)}" if cut else REPORTED


def _limits(limit: ContextLimit) -> str:
    said = list[str]()
    if limit.threshold is not None:
        said.append(f"From the threshold of {limit.threshold:,} tokens on, older history is summarised.")
    if limit.budget is not None:
        said.append(f"The budget is {limit.budget:,}.")
    return " ".join(said)
