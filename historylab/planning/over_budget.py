"""Why a request is over its budget: what fills it, and the settings that would mend it, found by planning again."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from historylab.conversation.columns import TOOL
from historylab.conversation.conversation import Conversation
from historylab.errors import SettingsError
from historylab.planning.agent_context import AGENT_CODES
from historylab.planning.pins import RULE
from historylab.planning.pipeline import plan_up_to
from historylab.planning.plan import HistoryPlan
from historylab.planning.reasons import SYSTEM as ALWAYS
from historylab.planning.reasons import Action, counted_noun, fill_sentence
from historylab.planning.strategies.base import Instruments
from historylab.planning.strategies.compaction.base import WAITS
from historylab.planning.strategies.compaction.rolling import STORED_SUMMARY
from historylab.planning.strategies.filters.addressed_only import INSTRUCTIONS
from historylab.planning.strategies.uncut import NEWEST, NO_PRUNER, PROTECTED, QUESTION, SPARED
from historylab.registry import member
from historylab.settings.fields import MOST_TOKENS
from historylab.settings.model import Settings, stage_options
from historylab.settings.pin import AGENT_CONTEXT, PIN_RULES

TRIES = 5  # budgets that are tried: a larger one can keep more history, which then needs a larger one still
LIMITS = (2000, 500)  # of a tool result, in tokens
_PINNED = {
    ALWAYS.code: "system messages",
    INSTRUCTIONS.code: "system messages",
    STORED_SUMMARY.code: "stored summaries",
    RULE.code: "messages that rules keep",
    **dict.fromkeys(AGENT_CODES, "what the coding agent works by"),
}
_OPEN = {
    QUESTION.code: "the newest user message",
    NEWEST.code: "the newest message",
    PROTECTED.code: "the protected turns",
    SPARED.code: "older messages",
}
ADDED = "what the form of this API adds"
NEWEST_CALL = "the newest tool call and its results"


@dataclass(frozen=True, slots=True)
class OverBudget:
    """A request that is over its budget: what fills it, why that isn't cut, and what would mend it.

    Attributes:
        tokens, budget: of the request, and what it may have (the setting less reserve and overhead).
        parts: tokens by what they are, the largest first; together they are `tokens`.
        why: why nothing more is cut, in a sentence.
        remedy: settings under which the request fits, verified; empty if none was found.
        alternative: other such settings, which leave the budget as it is; empty if none was found.
    """

    tokens: int
    budget: int
    parts: Mapping[str, int]
    why: str
    remedy: Mapping[str, Any]
    alternative: Mapping[str, Any]

    @property
    def sentence(self) -> str:
        """ "11,777 tokens for a budget of 8,000: 11,764 in … A budget of 11,777 would do." """
        return f"{self.tokens:,} tokens for a budget of {self.budget:,}: {self.cause}"

    @property
    def cause(self) -> str:
        """What fills it, why that isn't cut, and what would mend it."""
        return f"{self.filled}. {self.why} {self.mend}"

    @property
    def filled(self) -> str:
        """ "11,764 in the newest tool call and its results": the parts that alone are more than the budget."""
        shown, so_far = list[str](), 0
        for what, tokens in self.parts.items():
            if so_far <= self.budget and tokens > 0:
                shown.append(f"{tokens:,} in {what}")
                so_far += tokens
        saved = -self.parts.get("the layout", 0)
        less = f", less {saved:,} saved by the layout" if saved > 0 else ""
        return f"{', '.join(shown)}{less}"

    @property
    def mend(self) -> str:
        """ "A budget of 11,777 would do, or tool_output = truncate." """
        return self.mend_in_words(lambda name, value: f"no {name}" if value == "" else f"{name} = {value}")

    def mend_in_words(self, write: Callable[[str, Any], str]) -> str:
        """The same, with each setting and its value as `write` writes them."""
        other = " and ".join(write(name, value) for name, value in self.alternative.items())
        if not self.remedy:
            return f"It would fit with {other}." if other else "No setting we tried would make it fit."
        return f"A budget of {self.remedy['budget']:,} would do{f', or {other}' if other else ''}."


def over_budget_cause(
    conversation: Conversation, settings: Settings, instruments: Instruments, plan: HistoryPlan
) -> OverBudget | None:
    """Why the plan is over its budget and what would mend that; None if it is not over."""
    if not plan.over_budget:
        return None
    trial = instruments.offline()  # no model is asked to summarise for settings that are only tried

    def try_plan(**changes: Any) -> HistoryPlan | None:
        try:
            return plan_up_to(conversation, settings.replace(**changes), trial, plan.size).with_added(plan.added)
        except SettingsError:
            return None

    def fits(changes: Mapping[str, Any]) -> bool:
        tried = try_plan(**changes)
        return tried is not None and not tried.over_budget

    alternative = next((changes for changes in _alternatives(plan, settings) if fits(changes)), {})
    return OverBudget(
        plan.tokens,
        plan.budget,
        _parts(plan),
        _why(plan, settings),
        _enough(plan, settings, try_plan),
        alternative,
    )


