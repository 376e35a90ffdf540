"""The search space: axes a search varies, each a question in plain words with a few values worth trying.

`starting_points` are where a search begins, `vary_one_axis` the steps from one candidate to its neighbours.
Locked settings, such as those of the environment, never vary.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from historylab.pricing import window_of
from historylab.settings.effect import CUTS_OFF, deciding_families, has_effect
from historylab.settings.fields import MOST_TOKENS
from historylab.settings.model import Settings

Changes = dict[str, Any]
SMALLEST_ROOM = 4_000
"""Tokens of history below which a budget is tried only if the base's is as small."""
DOUBLINGS = 5
"""How often the base's budget is doubled, and halved."""


@dataclass(frozen=True, slots=True)
class Sizes:
    """The sizes that values are chosen by: tokens of the largest untrimmed request, most user messages, any tools."""

    tokens: int
    users: int
    tools: bool

    @classmethod
    def largest(cls, sizes: Iterable[Sizes]) -> Sizes:
        """Of several conversations."""
        found = list(sizes)
        return cls(max(s.tokens for s in found), max(s.users for s in found), any(s.tools for s in found))


@dataclass(frozen=True, slots=True)
class Axis:
    """A question, the settings that answer it, and the answers to try: each the settings it changes."""

    name: str
    question: str
    settings: tuple[str, ...]
    answers: Callable[[Settings, Sizes], Sequence[Changes]]


def _budgets(base: Settings, sizes: Sizes) -> list[Changes]:
    """The budget in effect, doubled and halved: none depends on how long a young conversation is so far.

    What is doubled is the room for history, beside reserve and overhead. A smaller one is tried only where it would
    have to cut half of what there is, so that what it forgets is seen; of larger ones that would cut nothing even at
    twice the length only the smallest, as nothing tells them apart.
    """
    taken, room = base.reserve + base.overhead, max(1, base.budget - base.reserve - base.overhead)
    most = min(base.window or window_of(base.model) or MOST_TOKENS, MOST_TOKENS) - taken
    least = min(room / 2, SMALLEST_ROOM)
    cutting = sizes.tokens / 2
    rooms = sorted(room * 2.0**n for n in range(-DOUBLINGS, DOUBLINGS + 1))
    above = next((each for each in rooms if each >= 2 * sizes.tokens), math.inf)
    tried = [each for each in rooms if each == room or least <= each <= (min(most, above) if each > room else cutting)]
    return [{"budget": base.budget if each == room else taken + _round(each)} for each in tried]


def _lengths(_base: Settings, sizes: Sizes) -> list[Changes]:
    short = [n for n in (3, 5, 10, 20, 50) if n < sizes.users]
    return [{"policy": "all"}, *({"policy": "lastN", "length": n} for n in short)]


def _pruners(base: Settings, _sizes: Sizes) -> list[Changes]:
    names = ("fifo", "sliding_window", "summarize", "relevance", "off", base.pruner)
    return [{"pruner": name} for name in dict.fromkeys(names)]


def _cuts(_base: Settings, _sizes: Sizes) -> list[Changes]:
    return [{name: share for name in TRIM_TO} for share in (1.0, 0.75, 0.5)]


def _moments(_base: Settings, _sizes: Sizes) -> list[Changes]:
    at_turns = {name: "turn" for name in WHEN if "sliding_window" not in name}  # which always cuts there
    return [dict.fromkeys(WHEN, "full"), at_turns, dict.fromkeys(WHEN, "cold")]


def _units(_base: Settings, _sizes: Sizes) -> list[Changes]:
    return [{name: unit for name in UNITS} for unit in ("turn", "block")]


def _compactions(base: Settings, sizes: Sizes) -> list[Changes]:
    """Off, and down to a half once the request reaches the budget in effect, or twice as much."""
    window = base.window or window_of(base.model)
    if window is None:
        return [{"compaction": "off"}]
    shares = [share for n in (1, 2) if 0 < (share := round(n * base.budget / window, 4)) <= 1]
    return [
        {"compaction": "off"},
        *({"compaction": "at_threshold", "threshold": s, "compaction.at_threshold.target": s / 2} for s in shares),
    ]


def _windows(_base: Settings, sizes: Sizes) -> list[Changes]:
    return [{WINDOW: n} for n in (3, 6, 10, 20) if n < sizes.users] or [{WINDOW: 3}]


def _message_windows(_base: Settings, _sizes: Sizes) -> list[Changes]:
    return [dict(zip(MESSAGES, each, strict=True)) for each in ((10, 20), (20, 20), (20, 40), (40, 80))]


def _tool_outputs(_base: Settings, sizes: Sizes) -> list[Changes]:
    if not sizes.tools:
        return []
    clear = {"tool_output": "clear", "tool_output.clear.keep": 5}
    return [
        {"tool_output": "off"},
        {**clear, "tool_output.clear.batch": 1},
        {**clear, "tool_output.clear.batch": 10},
        {"tool_output": "truncate", "tool_output.truncate.limit": 500},
        {"tool_output": "collapse"},
        {"tool_output": "stale_reads"},
    ]


TRIM_TO = ("pruner.fifo.trim_to", "pruner.sliding_window.trim_to", "pruner.summarize.trim_to")
WHEN = ("pruner.fifo.when", "pruner.sliding_window.when", "pruner.summarize.when")
UNITS = ("pruner.fifo.unit", "pruner.summarize.unit")
WINDOW = "pruner.sliding_window.turns"
MESSAGES = ("pruner.message_window.keep", "pruner.message_window.trigger")
COMPACTION = ("compaction", "threshold", "compaction.at_threshold.target")
TOOL_OUTPUT = ("tool_output", "tool_output.clear.keep", "tool_output.clear.batch", "tool_output.truncate.limit")

