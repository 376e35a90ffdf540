"""Settings that may explain what a timeline shows, kind by kind, and the steps from one to its neighbours."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import product
from typing import Any

from historylab.conversation.columns import USER
from historylab.settings.effect import has_effect
from historylab.settings.fields import MOST_TOKENS
from historylab.settings.model import Settings
from historylab.settings.pin import AGENT_CONTEXT, FIRST_USER
from historylab.tuning.compare import UNTRIMMED
from historylab.tuning.observed import Observed

Changes = dict[str, Any]
UNITS = ("messages", "merged", "groups", "items")
WINDOW, FIFO, TURNS = "pruner.message_window", "pruner.fifo", "pruner.sliding_window"
CLEAR, CUT, RECENT, ROLLING = (
    "tool_output.clear",
    "tool_output.truncate",
    "compaction.preserve_recent",
    "compaction.rolling",
)


def candidates(observed: Observed) -> Iterator[list[Settings]]:
    """Settings to begin with, kind by kind."""
    base, tools = base_of(observed), [{}, *_tool_outputs(observed)]
    for several in _kinds(observed):
        yield [base.replace(**{**one, **tool}) for tool in tools for one in several]


def base_of(observed: Observed) -> Settings:
    """The settings that count and price the timeline, cutting nothing."""
    systems, first = not observed.leaves_out_systems, observed.keeps_first
    stays: Changes = {"preserve_system_messages": systems, FIRST_USER: first, "pin.first": 0}
    return observed.timeline.settings.replace(**UNTRIMMED, projection="off", layout="off", reserve=0, **stays)


def _kinds(observed: Observed) -> Iterator[list[Changes]]:
    yield [{}]
    for unit in UNITS:
        yield [*_windows(observed, unit), *_windows(observed, unit, "turn")]
    turns = observed.extents("turns")
    yield [
        {"pruner": "sliding_window", f"{TURNS}.turns": trigger, f"{TURNS}.trim_to": share_of(keep, trigger)}
        for keep, trigger in turns
    ]
    yield [{"policy": "lastN", "length": keep} for keep, trigger in turns if keep == trigger]
    lasting = observed.extents("messages")
    yield [{"policy": "lastMessages", "length": keep} for keep, trigger in lasting if keep == trigger]
    yield list(_budgets(observed))
    if any(observed.summarised):
        yield from _compactions(observed)


def _windows(observed: Observed, unit: str, asked: str = "request") -> Iterator[Changes]:
    begun = observed.beginnings
    start = "user" if begun.get(USER, 0) * 2 > sum(begun.values()) else "any"
    for keep, trigger in observed.extents(unit, asked):
        yield {
            "pruner": "message_window",
            f"{WINDOW}.asked": asked,
            f"{WINDOW}.keep": keep,
            f"{WINDOW}.trigger": trigger,
            f"{WINDOW}.unit": unit,
            f"{WINDOW}.start": start,
            f"{WINDOW}.keep_task": False,
        }


def _budgets(observed: Observed) -> Iterator[Changes]:
    for keep, trigger in observed.extents("tokens"):
        budget = min(trigger + observed.outside, MOST_TOKENS)
        goal = share_of(keep + observed.outside, budget)
        for unit in ("turn", "block"):
            yield {
                "pruner": "fifo",
                "budget": budget,
                f"{FIFO}.trim_to": goal,
                f"{FIFO}.unit": unit,
                f"{FIFO}.keep_task": False,
            }


def _compactions(observed: Observed) -> Iterator[list[Changes]]:
    shared = {"compaction": "preserve_recent", f"{RECENT}.keep_task": False, f"{RECENT}.min_freed": 0.0}
    rolled = {"compaction": "rolling", f"{ROLLING}.keep_task": False, f"{ROLLING}.min_freed": 0.0}
    tokens = observed.extents("tokens")
    triggers = dict.fromkeys(each.trigger + observed.outside for each in tokens)
    keeps = dict.fromkeys(each.keep for each in observed.extents("messages"))
    yield [
        {**rolled, f"{ROLLING}.keep": keep, f"{ROLLING}.messages": trigger + more}
        for keep, trigger in observed.extents("messages")
        for more in (0, 1)
    ]
    yield [
        {**shared, f"{RECENT}.messages": keep, f"{RECENT}.trigger": trigger}
        for keep, trigger in product(keeps, triggers)
    ]
    yield [
        {**shared, f"{RECENT}.tokens": keep, f"{RECENT}.trigger": trigger + observed.outside}
        for keep, trigger in tokens
    ]


def _tool_outputs(observed: Observed) -> Iterator[Changes]:
    if not len(observed.rewritten):
        return
    most, least = observed.sizes_before_rewriting
    triggers = dict.fromkeys((0, max(0, least - 1), most))
    for keep, trigger in product(observed.whole_results, triggers):
        yield {"tool_output": "clear", f"{CLEAR}.keep": keep, f"{CLEAR}.batch": 1, f"{CLEAR}.trigger": trigger}
    lengths = [len(observed.timeline.original[i].content) for i in observed.rewritten.tolist()]
    longest, characters = max(1, min(lengths) - 1), {f"{CUT}.unit": "characters"}
    limits: list[Changes] = [{f"{CUT}.limit": left} for left in observed.texts_begin]
    limits += [{f"{CUT}.limit": longest, f"{CUT}.to": left} for left in observed.texts_begin if left < longest]
    for tokens, limit in product((0, *observed.whole_tokens), limits or [{f"{CUT}.limit": longest}]):
        yield {"tool_output": "truncate", **characters, **limit, f"{CUT}.keep_tokens": tokens}


def share_of(keep: int, trigger: int) -> float:
    """The share of a limit that comes down to so much."""
    return min(1.0, max(0.001, round(keep / max(1, trigger), 4)))


COUNTS = (
    f"{WINDOW}.keep",
    f"{WINDOW}.trigger",
    f"{TURNS}.turns",
    "length",
    f"{RECENT}.messages",
    f"{ROLLING}.keep",
    f"{ROLLING}.messages",
    f"{CLEAR}.keep",
)
"""Settings that count messages, turns or results."""
AMOUNTS = (
    "budget",
    f"{RECENT}.tokens",
    f"{RECENT}.trigger",
    f"{CLEAR}.trigger",
    f"{CLEAR}.keep_tokens",
    f"{CUT}.limit",
    f"{CUT}.keep_tokens",
)
"""Settings that count tokens or characters."""
SHARES = (f"{FIFO}.trim_to", f"{TURNS}.trim_to")
STEPS = (-5, -3, -2, -1, 1, 2, 3, 5)
SHARE_STEPS = (-0.2, -0.05, -0.02, -0.005, 0.005, 0.02, 0.05, 0.2)
FACTORS = (0.7, 0.9, 0.96, 0.985, 0.995, 1.005, 1.015, 1.04, 1.1, 1.4)
ANSWERS: Mapping[str, tuple[Any, ...]] = {
    f"{WINDOW}.start": ("any", "user"),
    f"{WINDOW}.keep_task": (True, False),
    f"{WINDOW}.unit": UNITS,
    f"{WINDOW}.asked": ("request", "turn"),
    f"{FIFO}.unit": ("turn", "whole_turn", "block"),
    f"{FIFO}.keep_task": (True, False),
    f"{RECENT}.keep_task": (True, False),
    f"{ROLLING}.keep_task": (True, False),
    FIRST_USER: (True, False),
    AGENT_CONTEXT: (True, False),
    "preserve_system_messages": (True, False),
    "min_turns": (0, 1),
}


def variations(settings: Settings) -> Iterator[list[Settings]]:
    """Per setting that has an effect, the settings with other values of it; and limits moved with what they leave."""
    for name, answers in _answers(settings):
        if has_effect(settings, name):
            mine = settings.value(name)
            yield [settings.replace(**{name: value}) for value in answers if value != mine]
    if settings.pruner == "message_window":
        names = (f"{WINDOW}.keep", f"{WINDOW}.trigger")
        both = [{name: settings.value(name) + by for name in names} for by in STEPS]
        yield [settings.replace(**each) for each in both if min(each.values()) > 0]
    if settings.pruner == "fifo" and settings.value(f"{FIFO}.trim_to") < 1:
        goal = int(settings.value(f"{FIFO}.trim_to") * settings.budget)
        near: list[Changes] = [{"budget": n, f"{FIFO}.trim_to": share_of(goal, n)} for n in _near(settings.budget)]
        yield [settings.replace(**each) for each in near]


def _answers(settings: Settings) -> Iterator[tuple[str, Iterable[Any]]]:
    for name in COUNTS:
        mine = settings.value(name)
        yield name, [mine + by for by in STEPS if mine + by >= 1]
    for name in AMOUNTS:
        if settings.value(name):
            yield name, _near(settings.value(name))
    for name in SHARES:
        mine = settings.value(name)
        yield name, [round(min(1.0, max(0.01, mine + by)), 4) for by in SHARE_STEPS]
    yield from ANSWERS.items()


def _near(amount: int) -> list[int]:
    return [min(MOST_TOKENS, max(1, int(amount * by))) for by in FACTORS]
