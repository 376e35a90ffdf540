"""OpenAI's compaction on screen: what its Responses API does on the server from a number of tokens on.

Source: developers.openai.com/api/docs/guides/compaction and the types of its SDK for Python (3.54.0), on 2026-11-23.
docs/systems.md says what of it is documented and what is assumed.
"""

from historylab.registry import register
from historylab.settings.model import Settings
from historylab.settings.pin import AGENT_CONTEXT
from historylab.systems.presets.base import Preset, PresetField
from historylab.systems.presets.server_side import (
    LARGEST,
    LINE,
    TRIGGER,
    compaction_in_words,
    compaction_settings,
    most,
    sends_all,
)

PRESET = Settings(policy="all", pruner="off", options={AGENT_CONTEXT: False}, **compaction_settings(200_000))
FIELDS = (
    PresetField(
        TRIGGER,
        "compact_threshold",
        "Compact from",
        "tokens",
        "The fixed overhead included. OpenAI names no default; the examples of its guide have 200,000.",
    ),
    LARGEST,
    LINE,
)
OPAQUE = (
    "What OpenAI's compaction item holds is encrypted and not known. Assumed: it takes {most}, our summarizer's text "
    "stands for it, and the newest question and the newest message stay. What that text keeps or loses says nothing of "
    "the item. What OpenAI charges for writing it is not in the bill."
)


@register("preset", title="OpenAI API")
def openai() -> Preset:
    """OpenAI's server-side compaction: what came before becomes one encrypted item."""
    return Preset(PRESET, FIELDS, rule, yours=frozenset({"budget"}), provider="openai", assumes=assumes)


def rule(settings: Settings) -> str:
    return compaction_in_words(settings) if sends_all(settings) and settings.tool_output == "off" else ""


def assumes(settings: Settings) -> str:
    return OPAQUE.format(most=most(settings)) if settings.compaction != "off" else ""
