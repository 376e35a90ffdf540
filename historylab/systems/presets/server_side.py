"""What providers' compactions have in common: from a number of tokens on, everything becomes one summary."""

from __future__ import annotations

from typing import Any

from historylab.planning.reasons import in_percent
from historylab.settings.model import Settings
from historylab.systems.presets.base import PresetField, count_phrase

OPTION = "compaction.preserve_recent."
TRIGGER = f"{OPTION}trigger"
LARGEST = PresetField(
    f"{OPTION}max_share",
    "",
    "Summary",
    "share of the window",
    "An assumption: what the summary takes at most. No provider says.",
)
LINE = PresetField(
    "budget",
    "",
    "Line drawn at",
    "tokens",
    "The API has no token budget, only the model's window, and cuts nothing for this. The chart draws the line, and "
    "says when a request is over it.",
)


def compaction_settings(trigger: int) -> dict[str, Any]:
    """The settings of a compaction of everything from so many input tokens on."""
    options = {"trigger": trigger, "messages": 0, "keep_task": True, "min_freed": 0.0, "max_share": 0.005}
    return {"compaction": "preserve_recent", **{f"{OPTION}{name}": value for name, value in options.items()}}


def sends_all(settings: Settings) -> bool:
    """Whether nothing is cut but by tool outputs and a compaction of the providers' kind."""
    return (settings.policy, settings.pruner) == ("all", "off") and settings.compaction in ("off", "preserve_recent")


def compaction_in_words(settings: Settings) -> str:
    """ "compacts everything at 200,000 tokens"; "" without a compaction."""
    if settings.compaction == "off":
        return ""
    messages, trigger = settings.value(f"{OPTION}messages"), settings.value(TRIGGER)
    kept = f" but the newest {count_phrase(messages, 'message')}" if messages else ""
    full = f"{trigger:,} tokens" if trigger else f"{in_percent(settings.threshold)} of the window"
    return f"compacts everything{kept} at {full}"


def most(settings: Settings) -> str:
    """What a summary may take."""
    return f"at most {in_percent(settings.value(f'{OPTION}max_share'))} of the window"
