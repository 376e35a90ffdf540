"""Words on how full a request is: of the budget or the window, and from where on a compaction summarises."""

from __future__ import annotations

from historylab.costs.amounts import percent
from historylab.planning.context_fill import ContextLimit, context_limit
from historylab.planning.replay import Timeline
from historylab.wording.untrusted import one_line

MODEL = 40  # characters of a model's name


def used_tokens(timeline: Timeline, number: int) -> int:
    """Tokens that request `number` (from 0) takes of its limit, the fixed overhead included."""
    return int(timeline.plans[number].tokens) + timeline.settings.overhead


def context_fill_sentence(timeline: Timeline, number: int) -> str:
    """ "18.7% of the budget." or "9.2% of gpt-5.5's window. From 96,000 tokens on, older history is summarised." """
    limit, plan = context_limit(timeline), timeline.plans[number]
    whose = f"{one_line(timeline.settings.model, MODEL)}'s window" if limit.is_window else "the budget"
    share = percent(used_tokens(timeline, number) / limit.tokens) if limit.tokens else "All"
    return " ".join(filter(None, (f"{share} of {whose}.", _over(plan.tokens - plan.budget), _limits(limit))))


def _over(tokens: int) -> str:
    return f"{tokens:,} over the budget." if tokens > 0 else ""


def _limits(limit: ContextLimit) -> str:
    said = list[str]()
    if limit.threshold is not None:
        said.append(f"From the threshold of {limit.threshold:,} tokens on, older history is summarised.")
    if limit.budget is not None:
        said.append(f"The budget is {limit.budget:,}.")
    return " ".join(said)
