"""The tool `compactHistory`: an agent has its history compacted, in place. Source: mycoder issue 338, plan 2."""

from __future__ import annotations

import logging
import math
from collections.abc import Mapping
from typing import Any

from historylab.agent.checkpoints import Checkpoints
from historylab.agent.compaction import (
    DEFAULT_COMPACTION_PROMPT,
    PRESERVE_RECENT_MESSAGES,
    Cut,
    GenerateText,
    cut_messages,
    text_of,
    whole_number,
    write_summary,
)
from historylab.errors import SettingsError

log = logging.getLogger("historylab")

NOT_ENOUGH = "Not enough messages to compact. No changes made."
FEWEST_PRESERVED, MOST_PRESERVED = 1, 50

COMPACT_HISTORY_TOOL: dict[str, Any] = {
    "type": "function",
    "function": {
        "name": "compactHistory",
        "description": "Compacts the message history by summarizing older messages to reduce token usage",
        "parameters": {
            "type": "object",
            "properties": {
                "preserveRecentMessages": {
                    "type": "integer",
                    "minimum": FEWEST_PRESERVED,
                    "maximum": MOST_PRESERVED,
                    "default": PRESERVE_RECENT_MESSAGES,
                    "description": "Number of recent messages to preserve unchanged",
                },
                "customPrompt": {
                    "type": "string",
                    "description": "Optional custom prompt for the summarization",
                },
            },
            "required": [],
        },
    },
}
"""An OpenAI function tool."""


def compact_history_arguments(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """What the model passed, checked: {"preserveRecentMessages": int} and perhaps "customPrompt".

    Keys the tool doesn't have are left out. Raises SettingsError for text, fractions and numbers outside 1 to 50.
    """
    if not isinstance(arguments, Mapping):
        raise SettingsError(f"compactHistory takes an object of arguments, not {arguments!r}")
    given = arguments.get("preserveRecentMessages", PRESERVE_RECENT_MESSAGES)
    preserve = whole_number(given, "preserveRecentMessages", FEWEST_PRESERVED)
    if preserve > MOST_PRESERVED:
        raise SettingsError(f"preserveRecentMessages {preserve} is more than {MOST_PRESERVED}")
    if "customPrompt" not in arguments:
        return {"preserveRecentMessages": preserve}
    if not isinstance(arguments["customPrompt"], str):
        raise SettingsError(f"customPrompt {arguments['customPrompt']!r} is not text")
    return {"preserveRecentMessages": preserve, "customPrompt": arguments["customPrompt"]}


def compact_history(
    messages: list[Any] | None,
    generate_text: GenerateText,
    *,
    preserve_recent_messages: int = PRESERVE_RECENT_MESSAGES,
    custom_prompt: str | None = None,
    token_tracker: Any = None,
    checkpoints: Checkpoints | None = None,
) -> str:
    """Compact the list in place and say what was done. The list is untouched until the summary is there.

    An empty `custom_prompt` is none. With `checkpoints`, the messages are saved there before they are replaced.
    """
    cut = cut_messages(messages or [], preserve_recent_messages)
    if not messages or not cut.older:
        return NOT_ENOUGH
    log.info("Compacting message history, preserving %d recent messages", preserve_recent_messages)
    summary = write_summary(cut, generate_text, custom_prompt or DEFAULT_COMPACTION_PROMPT, token_tracker)
    if checkpoints is not None:
        checkpoints.save(messages, label=f"before {len(cut.older)} messages became a summary")
    messages[:] = [*cut.leading, summary, *cut.recent]
    return (
        f"Successfully compacted {len(cut.older)} messages into a summary, preserving the {len(cut.recent)} most "
        f"recent messages. Reduced message history size by approximately {_reduction(cut, summary)}%."
    )


def _reduction(cut: Cut, summary: dict[str, str]) -> int:
    """Per cent of the characters saved, rounded half up: negative when it grew, 0 when there were none."""
    before, after = sum(len(text_of(message)) for message in cut.older), len(summary["content"])
    return math.floor((before - after) / before * 100 + 0.5) if before else 0
