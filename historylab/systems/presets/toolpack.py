"""toolpack-agents on screen: the options of its prompt assembler."""

from historylab.registry import register
from historylab.settings.model import Settings
from historylab.systems.presets.base import Preset, PresetField, count_phrase
from historylab.systems.toolpack import PRESET

AGENT, ALIASES = "filter.addressed_only.agent", "filter.addressed_only.aliases"
LOADED, ROLLING = "filter.newest.messages", "compaction.rolling.messages"
SUMMARIES = "compaction.rolling.summaries"
FIELDS = (
    PresetField(
        "projection.point_of_view.agent",
        "agentId",
        "Agent",
        help="Whose prompt this is: its own words become the assistant's, everybody else's a named user's. Empty: "
        "every agent's words are its own.",
    ),
    PresetField(
        "budget", "tokenBudget", "Token budget", "tokens", "Filled from the newest message on; the newest always."
    ),
    PresetField(
        ROLLING,
        "rollingSummaryThreshold",
        "Rolling summary above",
        "turns",
        "A turn here is one stored message. Beyond so many, the older half becomes a summary.",
    ),
    PresetField(
        SUMMARIES,
        "",
        "With a summarizer",
        help="Without one, as toolpack's run() works, only the newest turns stay, as many as that number.",
    ),
    PresetField(LOADED, "maxTurnsToLoad", "Turns to load", "turns", "The newest stored messages that are looked at."),
    PresetField(
        "filter",
        "addressedOnlyMode, scope, timeWindowMinutes",
        "Which turns",
        help="Addressed only: what the agent wrote, what mentions it, what it answered, and the newest. Monitoring "
        "agents do without.",
    ),
    PresetField(
        ALIASES, "agentAliases", "Agent aliases", help="Other ids it is mentioned by: a bot's id on a platform."
    ),
    PresetField(
        "filter.scope.scope", "scope", "Scope", help="Only what was said in a channel, in private or in a thread."
    ),
    PresetField(
        "filter.time_window.minutes", "timeWindowMinutes", "Time window", "minutes", "Only what was said lately."
    ),
)


@register("preset", title="toolpack")
def toolpack() -> Preset:
    """toolpack-agents' conversation history: a room from one agent's point of view, summarised and fitted."""
    variants = {
        "Monitoring agent: all turns": PRESET.replace(filter="newest"),
        "As run() does it: no summary": PRESET.replace(options={**PRESET.options, SUMMARIES: False}),
    }
    yours = frozenset({"projection.point_of_view.agent", AGENT, ALIASES})
    return Preset(PRESET, FIELDS, rule, variants, yours, seen_as="as toolpack shows them to its agent")


def rule(settings: Settings) -> str:
    filters = settings.filter.split("+")
    if settings.policy != "all" or settings.compaction != "rolling" or settings.pruner != "fifo":
        return ""
    loads = f"loads {count_phrase(settings.value(LOADED), 'turn')}, " if "newest" in filters else ""
    addressed = "keeps what concerns the agent, " if "addressed_only" in filters else ""
    beyond = settings.value(ROLLING)
    rolling = f"summarises the older half beyond {beyond:,}" if settings.value(SUMMARIES) else f"keeps {beyond:,}"
    return f"{loads}{addressed}{rolling} and fits {settings.budget:,} tokens"
