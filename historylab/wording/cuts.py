"""Cuts in words: "FIFO to 4,000 over all messages (down to half)"."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from inspect import signature
from typing import Any

from historylab.planning.reasons import counted_noun, in_percent
from historylab.registry import Member, chosen_members, member
from historylab.settings.effect import has_effect
from historylab.settings.model import Settings
from historylab.tuning.search_space import AXES
from historylab.wording.settings import choice_word, show_value, title_of
from historylab.wording.untrusted import one_line

UNITS = {"turn": "whole turns", "whole_turn": "whole turns", "block": "parts of turns"}
BESIDE = ("projection", "filter", "compaction", "layout")
"""The other families that decide on messages, besides tool outputs, policy and pruner: named in brackets."""
RULES = 60  # characters
SHARES = {1.0: "down to the budget", 0.5: "down to half"}
MOMENTS = {"full": "once it is full", "turn": "early at a turn's start", "cold": "early in a long pause"}


def settings_in_words(settings: Settings) -> str:
    """The cut these settings make, with every stage that may act; other settings at their defaults are left out."""
    return changes_in_words(_spoken_values(settings))


def stages_beside(settings: Settings) -> list[str]:
    """The same without policy, pruner and budget, in parts: "tool results cut to 150 tokens", "down to half"."""
    left = _spoken_values(settings)
    for family, fields in (("policy", ("length",)), ("pruner", ("budget",))):
        _phrase(family, left.pop(family), left, "")
        for name in fields:
            left.pop(name, None)
    return list(_rest(left))


def _spoken_values(settings: Settings) -> dict[str, Any]:
    """The values that are said: what cuts, what may act beside it, and what is changed."""
    default = Settings()
    varied = {name for axis in AXES.values() for name in axis.settings if has_effect(settings, name)}
    always = {"policy", "length", "pruner", "budget"} & varied | set(BESIDE) | set(_spoken_of(settings))
    changed = {name for name in varied if settings.value(name) != default.value(name)}
    return {name: settings.value(name) for name in sorted(always | changed)}


def _spoken_of(settings: Settings) -> Iterator[str]:
    """The options that the phrases of the chosen members speak of."""
    for family in ("policy", "pruner", "tool_output", *BESIDE):
        for chosen in chosen_members(family, settings.value(family)):
            yield from (f"{family}.{chosen.name}.{option}" for option in _parameters(chosen))


def changes_in_words(changes: Mapping[str, Any]) -> str:
    """A candidate's settings, as changed: what cuts, over what, and the rest in brackets."""
    left = dict(changes)
    pruner, policy = _pruner(left), _policy(left)
    if pruner and policy:
        main = f"{pruner} over {policy}" if pruner != "no pruner" else f"keeping {policy}"
    else:
        main = pruner or (f"keeping {policy}" if policy else "")
    rest = list(_rest(left))
    if not main:
        nothing = {"tool_output": "full tool results", "compaction": "no compaction"}
        words = ", ".join(rest) or next((nothing[name] for name in nothing if name in changes), "these settings")
    else:
        words = f"{main} ({', '.join(rest)})" if rest else main
    return words


def _pruner(left: dict[str, Any]) -> str:
    name, budget = left.pop("pruner", None), left.pop("budget", None)
    if name is None:
        return f"a budget of {budget:,}" if budget is not None else ""
    if name == "off":
        return "no pruner"
    to = f" to {budget:,}" if budget is not None else ""
    return _phrase("pruner", name, left, choice_word(name) + "{to}").replace("{to}", to)


def _policy(left: dict[str, Any]) -> str:
    policy, length = left.pop("policy", None), left.pop("length", None)
    phrase = _phrase("policy", policy, left, "") if policy else ""
    if phrase or length is None:
        return phrase
    return f"the {counted_noun(max(1, length), 'last messages' if policy == 'lastMessages' else 'last user messages')}"


def _phrase(family: str, name: str, left: dict[str, Any], otherwise: str) -> str:
    """The member's own phrase, which takes the options it speaks of out of `left`."""
    chosen = member(family, name)
    phrase: str | Callable[..., str] = chosen.attributes.get("phrase", otherwise)
    if isinstance(phrase, str):
        return phrase
    spoken_of = [option for option in _parameters(chosen) if f"{family}.{name}.{option}" in left]
    return phrase(**{option: left.pop(f"{family}.{name}.{option}") for option in spoken_of})


def _parameters(chosen: Member) -> list[str]:
    """The options that the member's phrase speaks of."""
    phrase = chosen.attributes.get("phrase")
    return list(signature(phrase).parameters) if callable(phrase) else []


def _rest(left: dict[str, Any]) -> Iterator[str]:
    for family in (*BESIDE, "tool_output"):
        for name in (left.pop(family, None) or "off").split("+"):
            if name != "off":
                about = "tool results: " if family == "tool_output" else ""
                once = _once(name, left) if family == "compaction" else ""
                yield _phrase(family, name, left, about + member(family, name).title.lower()) + once
    for name, value in left.items():
        if name.endswith(".trim_to"):
            yield SHARES.get(value, f"down to {in_percent(value)}")
        elif name.endswith(".when"):
            yield MOMENTS.get(value, str(value))
        elif name.endswith(".unit"):
            yield UNITS.get(value, str(value))
        elif name == "pin":
            yield f"keeping “{one_line(value, RULES)}”"
        elif name == "threshold":
            yield f"summarising{_once_full(value)}"
        elif name == "min_turns":
            yield f"{counted_noun(value, 'newest turns')} protected" if value else "no turns protected"
        else:
            yield f"{title_of(name).lower()} {show_value(value)}"


def _once(compaction: str, left: dict[str, Any]) -> str:
    """When it summarises; "" where its phrase says so, as of a trigger in tokens."""
    threshold = left.pop("threshold", None)
    return "" if left.get(f"compaction.{compaction}.trigger") else _once_full(threshold)


def _once_full(threshold: float | None) -> str:
    return "" if threshold is None else f" once the window is {in_percent(threshold)} full"
