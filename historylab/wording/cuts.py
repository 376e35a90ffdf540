"""Cuts in words: "FIFO to 4,000 over all messages (down to half)"."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from historylab.settings.effect import has_effect
from historylab.settings.model import Settings
from historylab.tuning.search_space import AXES
from historylab.wording.settings import choice_word, show_value, title_of

PRUNERS = {  # each is singular, so that "… sends" and "… costs" can follow
    "fifo": "FIFO",
    "summarize": "summarising",
    "summarize_share": "summarising a share",
    "relevance": "relevance",
    "adaptive": "adaptive pruning",
    "pairs": "dropping pairs",
}
TOOL_OUTPUTS = {
    "truncate": "long tool results cut",
    "collapse": "old tool results collapsed",
}
UNITS = {"turn": "whole turns", "whole_turn": "whole turns", "block": "parts of turns"}
SHARES = {1.0: "down to the budget", 0.5: "down to half"}


def settings_in_words(settings: Settings) -> str:
    """The cut these settings make; what is at its default is left out."""
    default = Settings()
    named = {name for axis in AXES.values() for name in axis.settings if has_effect(settings, name)}
    always = {"policy", "length", "pruner", "budget"}
    changes = {n: settings.value(n) for n in sorted(named) if n in always or settings.value(n) != default.value(n)}
    return changes_in_words(changes)


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
        return ", ".join(rest) or ("full tool results" if "tool_output" in changes else "these settings")
    return f"{main} ({', '.join(rest)})" if rest else main


def _pruner(left: dict[str, Any]) -> str:
    name, budget = left.pop("pruner", None), left.pop("budget", None)
    to = f" to {budget:,}" if budget is not None else ""
    if name is None:
        return f"a budget of {budget:,}" if budget is not None else ""
    if name == "off":
        return "no pruner"
    if name == "sliding_window":
        turns = left.pop("pruner.sliding_window.turns", None)
        return f"a window of {turns:,} turns" if turns else "a sliding window"
    return PRUNERS.get(name, choice_word(name)) + to


def _policy(left: dict[str, Any]) -> str:
    policy, length = left.pop("policy", None), left.pop("length", None)
    if policy == "all":
        return "all messages"
    if policy == "none":
        return "no history"
    if length is None:
        return ""
    return f"the last {max(1, length):,} user messages" if length > 1 else "the last user message"


def _rest(left: dict[str, Any]) -> Iterator[str]:
    tool = left.pop("tool_output", None)
    batch = left.pop("tool_output.clear.batch", None)
    left.pop("tool_output.clear.keep", None)
    left.pop("tool_output.truncate.limit", None)
    if tool == "clear":
        yield "old tool results cleared" + ("" if batch is None else f" {'one' if batch == 1 else batch} at a time")
    elif tool and tool != "off":
        yield TOOL_OUTPUTS.get(tool, f"tool results: {tool}")
    for name, value in left.items():
        if name.endswith(".trim_to"):
            yield SHARES.get(value, f"down to {value:.0%}")
        elif name.endswith(".unit"):
            yield UNITS.get(value, str(value))
        elif name == "min_turns":
            yield f"newest {value:,} turns protected" if value else "no turns protected"
        else:
            yield f"{title_of(name).lower()} {show_value(value)}"


def capitalize_first(text: str) -> str:
    """The text with a capital first letter, the rest unchanged (`str.capitalize` lowers it)."""
    return text[:1].upper() + text[1:]
