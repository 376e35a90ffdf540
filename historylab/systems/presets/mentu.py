"""Mentu on screen: pairs and characters, the collapsed tools, and what its page leaves for the future."""

from historylab.registry import register
from historylab.settings.model import Settings
from historylab.systems.mentu import FUTURE, PRESET
from historylab.systems.presets.base import Preset, PresetField, count_phrase

FIELDS = (
    PresetField(
        "pruner.pairs.pairs",
        "maxPairs",
        "History",
        "pairs",
        "A pair is a question and its answer: two messages each, the newest first. Half a pair is one message.",
    ),
    PresetField("pruner.pairs.characters", "maxChars", "History", "characters", "About four make a token."),
    PresetField(
        "projection.collapsed_tools.characters",
        "",
        "Tool results",
        "characters",
        "How much of each is shown; calls are shown by the tool's name alone.",
    ),
    PresetField(
        "pruner.pairs.oversized",
        "",
        "A newest exchange too long",
        help="It is cut to what fits; or, as published, the history is left empty.",
    ),
    PresetField("pruner.relevance.recent", "", "Newest that stay", "messages"),
    PresetField("pruner.adaptive.share", "", "Turns", "share of the budget"),
    PresetField("pruner.adaptive.least", "", "Turns at least", "turns"),
    PresetField("pruner.adaptive.most", "", "Turns at most", "turns"),
    PresetField("threshold", "", "Summarise at", "share of the window"),
    PresetField("window", "", "Context window", "tokens", "What the model takes at most; Mentu's is 200,000."),
    PresetField("budget", "", "Budget", "tokens", "Mentu knows none: this is the model's window of 200,000."),
)


@register("preset", title="Mentu")
def mentu() -> Preset:
    """Mentu's conversation history: tools collapsed into text, the newest pairs, one tagged prompt."""
    variants = {f"Future: {name}": settings for name, settings in FUTURE.items()}
    return Preset(PRESET, FIELDS, rule, variants, seen_as="as Mentu's prompt has them")


def rule(settings: Settings) -> str:
    if settings.policy != "all" or settings.layout != "tagged_prompt":
        return ""
    pairs, characters = settings.value("pruner.pairs.pairs"), settings.value("pruner.pairs.characters")
    said = {
        "pairs": f"the newest {count_phrase(pairs, 'pair')}, at most {characters:,} characters",
        "relevance": f"what is most relevant in {settings.budget:,} tokens",
        "adaptive": f"as many turns as fit {settings.value('pruner.adaptive.share'):.0%} of the room",
    }
    folded = ", the oldest summarised before they go" if settings.compaction == "at_threshold" else ""
    return f"sends one prompt with {said[settings.pruner]}{folded}" if settings.pruner in said else ""
