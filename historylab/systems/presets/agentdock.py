"""AgentDock on screen: its three settings, under the names its documentation gives them."""

from historylab.registry import register
from historylab.settings.model import Settings
from historylab.systems.agentdock import PRESET
from historylab.systems.presets.base import Preset, PresetField, count_phrase

FIELDS = (
    PresetField(
        "policy", "historyPolicy", "History policy", help="The last N user messages, all history, or none of it."
    ),
    PresetField(
        "length",
        "historyLength",
        "History length",
        "user messages",
        "The last N user messages and what follows each. 0 acts as 1; its makers advise 5 to 20.",
    ),
    PresetField(
        "preserve_system_messages",
        "preserveSystemMessages",
        "Preserve system messages",
        help="They come first, whatever is trimmed; its makers advise to keep them always.",
    ),
    PresetField(
        "budget",
        "",
        "Line drawn at",
        "tokens",
        "AgentDock has no token budget and cuts nothing for this. The chart draws the line, and says when a request is "
        "over it.",
    ),
)


@register("preset", title="AgentDock")
def agentdock() -> Preset:
    """AgentDock's message history: the last N user messages, all of them, or none; no token budget."""
    return Preset(PRESET, FIELDS, rule, yours=frozenset({"budget", "reserve", "min_turns"}))


def rule(settings: Settings) -> str:
    if settings.policy == "lastN":
        return f"keeps the last {count_phrase(max(1, settings.length), 'user message')}"
    return {"all": "keeps all history", "none": "sends no history"}[settings.policy]
