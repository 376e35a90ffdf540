"""Compaction of a list of messages: everything but the newest becomes one summary, written by a model.

Where to cut is decided as by the strategy `preserve_recent` (`before_newest`): leading system messages stay in front,
a call stays with its results, a former summary is summarised again. Source: mycoder issue 338, plan 1.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from historylab.conversation.conversation import Conversation
from historylab.conversation.message import Message
from historylab.counters.base import Counter, open_counter
from historylab.formats.messages.flat_messages import flat_conversation
from historylab.planning.history import History
from historylab.planning.plan import HistoryPlan
from historylab.planning.strategies.base import Context, Instruments
from historylab.planning.strategies.compaction.base import before_newest
from historylab.settings.fields import MOST_TOKENS
from historylab.settings.model import Settings
from historylab.summarizers.base import SummaryTask
from historylab.summarizers.writing import write_summary
from historylab.systems.base import number, require_whole_number
from historylab.systems.mycoder.checkpoints import Checkpoints
from historylab.systems.mycoder.generated_summary import GeneratedSummary, GenerateText

log = logging.getLogger("historylab")

PRESERVE_RECENT_MESSAGES = 10
SUMMARY_MARK = "[COMPACTED MESSAGE HISTORY]: "
DEFAULT_COMPACTION_PROMPT = (
    "Provide a detailed but concise summary of our conversation above. Focus on information that would be helpful for "
    "continuing the conversation, including what we did, what we're doing, which files we're working on, and what "
    "we're going to do next."
)
FORMER_SUMMARY = "summary"  # the core's role for one: it is folded again, unlike a leading system message


@dataclass(frozen=True, slots=True)
class MessageCompaction:
    """When and how an agent's history is compacted; `threshold_percentage` is of the model's window."""

    enabled: bool = True
    threshold_percentage: float = 50
    preserve_recent_messages: int = PRESERVE_RECENT_MESSAGES
    compaction_prompt: str = DEFAULT_COMPACTION_PROMPT


@dataclass(frozen=True, slots=True)
class CompactionParts:
    """The caller's messages in three parts: what stays in front, what becomes the summary, what is recent."""

    leading: list[Any]
    older: list[Any]
    recent: list[Any]


def should_compact_messages(total_tokens: float, max_tokens: float, threshold_percentage: float = 50) -> bool:
    """Whether the threshold's share of the window is reached; 0 of 0 is."""
    total, window = number(total_tokens, "total_tokens"), number(max_tokens, "max_tokens")
    return bool(total >= window * number(threshold_percentage, "threshold_percentage") / 100)


def compact_messages(
    messages: Iterable[Any] | None,
    generate_text: GenerateText,
    *,
    preserve_recent_messages: int = PRESERVE_RECENT_MESSAGES,
    compaction_prompt: str = DEFAULT_COMPACTION_PROMPT,
    token_tracker: Any = None,
    checkpoints: Checkpoints | None = None,
) -> list[Any]:
    """A new list: leading system messages, the summary, the newest messages; the same messages if nothing is older.

    The usage of the summary's call is added to the tracker; with `checkpoints`, the messages are saved there first.
    """
    given = list(messages or ())
    cut = cut_messages(given, preserve_recent_messages)
    if not cut.older:
        return given
    summary = summarize_older(cut, generate_text, compaction_prompt, token_tracker)
    if checkpoints is not None:
        checkpoints.save(given, label=f"before {len(cut.older)} messages became a summary")
    return [*cut.leading, summary, *cut.recent]


def compact_if_needed(
    messages: Iterable[Any],
    generate_text: GenerateText,
    config: MessageCompaction,
    *,
    iteration: int,
    total_tokens: int | None,
    max_tokens: int | None,
    token_tracker: Any = None,
    checkpoints: Checkpoints | None = None,
) -> list[Any]:
    """Compact at the threshold, never on iteration 0; an agent's loop calls this before each request.

    `total_tokens` and `max_tokens` are those of the last response; unless both are known, nothing happens.
    """
    given = list(messages)
    if not (config.enabled and iteration > 0 and total_tokens and max_tokens):
        return given
    if not should_compact_messages(total_tokens, max_tokens, config.threshold_percentage):
        return given
    log.info("Compacting message history to reduce token usage")
    compacted = compact_messages(
        given,
        generate_text,
        preserve_recent_messages=config.preserve_recent_messages,
        compaction_prompt=config.compaction_prompt,
        token_tracker=token_tracker,
        checkpoints=checkpoints,
    )
    log.info("Message history compacted: %d messages remaining", len(compacted))
    return compacted


def cut_messages(messages: list[Any], preserve_recent: int) -> CompactionParts:
    """Cut the messages so that the newest `preserve_recent` stay. Raises SettingsError for a fraction."""
    preserve = require_whole_number(preserve_recent, "preserve_recent_messages")
    conversation = _former_summaries_marked(flat_conversation(messages))
    counter = _counter()
    history = History(conversation, counter, len(conversation))
    context = Context(history, Settings(), Instruments(counter), None)
    older = before_newest(HistoryPlan(history, 0), context, preserve, keep_task=False)[history.columns.block]
    leading = np.logical_and.accumulate(history.columns.system)[history.columns.block]
    parts: tuple[list[Any], list[Any], list[Any]] = ([], [], [])
    for message, is_leading, is_older in zip(messages, leading.tolist(), older.tolist(), strict=True):
        parts[0 if is_leading else 1 if is_older else 2].append(message)
    return CompactionParts(*parts)


def summarize_older(
    cut: CompactionParts, generate_text: GenerateText, prompt: str, token_tracker: Any = None
) -> dict[str, str]:
    """The system message that stands for the older messages. Raises InstrumentError for an empty text."""
    task = SummaryTask(flat_conversation(cut.older).messages, MOST_TOKENS, _counter())
    writer = GeneratedSummary(generate_text, prompt or DEFAULT_COMPACTION_PROMPT, token_tracker)
    size = len(cut.leading) + len(cut.older) + len(cut.recent)
    summary = write_summary(task, writer, made_at=size, heading=SUMMARY_MARK)
    return {"role": "system", "content": summary.text}


def _counter() -> Counter:
    """No decision here looks at tokens, so the cheapest counter will do."""
    return open_counter("chars/4", Settings().model)


def _former_summaries_marked(conversation: Conversation) -> Conversation:
    return conversation.edited(replace(m, role=FORMER_SUMMARY) if _is_summary(m) else m for m in conversation)


def _is_summary(message: Message) -> bool:
    return message.role == "system" and message.content.startswith(SUMMARY_MARK.rstrip())
