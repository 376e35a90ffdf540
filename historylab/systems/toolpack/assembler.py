"""assemble_prompt(): load, filter, project, summarise, fill the budget from the newest; the stages are the core's.

Only the rolling summary is toolpack's own: it is stored in place of the turns it covers, so the next prompt of any
agent begins with it.
"""

from __future__ import annotations

import logging
import math
import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np

from historylab.conversation.conversation import Conversation
from historylab.conversation.message import Summary
from historylab.counters.toolpack import ToolpackCounter
from historylab.formats.frameworks.toolpack import read_stored_message
from historylab.planning.history import History
from historylab.planning.plan import HistoryPlan
from historylab.planning.slot_zero import start
from historylab.planning.strategies.base import Context, Instruments
from historylab.planning.strategies.compaction.rolling import OLDER_HALF, keep_newest, keep_summaries, older_half
from historylab.planning.strategies.filters.addressed_only import only_addressed
from historylab.planning.strategies.projections.point_of_view import point_of_view
from historylab.planning.strategies.pruners.fifo import fifo
from historylab.settings.model import Settings
from historylab.summarizers.base import SummaryTask
from historylab.summarizers.writing import write_summary
from historylab.systems.base import sent_messages
from historylab.systems.toolpack.conversation_store import ConversationStore
from historylab.systems.toolpack.options import AssemblerOptions, as_options
from historylab.systems.toolpack.stored_messages import Participant, StoredMessage
from historylab.systems.toolpack.summaries import RoomSummarizer, SummaryCallable, covered_turns, summary_body

log = logging.getLogger("historylab")

SUMMARY_SHARE = 0.25
"""The part of the budget a summary is asked to keep to."""


