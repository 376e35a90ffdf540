"""Whether sentences with numbers are true: each is computed again from the plans, another way than the package does."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any

from historylab.conversation.message import Message
from historylab.errors import SettingsError
from historylab.planning.explain import Answer
from historylab.planning.naive_slicing import naive_masks
from historylab.planning.pipeline import plan_up_to
from historylab.planning.plan import HistoryPlan
from historylab.planning.reasons import REPLACED, SHOWN
from historylab.planning.refusals import refusal_sentence
from historylab.planning.replay import Timeline
from historylab.planning.validity import guard_report
from historylab.settings.fields import MOST_TOKENS
from historylab.settings.model import stage_options
from historylab.wording.verdict import seen_sentence, sent_line

GRID = 20


def numbers_in(text: str) -> list[int]:
    return [int(number.replace(",", "")) for number in re.findall(r"\d[\d,]*", text)]


# -- what would send a message


def untrue_undo(timeline: Timeline, request: int, message: int, answer: Answer) -> Iterator[str]:
    """Values at which "Sent if …" is untrue: one less, itself, twenty up to twice the uncut size, and the top."""
    if not answer.undo:
        return
    size, untrimmed = timeline.plans[request].size, int(timeline.untrimmed[request])
    if answer.explanation.rule == REPLACED.rule:  # then the sentence is of the text that stands for it
        message = int(timeline.conversation.columns.replaced_by[message])

    def sent(changes: Mapping[str, Any]) -> bool:
        try:
            changed = timeline.settings.replace(**{**answer.undo, **changes})
        except SettingsError:
            return False
        return plan_up_to(timeline.conversation, changed, timeline.instruments, size).reason(message).sent

    claims = [({}, True)]
    if answer.tried is None:
        claims += _claims_of_at_least(answer.undo, untrimmed)
    elif answer.tried.not_at:
        claims.append((answer.tried.not_at, False))
    else:
        claims.append((answer.tried.up_to, True))
    for changes, claimed in claims:
        if sent(changes) != claimed:
            yield f"{answer.undo_sentence} {'Not' if claimed else 'It is'} at {dict(changes) or dict(answer.undo)}."


def _claims_of_at_least(undo: Mapping[str, Any], untrimmed: int) -> Iterator[tuple[dict[str, Any], bool]]:
    numbers = {name: v for name, v in undo.items() if not isinstance(v, bool | str)}
    for name, value in numbers.items():
        top = stage_options()[name].schema.get("maximum", MOST_TOKENS) if "." in name else MOST_TOKENS
        most = min(top, max(2 * untrimmed, value))
        yield {name: value - 1}, False
        for larger in [*(value + (most - value) * k // GRID for k in range(1, GRID + 1)), top]:
            yield {name: larger}, True
    if len(numbers) > 1:
        for k in range(1, GRID + 1):
            yield {name: value + k * k * max(1, untrimmed // 800) for name, value in numbers.items()}, True


# -- reasons


def untrue_reason(timeline: Timeline, request: int, message: int) -> Iterator[str]:
    """The sentence, if its numbers are not those of the conversation, the settings and the plan."""
    plan, why = timeline.plans[request], timeline.plans[request].reason(message)
    check = REASONS.get(why.rule)
    if check and not check(timeline, plan, message, why.numbers):
        yield f"{why.rule}: {why.sentence}"


def _users_after(timeline: Timeline, plan: HistoryPlan, message: int) -> int:
    return sum(m.role == "user" for m in timeline.conversation[message + 1 : plan.size])


def _net(timeline: Timeline) -> int:
    settings = timeline.settings
    return max(0, settings.budget - settings.reserve - settings.overhead)


def _over(timeline: Timeline, plan: HistoryPlan, message: int, numbers: Mapping[str, Any]) -> bool:
    budget = max(0, timeline.settings.budget - timeline.settings.reserve)
    return bool(numbers["budget"] == budget and numbers.get("tokens", MOST_TOKENS) > budget)


def _cut_below(timeline: Timeline, plan: HistoryPlan, message: int, numbers: Mapping[str, Any]) -> bool:
    most = max(numbers["budget"], timeline.settings.overhead)  # that stays, whatever is cut
    return _over(timeline, plan, message, numbers) and timeline.settings.overhead <= numbers["goal"] <= most


def _seconds(text: str | None) -> float | None:
    return datetime.fromisoformat(text.replace("Z", "+00:00")).timestamp() if text else None


def _too_old(timeline: Timeline, plan: HistoryPlan, message: int, numbers: Mapping[str, Any]) -> bool:
    times = [t for m in timeline.conversation[: plan.size] if (t := _seconds(m.timestamp)) is not None]
    own = _seconds(timeline.conversation[message].timestamp)
    return own is None or max(times) - own > 60 * numbers["minutes"]


def _fits(timeline: Timeline, plan: HistoryPlan, message: int, numbers: Mapping[str, Any]) -> bool:
    """The newest turns do fit the room, and one more doesn't."""
    users = [i for i, m in enumerate(timeline.conversation[: plan.size]) if m.role == "user" and _sent(plan, i)]
    kept = [i for i in users if i > message]
    return plan.tokens <= numbers["room"] and len(kept) >= min(numbers["turns"], len(users))


