"""Compaction of a list of messages: everything but the newest becomes one summary, written by a model.

Where to cut is decided as by the strategy `preserve_recent` (`before_newest`): leading system messages stay in front,
a call stays with its results, a former summary is summarised again. Source: mycoder issue 338, plan 1.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from historylab.agent.checkpoints import Checkpoints
from historylab.conversation.conversation import Conversation
from historylab.conversation.message import Message
from historylab.counters.base import open_counter
from historylab.errors import InstrumentError, SettingsError
from historylab.formats.chat_messages import mapping_of
from historylab.formats.flat_messages import flat_conversation
from historylab.planning.history import History
from historylab.planning.plan import HistoryPlan
from historylab.planning.strategies.base import Context, Instruments
from historylab.planning.strategies.compaction.base import before_newest
from historylab.settings.model import Settings

log = logging.getLogger("historylab")

PRESERVE_RECENT_MESSAGES = 10
SUMMARY_MARK = "[COMPACTED MESSAGE HISTORY]: "
SUMMARIZER_PROMPT = (
    "You are an AI assistant tasked with summarizing a conversation. Provide a concise but informative summary that "
    "captures the key points, decisions, and context needed to continue the conversation effectively."
)
DEFAULT_COMPACTION_PROMPT = (
    "Provide a detailed but concise summary of our conversation above. Focus on information that would be helpful for "
    "continuing the conversation, including what we did, what we're doing, which files we're working on, and what "
    "we're going to do next."
)
TRANSCRIPT_HEADER = "Here's the conversation to summarize:"
TEMPERATURE = 0.3  # low, for consistent summaries
FORMER_SUMMARY = "summary"  # the core's role for one: it is folded again, unlike a leading system message

GenerateText = Callable[..., Any]
"""`generate_text(messages, *, temperature)` gives a text, or an object with `text` and `token_usage`."""


@dataclass(frozen=True, slots=True)
class MessageCompaction:
    """When and how an agent's history is compacted; `threshold_percentage` is of the model's window."""

    enabled: bool = True
    threshold_percentage: float = 50
    preserve_recent_messages: int = PRESERVE_RECENT_MESSAGES
    compaction_prompt: str = DEFAULT_COMPACTION_PROMPT


@dataclass(frozen=True, slots=True)
class Cut:
    """The caller's messages in three parts: what stays in front, what becomes the summary, what is recent."""

    leading: list[Any]
    older: list[Any]
    recent: list[Any]


def should_compact_messages(total_tokens: float, max_tokens: float, threshold_percentage: float = 50) -> bool:
    """Whether the threshold's share of the window is reached; 0 of 0 is."""
    return total_tokens >= max_tokens * threshold_percentage / 100


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
    summary = write_summary(cut, generate_text, compaction_prompt, token_tracker)
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
    """What an agent's loop calls before each request: compacts at the threshold, never on iteration 0.

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


def cut_messages(messages: list[Any], preserve_recent: int) -> Cut:
    """Where `preserve_recent` whole messages from the newest on would cut. Raises SettingsError for a fraction."""
    preserve = whole_number(preserve_recent, "preserve_recent_messages")
    conversation = _former_summaries_marked(flat_conversation(messages))
    counter = open_counter("chars/4", Settings().model)  # no decision here looks at tokens
    history = History(conversation, counter, len(conversation))
    context = Context(history, Settings(), Instruments(counter), None)
    older = before_newest(HistoryPlan(history, 0), context, preserve, keep_task=False)[history.columns.block]
    leading = np.logical_and.accumulate(history.columns.system)[history.columns.block]
    parts: tuple[list[Any], list[Any], list[Any]] = ([], [], [])
    for message, is_leading, is_older in zip(messages, leading.tolist(), older.tolist(), strict=True):
        parts[0 if is_leading else 1 if is_older else 2].append(message)
    return Cut(*parts)


def write_summary(cut: Cut, generate_text: GenerateText, prompt: str, token_tracker: Any = None) -> dict[str, str]:
    """The system message that stands for the older messages. Raises InstrumentError for an empty text."""
    transcript = "\n".join(f"{role_of(message)}: {text_of(message)}" for message in cut.older)
    request = [
        {"role": "system", "content": SUMMARIZER_PROMPT},
        {"role": "user", "content": f"{prompt or DEFAULT_COMPACTION_PROMPT}\n\n{TRANSCRIPT_HEADER}\n{transcript}"},
    ]
    answer = generate_text(request, temperature=TEMPERATURE)
    text = answer if isinstance(answer, str) else answer.text
    if token_tracker is not None and not isinstance(answer, str):
        token_tracker.token_usage.add(answer.token_usage)
    if not text or not text.strip():
        raise InstrumentError(f"generate_text gave {text!r} for {len(cut.older)} messages; nothing was changed")
    return {"role": "system", "content": SUMMARY_MARK + text}


def role_of(message: Any) -> str:
    """The role as the caller wrote it."""
    return str(mapping_of(message).get("role") or "")


def text_of(message: Any) -> str:
    """The content as text: parts of text joined by newlines, any other value as JSON, "" where there is none."""
    content = mapping_of(message).get("content")
    if content is None or isinstance(content, str):
        return content or ""
    parts = content if isinstance(content, list) else [content]
    texts = [p if isinstance(p, str) else p["text"] for p in parts if isinstance(p, str) or _is_text(p)]
    return "\n".join(texts) if texts else json.dumps(content, ensure_ascii=False, default=str)


def whole_number(value: Any, name: str, least: int = 0) -> int:
    """`value` as a whole number of at least `least`; text, fractions and truth values are refused."""
    is_whole = isinstance(value, int | float) and not isinstance(value, bool) and value == value // 1
    if not is_whole or value < least:
        raise SettingsError(f"{name} {value!r} is not a whole number of {least} or more")
    return int(value)


def _is_text(part: Any) -> bool:
    return isinstance(part, dict) and isinstance(part.get("text"), str)


def _former_summaries_marked(conversation: Conversation) -> Conversation:
    return conversation.edited(replace(m, role=FORMER_SUMMARY) if _is_summary(m) else m for m in conversation)


def _is_summary(message: Message) -> bool:
    return message.role == "system" and message.content.startswith(SUMMARY_MARK.rstrip())
