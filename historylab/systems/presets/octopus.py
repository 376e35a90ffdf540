"""Octopus on screen: its pruner, its working memory, and the minimum no budget touches."""

from historylab.registry import register
from historylab.settings.model import Settings
from historylab.systems.octopus import PRESET, ROOMY_BUDGET, TIGHT_BUDGET
from historylab.systems.presets.base import Preset, PresetField, count_phrase

FIELDS = (
    PresetField(
        "pruner",
        "IContextPruner",
        "Context pruner",
        help="How history is cut when it is over its budget.",
        choices={"fifo": "FIFO", "summarize_share": "Summarize", "sliding_window": "Sliding window"},
    ),
    PresetField(
        "pruner.sliding_window.turns",
        "SlidingWindowTurns",
        "Sliding window",
        "turns",
        "The last turns that stay, whatever the budget.",
    ),
    PresetField(
        "pruner.summarize_share.fraction",
        "fraction",
        "Summarized",
        "share of messages",
        "The oldest messages that become one summary when the history is over its budget.",
    ),
    PresetField(
        "budget",
        "MaxWorkingMemoryTokens",
        "Working memory",
        "tokens",
        "What a request may have in all: 150,000 is roomy, 8,000 is a local model.",
    ),
    PresetField(
        "min_turns",
        "MinHistoryTurns",
        "Minimum history",
        "complete turns",
        "The last user-assistant pairs, which no budget touches: non-negotiable.",
    ),
    PresetField("reserve", "OutputReserve", "Output reserve", "tokens", "Kept free for the model's answer."),
    PresetField(
        "overhead",
        "",
        "All but history",
        "tokens",
        "What else of the working memory is not history; Octopus allows 3,000 for knowledge and 1,000 for episodes.",
    ),
)


@register("preset", title="Octopus")
def octopus() -> Preset:
    """Octopus' history management: three pruners for a token budget, and a minimum that no budget touches."""
    variants = {
        f"Roomy: {ROOMY_BUDGET:,} tokens": PRESET.replace(budget=ROOMY_BUDGET),
        f"Local model: {TIGHT_BUDGET:,} tokens": PRESET.replace(budget=TIGHT_BUDGET),
        "Task automation: sliding window": PRESET.replace(pruner="sliding_window"),
        "Enterprise: summarize": PRESET.replace(pruner="summarize_share"),
    }
    return Preset(PRESET, FIELDS, rule, variants)


def rule(settings: Settings) -> str:
    budget = max(0, settings.budget - settings.reserve - settings.overhead)
    guaranteed = f", never the last {count_phrase(settings.min_turns, 'complete turn')}" if settings.min_turns else ""
    said = {
        "fifo": f"drops the oldest turns over {budget:,} tokens{guaranteed}",
        "summarize_share": f"summarizes, then drops, the oldest turns over {budget:,} tokens{guaranteed}",
        "sliding_window": f"keeps the last {count_phrase(settings.value('pruner.sliding_window.turns'), 'turn')}",
    }
    return said.get(settings.pruner, "") if settings.policy == "all" else ""
