"""Anthropic's context management on screen: what its API does to a request before the model reads it.

Source: platform.claude.com/docs/en/build-with-claude/context-editing and …/compaction-threshold, and the types of the
SDK for Python (2.12.0), on 2026-11-23. docs/systems.md says what of it is documented and what is assumed.
"""

from historylab.registry import register
from historylab.settings.model import Settings
from historylab.settings.pin import AGENT_CONTEXT
from historylab.systems.presets.base import Preset, PresetField, count_phrase
from historylab.systems.presets.server_side import (
    LARGEST,
    LINE,
    TRIGGER,
    compaction_in_words,
    compaction_settings,
    most,
    sends_all,
)

OPTION = "tool_output.clear."
PRESET = Settings(
    policy="all",
    pruner="off",
    tool_output="clear",
    options={f"{OPTION}keep": 3, f"{OPTION}batch": 1, f"{OPTION}trigger": 100_000, AGENT_CONTEXT: False},
)
COMPACTION = compaction_settings(150_000)
FIELDS = (
    PresetField(
        f"{OPTION}trigger",
        "trigger",
        "Clear beyond",
        "input tokens",
        "Up to so many nothing is cleared, the fixed overhead included. Anthropic's default is 100,000.",
    ),
    PresetField(f"{OPTION}keep", "keep", "Keep the newest", "tool results", "Anthropic's default is 3."),
    PresetField(
        f"{OPTION}at_least",
        "clear_at_least",
        "Clear at least",
        "tokens",
        "Where clearing would free less, nothing is cleared: it loses the prompt cache. 0 is no minimum, the default.",
    ),
    PresetField(
        f"{OPTION}exclude",
        "exclude_tools",
        "Never clear",
        "tools",
        "Names of tools whose results stay, with commas.",
    ),
    PresetField(
        TRIGGER,
        "trigger",
        "Compact from",
        "input tokens",
        "Anthropic's default is 150,000, and 50,000 the least it takes.",
    ),
    LARGEST,
    LINE,
)
CLEARED = (
    "Assumed: the API judges each request by its whole history, so that beyond the trigger every new result clears one "
    "more and loses the prompt cache from there on. A cleared result takes what our notice takes."
)
COMPACTED = (
    "Claude's own summary is not known here. Assumed: it takes {most}, our summarizer's text stands for it, and the "
    "newest question and the newest message stay. What Anthropic charges for writing it is not in the bill."
)


@register("preset", title="Anthropic API")
def anthropic() -> Preset:
    """Anthropic's context management: its API clears old tool results, or compacts everything."""
    alone = PRESET.replace(tool_output="off", **COMPACTION)
    variants = {"Compaction, no clearing": alone, "Clearing and compaction": PRESET.replace(**COMPACTION)}
    return Preset(PRESET, FIELDS, rule, variants, frozenset({"budget"}), provider="anthropic", assumes=assumes)


def rule(settings: Settings) -> str:
    if not sends_all(settings) or settings.tool_output not in ("off", "clear"):
        return ""
    return " and ".join(filter(None, (_what_is_cleared(settings), compaction_in_words(settings))))


def assumes(settings: Settings) -> str:
    cleared = CLEARED if settings.tool_output == "clear" else ""
    compacted = COMPACTED.format(most=most(settings)) if settings.compaction != "off" else ""
    return f"{cleared}\n{compacted}".strip()


def _what_is_cleared(settings: Settings) -> str:
    if settings.tool_output == "off":
        return ""
    keep, trigger = settings.value(f"{OPTION}keep"), settings.value(f"{OPTION}trigger")
    beyond = f" beyond {trigger:,} tokens" if trigger else ""
    return f"clears all but the newest {count_phrase(keep, 'tool result')}{beyond}"