def _enough(plan: HistoryPlan, settings: Settings, planned: Callable[..., HistoryPlan | None]) -> dict[str, int]:
    """A budget under which the request fits."""
    found: HistoryPlan | None = plan
    budget = settings.budget
    for tried in range(2 * TRIES):  # the later ones in leaps: a summary's share grows with the budget
        needed = found.tokens + settings.reserve + settings.overhead if found else MOST_TOKENS + 1
        budget = needed if tried < TRIES else max(needed, 2 * budget)
        found = planned(budget=budget)
        if found and not found.over_budget:
            return {"budget": budget}
    return {}


def _alternatives(plan: HistoryPlan, settings: Settings) -> Iterator[dict[str, Any]]:
    """Settings other than the budget that may mend it, the gentlest first."""
    columns, outputs = plan.history.columns, settings.tool_output
    if (plan.sent & (plan.history.block_sizes > 1)).any() and (columns.role[: plan.size] == TOOL).any():
        chosen = "truncate" if outputs == "off" else outputs if "truncate" in outputs else f"{outputs}+truncate"
        for limit in LIMITS:
            yield {"tool_output": chosen, **_unless_default({"tool_output.truncate.limit": limit})}
    if settings.pruner != "fifo" and ({NO_PRUNER.code, SPARED.code} & set(plan.block_reasons[plan.open].tolist())):
        yield {"pruner": "fifo"}
    turns = min(settings.min_turns, plan.history.users) - 1
    while turns >= 0:
        yield {"min_turns": turns}
        turns = turns // 2 if turns else -1
    if settings.layout != "off":
        yield {"layout": "off"}
    if (plan.block_reasons == RULE.code).any():
        yield {name: value for name in PIN_RULES if settings.value(name) != (value := Settings().value(name))}
    if np.isin(plan.block_reasons, AGENT_CODES).any():
        yield {AGENT_CONTEXT: False}


def _unless_default(changes: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in changes.items() if value != stage_options()[name].default}


def _parts(plan: HistoryPlan) -> dict[str, int]:
    """Tokens of the request by what they are, the largest first."""
    history, sums = plan.history, dict[str, int]()
    tokens = np.bincount(history.columns.block[: plan.size], plan.sent_tokens, history.blocks).astype(int)
    for block in np.flatnonzero(plan.sent).tolist():
        what = _what(plan, block)
        sums[what] = sums.get(what, 0) + int(tokens[block])
    sums["the summary"] = plan.summary_tokens
    sums["formatting"] = history.counter.per_request
    sums[ADDED] = plan.added
    sums["the layout"] = plan.framing - plan.added - history.counter.per_request  # negative where it saves some
    return {what: n for what, n in sorted(sums.items(), key=lambda part: -part[1]) if n}


def _what(plan: HistoryPlan, block: int) -> str:
    why = int(plan.block_reasons[block])
    if plan.block_actions[block] == Action.PINNED:
        return _PINNED.get(why, "messages that are always sent")
    if why == NEWEST.code and plan.history.block_sizes[block] > 1:
        return NEWEST_CALL
    return _OPEN.get(why, "the history")


def _why(plan: HistoryPlan, settings: Settings) -> str:
    """Why nothing more is cut, and nothing more folded."""
    waits = plan.numbers.get(WAITS.code)
    return f"{_why_uncut(plan, settings)} {fill_sentence(WAITS, waits)}" if waits else _why_uncut(plan, settings)


def _why_uncut(plan: HistoryPlan, settings: Settings) -> str:
    less, open_reasons = settings.reserve + settings.overhead, set(plan.block_reasons[plan.open].tolist())
    if settings.budget == 0:
        return "The budget is 0."
    if less >= settings.budget:
        return f"Reserve and overhead ({less:,}) take the whole budget of {settings.budget:,}."
    if plan.tokens - plan.added <= plan.budget:
        return "Nothing is cut for what the form adds, so that the playground shows the same."
    return _pinned_note(plan) or _no_pruning_note(settings, open_reasons)


def _pinned_note(plan: HistoryPlan) -> str:
    """That it would fit without what rules pin, if so."""
    by_rule = int(plan.block_tokens @ (plan.block_reasons == RULE.code))
    fits = by_rule > 0 and plan.tokens - by_rule <= plan.budget
    return "What a rule keeps is never cut." if fits else ""


def _no_pruning_note(settings: Settings, open_reasons: Container[int]) -> str:
    """Why the pruner cuts nothing more."""
    if settings.pruner == "off":
        return "No pruner is set, so nothing is cut to fit."
    if SPARED.code in open_reasons:
        return f"The pruner “{member('pruner', settings.pruner).title}” cuts no more than this, whatever the budget."
    if PROTECTED.code in open_reasons:
        return f"The pruner may not touch the {counted_noun(settings.min_turns, 'newest complete turns')}."
    return "The pruner may not cut any of it."