@dataclass(frozen=True, slots=True)
class AssembledPrompt:
    """The messages to send, as `{"role", "content"}`.

    `turns_loaded` counts before any filter; `has_summary`: one is among the messages; `ids`: of the stored turns behind
    the messages.
    """

    messages: list[dict[str, str]]
    estimated_tokens: int
    turns_loaded: int
    has_summary: bool
    ids: tuple[str | None, ...] = field(default=(), compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Room:
    """One conversation of a store, and the agent that looks at it."""

    store: ConversationStore
    conversation_id: str
    agent_id: str
    agent_name: str
    options: AssemblerOptions


def assemble_prompt(
    store: ConversationStore,
    conversation_id: str,
    agent_id: str,
    agent_name: str,
    options: AssemblerOptions | Mapping[str, Any] | None = None,
    summarizer: SummaryCallable | None = None,
    *,
    now: datetime | None = None,
) -> AssembledPrompt:
    """The prompt of one agent from a stored conversation.

    Over the threshold a summariser's text takes the place of the older half, in the store too. Without a summariser the
    newest turns are sent, as many as the threshold; so they are when it fails, which is logged, and the store stays as
    it is. `now` is what the time window ends at: the clock.
    """
    room = Room(store, conversation_id, agent_id, agent_name, as_options(options))
    turns = _load(room, now)
    return _assemble(plan_turns(room, turns, summarizer), len(turns))


def plan_turns(room: Room, turns: list[StoredMessage], summarizer: SummaryCallable | None = None) -> HistoryPlan:
    """The plan for the loaded turns: over the threshold with a summary, or the newest so many."""
    plan, context = _begin(room, turns)
    if room.options.addressed_only_mode:
        plan = only_addressed(plan, context, room.agent_id, room.options.agent_aliases)
    if summarizer is not None:
        plan = _roll(plan, context, room, turns, summarizer)
    if plan.summary is None:  # none is needed, can be had or is wanted
        plan = keep_newest(plan, context, room.options.rolling_summary_threshold, keep_task=False)
    return fifo(keep_summaries(plan, context), context, unit="block", keep_task=False)


def _load(room: Room, now: datetime | None) -> list[StoredMessage]:
    options = room.options
    return room.store.get(
        room.conversation_id,
        scope=options.scope,
        since_timestamp=_since(options.time_window_minutes, now or datetime.now(UTC)),
        limit=options.max_turns_to_load,
    )


def _since(minutes: float | None, now: datetime) -> str | None:
    if minutes is None:
        return None
    try:
        earliest = (now if now.tzinfo else now.replace(tzinfo=UTC)).astimezone(UTC) - timedelta(minutes=minutes)
    except OverflowError:  # a window that reaches beyond the calendar
        return None
    return earliest.isoformat()


def _begin(room: Room, turns: list[StoredMessage]) -> tuple[HistoryPlan, Context]:
    """A plan that sends every turn as the agent sees it."""
    messages = point_of_view([read_stored_message(turn.to_dict()) for turn in turns], agent=room.agent_id)
    history = History(Conversation(messages), ToolpackCounter(), len(messages))
    context = Context(history, Settings(policy="all"), Instruments(history.counter), None)
    return start(history, max(0, room.options.token_budget), preserve_system_messages=False), context


def _roll(
    plan: HistoryPlan, context: Context, room: Room, turns: list[StoredMessage], summarizer: SummaryCallable
) -> HistoryPlan:
    """The older half as a summary, stored in its place, once there are more turns than the threshold."""
    threshold = room.options.rolling_summary_threshold
    blocks = older_half(plan, context, threshold, keep_task=False)
    old = [turns[i] for i in np.flatnonzero(blocks).tolist()]  # no tool calls here: every block is one turn
    if all(turn.is_summary for turn in old):  # nothing new to summarise
        return plan
    try:
        summary = _summarize(context, room, old, summarizer)
        _store_summary(room, old, summary.text)
    except Exception as problem:  # whatever a model's or a store's client raises: the conversation must go on
        log.warning(
            "No summary (%s: %s); the newest %d turns are sent instead", type(problem).__name__, problem, threshold
        )
        return plan
    return plan.summarize(blocks, summary, OLDER_HALF)


def _summarize(context: Context, room: Room, old: list[StoredMessage], summarizer: SummaryCallable) -> Summary:
    """The summary of the old turns; a former one goes to the summariser apart, to be absorbed."""
    former = [turn for turn in old if turn.is_summary]
    turns = [turn for turn in old if not turn.is_summary]
    task = SummaryTask(
        [read_stored_message(turn.to_dict()) for turn in turns],
        math.floor(room.options.token_budget * SUMMARY_SHARE),
        context.history.counter,
        "\n".join(summary_body(turn) for turn in former),
        previous_covers=sum(map(covered_turns, former)),
    )
    writer = RoomSummarizer(summarizer, turns, room.agent_id, room.agent_name)
    return write_summary(task, writer, made_at=context.history.size)


def _store_summary(room: Room, old: list[StoredMessage], text: str) -> None:
    """The summary first, so that a store that fails between the two has lost nothing."""
    first = old[0]
    stored = StoredMessage(
        f"summary-{uuid.uuid4()}",
        room.conversation_id,
        Participant("system", "summarizer"),
        text,
        first.timestamp,
        room.options.scope or "channel",
        {"isSummary": True},
    )
    room.store.append(stored)
    room.store.delete_messages(room.conversation_id, [turn.id for turn in old])


def _assemble(plan: HistoryPlan, turns_loaded: int) -> AssembledPrompt:
    kept = sent_messages(plan)
    messages = [{"role": message.role, "content": message.content} for message in kept]
    ids = [message.id for message in kept]
    has_summary = plan.summary is not None or any(message.metadata.get("isSummary") for message in kept)
    if plan.summary:  # it stands for the oldest turns, so it comes before all others
        messages.insert(0, {"role": "system", "content": plan.summary.text})
        ids.insert(0, None)
    return AssembledPrompt(messages, plan.tokens, turns_loaded, has_summary, tuple(ids))
