"""Mentu's history: stored rows → user and assistant messages → the newest pairs that fit → one prompt."""

from __future__ import annotations

import logging
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import groupby
from typing import Any

from historylab.conversation.message import Message
from historylab.counters.base import PerMessage
from historylab.errors import SettingsError
from historylab.formats.messages.content_parts import mapping_of
from historylab.formats.messages.flat_messages import FLAT_ROLES, as_flat_message
from historylab.formats.messages.lenient import as_message, conversation_of
from historylab.planning.pipeline import plan_history
from historylab.planning.strategies.base import Instruments
from historylab.planning.strategies.layouts.tagged_prompt import prompt_with_history
from historylab.planning.strategies.projections.collapsed_tools import CUT, as_one_message
from historylab.settings.model import Settings

log = logging.getLogger("historylab")

MAX_PAIRS = 20
MAX_CHARS = 100_000
ROW_ROLES = ("user", "assistant", "system", *FLAT_ROLES)
SKIPPED = "skipped"  # the core's role for a row of any other role
CURRENT = {"role": "user", "content": ""}  # stands for the message being answered, which is no history
_COUNTER = PerMessage(  # the mark of a cut is not counted
    lambda message: len(message.content.removesuffix(CUT)), shape=lambda message: message, key="characters but the mark"
)

FetchRows = Callable[[str, int | None], Iterable[Mapping[str, Any]]]
"""`fetch_rows(conversation_id, limit)` gives the newest rows, the oldest of them first; a limit of None means all."""


@dataclass(frozen=True, slots=True)
class AgentQueryOptions:
    """The options of a query: the history, as `get_conversation_history` gives it."""

    history: Sequence[Mapping[str, Any]] = ()


def get_conversation_history(
    fetch_rows: FetchRows,
    conversation_id: str,
    *,
    max_pairs: float | None = MAX_PAIRS,
    max_chars: float | None = MAX_CHARS,
    max_rows: int | None = None,
    exclude_id: str | None = None,
    oversized: str = "truncate",
) -> list[dict[str, Any]]:
    """The history to send along, as `{"role", "content"}`; empty, with a warning, when the rows can't be fetched.

    `exclude_id` names the row of the current message, if that is stored already: else it would be sent twice.
    """
    try:
        rows = [row for row in fetch_rows(conversation_id, max_rows) if exclude_id is None or _id(row) != exclude_id]
    except Exception as problem:  # whatever a database raises: an answer without context beats none
        log.warning("History fetch failed, continuing without context", exc_info=problem)
        return []
    formatted = format_messages_for_sdk(rows)
    history = truncate_history(formatted, max_pairs=max_pairs, max_chars=max_chars, oversized=oversized)
    figures = {"messageCount": len(history), "estimatedTokens": sum(len(m["content"]) for m in history) // 4}
    log.debug(
        "Loaded conversation history: %d messages, about %d tokens",
        *figures.values(),
        extra={"conversationId": conversation_id, **figures},
    )
    return history


def format_messages_for_sdk(rows: Iterable[Mapping[str, Any]]) -> list[dict[str, str]]:
    """Rows as user and assistant messages, tool calls and results as lines of the assistant's text."""
    spoken = [message for row in rows if (message := _row(row)).role in ("user", "assistant", "tool")]
    formatted: list[Message | None] = []
    for is_users, run in groupby(spoken, key=lambda message: message.role == "user"):
        turn = list(run)
        formatted += turn if is_users else [as_one_message(turn)]
    return [{"role": message.role, "content": message.content} for message in formatted if message]


def truncate_history(
    messages: Iterable[Any],
    *,
    max_pairs: float | None = MAX_PAIRS,
    max_chars: float | None = MAX_CHARS,
    oversized: str = "truncate",
) -> list[Any]:
    """The newest 2 × `max_pairs` messages that fit `max_chars`, from a user message on; the caller's own dicts.

    None is the default, 0 or less an empty history. When nothing would be left, the newest exchange stays, cut to the
    room there is; `oversized="drop"` leaves it empty, as published. Raises SettingsError for what is not a number.
    """
    given = list(messages)
    pairs, characters = _limit(max_pairs, MAX_PAIRS, len(given)), _limit(max_chars, MAX_CHARS, 1_000_000_000)
    if pairs <= 0 or characters < 0:
        return []
    settings = _settings(pairs, math.floor(characters), oversized)
    conversation = conversation_of([*given, CURRENT])
    plan = plan_history(conversation, settings, instruments=Instruments(_COUNTER))
    return [message.source for message in plan.render() if message.source is not CURRENT]


def build_prompt_with_history(current_message: str, history: Sequence[Any], *, escape_tags: bool = True) -> str:
    """One prompt: the history between tags, then the current message; without a history the message alone."""
    messages = [as_message(message) for message in history]
    return prompt_with_history(current_message, [(m.role, m.content) for m in messages], escape_tags)


def create_agent_query(current_message: str, options: AgentQueryOptions | None = None) -> str:
    """The prompt of a query: the current message, with the history of the options."""
    return build_prompt_with_history(current_message, options.history if options else ())


def _row(row: Mapping[str, Any]) -> Message:
    return as_flat_message(row) if mapping_of(row).get("role") in ROW_ROLES else Message(SKIPPED, source=row)


def _id(row: Mapping[str, Any]) -> Any:
    return mapping_of(row).get("id")


def _limit(value: float | None, default: float, most: float) -> float:
    if value is None:
        return min(default, most)
    if isinstance(value, bool) or not isinstance(value, int | float) or math.isnan(value):
        raise SettingsError(f"a limit of {value!r} is not a number; give 0 or more")
    return min(value, most)


@lru_cache(maxsize=64)
def _settings(pairs: float, characters: int, oversized: str) -> Settings:
    """The preset's cut alone, over messages that are user's and assistant's already."""
    options = {"pairs": pairs, "characters": characters, "oversized": oversized}
    dotted = {f"pruner.pairs.{name}": value for name, value in options.items()}
    return Settings(policy="all", pruner="pairs", preserve_system_messages=False, budget=0, options=dotted)
