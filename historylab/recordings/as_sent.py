"""A conversation as it was really sent: by the agent, the app or the framework that wrote the file."""

from __future__ import annotations

from collections.abc import Iterable

from historylab.conversation.conversation import Conversation
from historylab.conversation.message import MOST_TOKENS
from historylab.conversation.recorded import DECISIONS, was_trimmed
from historylab.conversation.sent import sent_histories, trimmed_requests
from historylab.conversation.usage import usage_by_request
from historylab.costs.proposal import settings_for
from historylab.errors import PlanError
from historylab.planning.given_decisions import plan_given
from historylab.planning.pipeline import open_instruments
from historylab.planning.plan import HistoryPlan
from historylab.planning.replay import Timeline
from historylab.planning.sent_decisions import decide_as_sent, unknown_requests
from historylab.pricing import window_of
from historylab.recordings.sent_plans import sent_plans

BY = "the app"
KEPT_AS = "as sent"


def knows_what_was_sent(conversation: Conversation) -> bool:
    """Tell whether the file says what its requests were sent: by markers, by its requests, or by reported sizes."""
    return not why_not_as_sent(conversation)


def why_not_as_sent(conversation: Conversation) -> str:
    """The reason why there is no timeline of what was sent; "" where there is one."""
    knows = (
        sent_histories(conversation) is not None
        or any(usage_by_request(conversation))
        or conversation.remember("has decisions", lambda: any(DECISIONS in m.metadata for m in conversation))
    )
    return (
        "" if knows else "nothing in this file says what was sent: it has no usage, no requests and no marks of a cut"
    )


def has_cuts(conversation: Conversation) -> bool:
    """Tell whether the file records or shows that less than the whole history was sent.

    A prompt that changes with the time of day, or a reminder in a message, takes nothing away.
    """
    return conversation.remember("has cuts", lambda: _has_cuts(conversation))


def _has_cuts(conversation: Conversation) -> bool:
    if conversation.recorded.compactions or was_trimmed(conversation):
        return True
    if not all(held.all() for held in trimmed_requests(conversation).values()):
        return True
    texts = (each for history in sent_histories(conversation) or () for each in history.shortened.items())
    return any(conversation[i].role != "system" and len(text) < len(conversation[i].content) for i, text in texts)


def as_sent(conversation: Conversation) -> Timeline:
    """The timeline of what each request was really sent, whoever decided it.

    A request that reports its usage has the size that it reports; any other what it counts, and what the one before it
    had outside its messages. `steps[i].known` is False where the file doesn't tell which messages a request held. The
    settings are those the file proposes, by which it is counted and priced; they decided nothing, and the budget is the
    model's window, or what the largest request took where that is more or none is known. Computed once.

    Raises PlanError where nothing says what was sent.
    """
    return conversation.remember(KEPT_AS, lambda: _as_sent(conversation))


def is_as_sent(timeline: Timeline) -> bool:
    """Tell whether a timeline is what was really sent, as `as_sent` made it."""
    return timeline.original.derived.get(KEPT_AS) is timeline


def is_foreign(timeline: Timeline) -> bool:
    """Tell whether others than our settings decided: whoever really sent it, or a trimmer that was driven."""
    return timeline.run is not None or is_as_sent(timeline)


def _as_sent(conversation: Conversation) -> Timeline:
    if why := why_not_as_sent(conversation):
        raise PlanError(why)
    histories = sent_histories(conversation)
    if histories is None and was_trimmed(conversation):
        return sent_plans(conversation, really=True).timeline
    settings, known = settings_for(conversation), histories or ()
    compactions, usages = conversation.recorded.compactions, usage_by_request(conversation)
    by = next((cut.by for cut in reversed(compactions) if cut.by), BY)
    instruments = open_instruments(settings)
    sizes = [usage.context if usage else None for usage in usages]
    given = list(decide_as_sent(conversation, known, compactions, sizes, by))
    shown, plans, decided = plan_given(conversation, instruments.counter, given)
    _size_unreported(plans, settings.overhead)
    window = settings.window or window_of(settings.model) or 0
    largest = max(window, 1, *(plan.tokens for plan in plans))
    settings = settings.replace(budget=min(largest, MOST_TOKENS), reserve=0)  # a file may report any size
    for plan in plans:
        plan.budget = settings.budget
    unknown = unknown_requests(conversation, known, compactions)
    return Timeline(shown, settings, instruments, plans, conversation, decided=decided, unknown=unknown)


def _size_unreported(plans: Iterable[HistoryPlan], outside: int) -> None:
    """Give a request that reports no size what it counts, and what the one reported before it had outside that."""
    for plan in plans:
        if plan.is_sized:
            outside = max(0, plan.tokens - plan.counted_tokens)
        else:
            plan.framing, plan.is_sized = plan.framing + outside, True
