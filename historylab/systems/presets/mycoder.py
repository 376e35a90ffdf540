"""mycoder on screen: when an agent's history is compacted, and what is preserved."""

from historylab.planning.reasons import in_percent
from historylab.registry import register
from historylab.settings.model import Settings
from historylab.systems.mycoder import PRESETS_BY_AGENT
from historylab.systems.presets.base import Preset, PresetField, count_phrase

PRESERVED = "compaction.preserve_recent.messages"
FIELDS = (
    PresetField(
        "threshold",
        "thresholdPercentage",
        "Threshold",
        "share of the window",
        "History is compacted when its tokens reach this share of what the model takes; 0.5 is 50%.",
    ),
    PresetField(
        PRESERVED,
        "preserveRecentMessages",
        "Preserve recent",
        "messages",
        "The newest single messages that stay; a call and its results stay together.",
    ),
    PresetField(
        "window",
        "maxTokens",
        "Context window",
        "tokens",
        "What the model takes at most; empty: the model's own, where that is known.",
    ),
    PresetField(
        "compaction.preserve_recent.max_share",
        "",
        "Summary",
        "share of the window",
        "What a summary may take at most. mycoder sets no limit; its summary could be longer than what it stands for.",
    ),
    PresetField(
        "budget",
        "",
        "Line drawn at",
        "tokens",
        "mycoder has no token budget, only the window, and cuts nothing for this. The chart draws the line, and says "
        "when a request is over it.",
    ),
)


@register("preset", title="mycoder")
def mycoder() -> Preset:
    """mycoder's message compaction: at a share of the window, all but the newest messages become a summary."""
    variants = {
        "Sub-agent: late and hard": PRESETS_BY_AGENT["sub-agent"],
        "Chat: early, keeps more": PRESETS_BY_AGENT["chat"],
    }
    return Preset(PRESETS_BY_AGENT["agent"], FIELDS, rule, variants, yours=frozenset({"budget"}))


def rule(settings: Settings) -> str:
    if settings.policy != "all" or settings.compaction != "preserve_recent" or settings.pruner != "off":
        return ""
    newest = count_phrase(settings.value(PRESERVED), "message")
    return f"summarises all but the newest {newest} at {in_percent(settings.threshold)} of the window"