def _sent(plan: HistoryPlan, message: int) -> bool:
    return plan.reason(message).sent


def _results_from(plan: HistoryPlan, message: int) -> int:
    """Tokens of the tool results from that one on."""
    said = zip(plan.history.conversation[message : plan.size], plan.history.tokens[message:].tolist(), strict=True)
    return sum(tokens for m, tokens in said if m.role == "tool")


def _outside(timeline: Timeline, plan: HistoryPlan, message: int, numbers: Mapping[str, Any]) -> bool:
    """At least as many messages are newer, where these are what is counted and a cut may fall before any."""
    chosen = [timeline.settings.value(f"pruner.message_window.{name}") for name in ("unit", "start")]
    return chosen != ["messages", "any"] or plan.size - message > numbers["keep"]


REASONS = {
    "last_n": lambda t, p, i, n: _users_after(t, p, i) >= n["n"] == max(1, t.settings.length),
    "window": lambda t, p, i, n: _users_after(t, p, i) >= n["turns"],
    "window_cut": lambda t, p, i, n: _users_after(t, p, i) >= n["left"] and n["left"] <= n["turns"],
    "adaptive": _fits,
    "adaptive_most": lambda t, p, i, n: _users_after(t, p, i) >= n["turns"],
    "budget": _over,
    "budget_cut": _cut_below,
    "relevance": _over,
    "last_messages": lambda t, p, i, n: p.size - i > n["n"] == max(1, t.settings.length),
    "message_window": _outside,
    "message_window_cut": lambda t, p, i, n: n["trigger"] > n["keep"] and _outside(t, p, i, n),
    "newest": lambda t, p, i, n: p.size - i > n["messages"],
    "time_window": _too_old,
    "pair_characters": lambda t, p, i, n: sum(_length(m) for m in t.conversation[i : p.size]) > n["characters"],
    "oversized": lambda t, p, i, n: sum(_length(m) for m in t.conversation[: p.size]) > n["characters"],
    "tool_truncate": lambda t, p, i, n: len(t.conversation[i].content) > n["limit"] * _characters(n["unit"]),
    "tool_truncate_old": lambda t, p, i, n: (
        len(t.conversation[i].content) > n["limit"] * _characters(n["unit"]) and _results_from(p, i) > n["keep_tokens"]
    ),
    "tool_clear_tokens": lambda t, p, i, n: _results_from(p, i) > n["keep_tokens"],
    "tool_clear": lambda t, p, i, n: _results_after(t, p, i) >= n["keep"],
    "tool_collapse": lambda t, p, i, n: _users_after(t, p, i) >= n["turns"],
}


