"""The tool `compactHistory`: an agent compacts its history in place. Source: mycoder issue 338, plan 2."""

from __future__ import annotations

import logging
import math
from collections.abc import Mapping
from typing import Any

from historylab.chat_models.base import NO_ANSWER, ChatModel
from historylab.conversation.message import Usage
from historylab.errors import InstrumentError, SettingsError
from historylab.systems.base import require_whole_number
from historylab.systems.mycoder.checkpoints import Checkpoints
from historylab.systems.mycoder.compaction import (
    DEFAULT_COMPACTION_PROMPT,
    PRESERVE_RECENT_MESSAGES,
    CompactionParts,
    cut_messages,
    summarize_older,
)
from historylab.systems.mycoder.generated_summary import GenerateText, content_text

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
    """The model's arguments, checked: {"preserveRecentMessages": int} and perhaps "customPrompt".

    Keys the tool doesn't have are left out. Raises SettingsError for text, fractions and numbers outside 1 to 50.
    """
    if not isinstance(arguments, Mapping):
        raise SettingsError(f"compactHistory takes an object of arguments, not {arguments!r}")
    given = arguments.get("preserveRecentMessages", PRESERVE_RECENT_MESSAGES)
    preserve = require_whole_number(given, "preserveRecentMessages", FEWEST_PRESERVED)
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
    summary = summarize_older(cut, generate_text, custom_prompt or DEFAULT_COMPACTION_PROMPT, token_tracker)
    if checkpoints is not None:
        checkpoints.save(messages, label=f"before {len(cut.older)} messages became a summary")
    messages[:] = [*cut.leading, summary, *cut.recent]
    return (
        f"Successfully compacted {len(cut.older)} messages into a summary, preserving the {len(cut.recent)} most "
        f"recent messages. Reduced message history size by approximately {_reduction(cut, summary)}%."
    )


class CompactHistoryTool:
    """`compactHistory`: the agent has older messages of its own history replaced by a summary."""

    name = "compactHistory"
    schema: Mapping[str, Any] = COMPACT_HISTORY_TOOL

    def __init__(self, chat_model: ChatModel, *, checkpoints: Checkpoints | None = None, token_tracker: Any = None):
        self._chat_model, self._checkpoints, self._token_tracker = chat_model, checkpoints, token_tracker

    def rewrite(self, messages: list[dict[str, Any]], **arguments: Any) -> tuple[str, Usage]:
        """Compact in place. Raises what `compact_history` raises; the list is untouched then."""
        given = compact_history_arguments(arguments)
        used: list[Usage] = []

        def write(request: list[dict[str, Any]], *, temperature: float) -> str:
            reply = self._chat_model.complete(request, temperature=temperature)
            used.append(reply.usage or Usage())
            if self._token_tracker is not None:
                self._token_tracker.token_usage.add(used[-1])
            if reply.finish_reason in NO_ANSWER:
                raise InstrumentError(f"{self._chat_model.name!r} refused to summarise ({reply.finish_reason})")
            return reply.text

        answer = compact_history(
            messages,
            write,
            preserve_recent_messages=given["preserveRecentMessages"],
            custom_prompt=given.get("customPrompt"),
            checkpoints=self._checkpoints,
        )
        return answer, sum(used, Usage())


def _reduction(cut: CompactionParts, summary: dict[str, str]) -> int:
    """Per cent of the characters saved, rounded half up: negative when it grew, 0 when there were none."""
    before, after = sum(len(content_text(message)) for message in cut.older), len(summary["content"])
    return math.floor((before - after) / before * 100 + 0.5) if before else 0