AXES: Mapping[str, Axis] = {
    axis.name: axis
    for axis in (
        Axis("budget", "How many tokens a request may have", ("budget",), _budgets),
        Axis("pruner", "What goes when it is too much", ("pruner",), _pruners),
        Axis(
            "cut", "How far a cut goes: down to the budget, or further so that the next one comes later", TRIM_TO, _cuts
        ),
        Axis("when", "When it is cut: at the budget, or earlier where that is cheap", WHEN, _moments),
        Axis("length", "How many of the last user messages are kept", ("policy", "length"), _lengths),
        Axis("tool_output", "What happens to old tool results", TOOL_OUTPUT, _tool_outputs),
        Axis(
            "summarizer",
            "What summaries hold: lines of the original, or a ledger",
            ("summarizer",),
            lambda _base, _sizes: [{"summarizer": name} for name in ("extractive", "ledger")],
        ),
        Axis(
            "compaction", "Whether older messages are summarised before the budget is reached", COMPACTION, _compactions
        ),
        Axis("window", "How many turns a sliding window keeps", (WINDOW,), _windows),
        Axis("messages", "How many of the newest messages stay, and beyond how many", MESSAGES, _message_windows),
        Axis("unit", "Whether turns are cut whole or in parts", UNITS, _units),
        Axis(
            "min_turns",
            "How many of the newest turns are protected",
            ("min_turns",),
            lambda _base, _sizes: [{"min_turns": n} for n in (0, 1, 3)],
        ),
    )
}
HALF: Changes = {"policy": "all", **dict.fromkeys(TRIM_TO, 0.5)}
FIFO: Changes = {**HALF, "pruner": "fifo"}
STARTS: tuple[Changes, ...] = (FIFO, {**HALF, "pruner": "summarize", "summarizer": "ledger"})
"""Tried under every budget: cut down to a half, so that the next cut comes late, without and with a summary."""
STRONG: Changes = {**FIFO, "budget": 32_000}
"""Simple and hard to beat: the oldest go at 32,000 tokens, down to a half."""
VARIABLE = frozenset(name for axis in AXES.values() for name in axis.settings)
"""Every setting that some axis changes."""
USUAL = ("budget", "pruner", "cut", "length", "tool_output", "summarizer", "when", "compaction")
"""The axes of a search by default."""


def offered_axes(base: Settings, sizes: Sizes, locked: Collection[str] = ()) -> tuple[Axis, ...]:
    """The axes that can vary: those with more than one answer while locked settings stay as they are."""
    return tuple(axis for axis in AXES.values() if len(_answers(axis, base, sizes, locked)) > 1)


def starting_points(
    base: Settings, varied: Iterable[str], sizes: Sizes, *, locked: Collection[str] = (), peak: int | None = None
) -> list[Settings]:
    """The settings a search begins with, each different one once: `base`, nothing cut, and what usually does well.

    Not trimming is tried whatever is varied, unless a lock forbids it. `peak` is the most tokens a request may have,
    where that is wished for. Options of stages that a candidate doesn't choose stay at the base's, so that no two
    candidates do the same.
    """
    axes = [AXES[name] for name in varied]
    free = {name for axis in axes for name in axis.settings} - set(locked)
    forbidden = any(name in locked and base.value(name) != value for name, value in CUTS_OFF.items())
    budgets = [answer for axis in axes if axis.name == "budget" for answer in _answers(axis, base, sizes, locked)]
    budgets += [{"budget": peak}] if peak is not None and peak < base.budget else []
    usual = [*({**start, **budget} for budget in budgets or [{}] for start in STARTS), STRONG]
    tried = [{n: v for n, v in changes.items() if n in free} for changes in usual]
    found: dict[str, Settings] = {}
    for changes in [{}, {} if forbidden else dict(CUTS_OFF), *tried]:
        candidate = _without_idle(base, changes)
        found.setdefault(candidate.key, candidate)
    return list(found.values())


def vary_one_axis(
    chosen: Settings, base: Settings, varied: Iterable[str], sizes: Sizes, *, locked: Collection[str] = ()
) -> dict[str, list[Settings]]:
    """Per axis, the settings that differ from `chosen` along it alone: one step of a coordinate search.

    The answers are those of a search that began at `base`. An axis along which nothing differs is left out.
    """
    found = {}
    for name in varied:
        answers = (_without_idle(chosen, answer) for answer in _answers(AXES[name], base, sizes, locked))
        others = {settings.key: settings for settings in answers if settings.key != chosen.key}
        if others:
            found[name] = list(others.values())
    return found


def _answers(axis: Axis, base: Settings, sizes: Sizes, locked: Collection[str]) -> list[Changes]:
    """The axis' answers without locked settings, each different one once."""
    free = [{n: v for n, v in answer.items() if not _is_stuck(n, base, locked)} for answer in axis.answers(base, sizes)]
    return list({repr({n: base.value(n) for n in axis.settings} | answer): answer for answer in free}.values())


def _is_stuck(name: str, base: Settings, locked: Collection[str]) -> bool:
    """Whether it is locked itself, or has no effect and no choice that can vary would give it one."""
    free = VARIABLE - set(locked)
    return name in locked or (not has_effect(base, name) and free.isdisjoint(deciding_families(name)))


def _without_idle(base: Settings, changes: Changes) -> Settings:
    fields = base.replace(**{name: value for name, value in changes.items() if "." not in name})
    acting = {name: value for name, value in changes.items() if has_effect(fields, name)}
    return base.replace(**acting)


def _round(tokens: float) -> int:
    """Rounded to two leading digits: 4,100 rather than 4,137 tokens."""
    step: int = 10 ** max(0, math.floor(math.log10(max(1, tokens))) - 1)
    return round(tokens / step) * step