def _characters(unit: str) -> int:
    return 1 if unit == "characters" else 4


def _length(message: Message) -> int:
    return len(message.content) + sum(len(c.name) + len(c.arguments) for c in message.tool_calls)


def _results_after(timeline: Timeline, plan: HistoryPlan, message: int) -> int:
    return sum(m.role == "tool" for m in timeline.conversation[message + 1 : plan.size])


# -- requests


def untrue_since(timeline: Timeline, request: int, message: int, answer: Answer) -> Iterator[str]:
    actions = [p.sketch()[message] if message < p.size else " " for p in timeline.plans[: request + 1]]
    run = len(actions) - len("".join(actions).rstrip(actions[-1]))
    if answer.since != request + 1 - run:
        yield f"since request {answer.since}, but {''.join(actions)!r}"


def untrue_counts(timeline: Timeline, request: int) -> Iterator[str]:
    """How many messages are said to be sent, of how many."""
    said, plan = seen_sentence(timeline, request), timeline.plans[request]
    sketch = "".join(c for i, c in enumerate(plan.sketch()) if plan.reason(i).rule not in (REPLACED.rule, SHOWN.rule))
    sent = sum(map(sketch.count, "KPT"))
    seen = numbers_in(said.partition("the model sees")[2])
    every = [len(sketch)] if len(sketch) > 2 else []  # "both messages", "the one message so far"
    if seen != ([sent, len(sketch)] if sent < len(sketch) else every):
        yield said
    if numbers_in(sent_line(timeline, request).partition(": ")[2]) != [sent, len(sketch)]:
        yield sent_line(timeline, request)


def untrue_over_budget(timeline: Timeline, request: int) -> Iterator[str]:
    plan, found = timeline.plans[request], timeline.over_budget_cause(request)
    if (found is None) == plan.over_budget:
        yield f"{plan!r} is over budget or not"
    if found is None:
        return
    if (found.tokens, found.budget, sum(found.parts.values())) != (plan.tokens, _net(timeline), plan.tokens):
        yield found.sentence
    for changes in filter(None, (found.remedy, found.alternative)):
        changed = timeline.settings.replace(**changes)
        if plan_up_to(timeline.conversation, changed, timeline.instruments, plan.size).over_budget:
            yield f"{found.mend} Not with {dict(changes)}."


def untrue_refusals(timeline: Timeline) -> Iterator[str]:
    """How many requests that are sent, and how many naive ones, an API would refuse: counted in the messages."""
    said, requests = refusal_sentence(timeline), [plan.render() for plan in timeline.plans]
    refused = sum(any(refusals(messages)) or all(m.role == "system" for m in messages) for messages in requests)
    claimed = re.match(r"(The one|[\d,]+) .* sent would be refused: nothing", said)
    if (1 if claimed[1] == "The one" else numbers_in(said)[0]) != refused if claimed else refused:
        yield said
    guard, halves = guard_report(timeline), [0, 0, 0]
    for plan, mask in zip(timeline.plans, naive_masks(timeline), strict=True):
        messages = [timeline.conversation[i] for i in range(plan.size) if mask[i]]
        without_call, without_results = refusals(messages)
        empty = all(m.role == "system" for m in messages)
        halves = [halves[0] + bool(without_call or without_results or empty), halves[1] + without_call, halves[2]]
    if timeline.conversation.columns.clean and (guard.refused, guard.results_left_out) != (halves[0], halves[1]):
        yield f"{guard.sentence()} {halves}"


def refusals(messages: list[Message]) -> tuple[int, int]:
    """Tool results without their call, and calls (but those at the very end) without all their results."""
    waiting, without_call, without_results = list[str](), 0, 0
    for message in messages:
        if message.role == "tool" and message.tool_call_id in waiting:
            waiting.remove(message.tool_call_id)
        elif message.role == "tool":
            without_call += 1
        else:
            without_results += bool(waiting)
            waiting = [call.id for call in message.tool_calls]
    return without_call, without_results
