"""mycoder's agent: the agent loop with `compactHistory` among its tools, status updates and its system prompt.

    for event in tool_agent(conversation, PRESET.replace(model="gpt-5.5"), tools=[as_tool(look_up)]):
        ...

Source: mycoder issue 338 and what was released of it (`toolAgentCore.ts`, `config.ts`, `tools/index.ts`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from historylab.agent.events import Event, Planned, Replied, StatusUpdated
from historylab.agent.loop import MOST_REQUESTS, run_agent
from historylab.agent.tools import RewritingTool, Tool
from historylab.chat_models.base import ChatModel, open_chat_model
from historylab.conversation.conversation import Conversation
from historylab.conversation.message import Message, Usage
from historylab.conversation.usage import usage_of
from historylab.formats.messages.chat_messages import to_message
from historylab.planning.pipeline import open_instruments
from historylab.planning.strategies.base import Instruments
from historylab.pricing import window_of
from historylab.settings.model import Settings
from historylab.systems.mycoder.checkpoints import Checkpoints
from historylab.systems.mycoder.compaction_tool import CompactHistoryTool
from historylab.systems.mycoder.status import (
    BEGINS,
    INSTRUCTIONS,
    Items,
    StatusUpdates,
    generate_status_update,
    get_system_prompt,
)
from historylab.systems.mycoder.usage import TokenTracker

MAX_ITERATIONS = MOST_REQUESTS
"""Requests an agent makes at most: the loop's own limit."""


def default_tools(
    chat_model: ChatModel, *, checkpoints: Checkpoints | None = None, token_tracker: TokenTracker | None = None
) -> list[Tool | RewritingTool]:
    """The tools every agent has: `compactHistory`, written by this model; its usage is added to the tracker."""
    return [CompactHistoryTool(chat_model, checkpoints=checkpoints, token_tracker=token_tracker)]


def tool_agent(
    conversation: Conversation,
    settings: Settings,
    *,
    tools: Iterable[Tool | RewritingTool] = (),
    instruments: Instruments | None = None,
    token_tracker: TokenTracker | None = None,
    agents: Items = (),
    shells: Items = (),
    sessions: Items = (),
    checkpoints: Checkpoints | None = None,
    last_request: int | None = None,
    get_system_prompt: Callable[..., str] = get_system_prompt,
    max_iterations: int = MAX_ITERATIONS,
) -> Iterator[Event]:
    """Answer the conversation's newest message, as `run_agent` does.

    Updates count the responses of the whole conversation: one that an answer made due comes before this request.

    Args:
        settings: `PRESET`, say: compaction at a threshold, which updates, hints and system prompt name as well.
        tools: the agent's own, besides the default ones.
        token_tracker: counts what requests, summaries and compactions use; by default from what the conversation's
            answers report on.
        agents, shells, sessions: what runs in the background, as `generate_status_update` takes it; asked each time.
        checkpoints: where messages are saved before `compactHistory` replaces them.
        last_request: tokens of the request before, where its answer reports no usage.
        get_system_prompt: `get_system_prompt(instructions, threshold_percentage=…)`; the instructions are the
            conversation's own first system message, if it starts with one.
        max_iterations: after so many requests without an answer the agent gives up.
    """
    tracker, percentage = token_tracker or tracker_of(conversation), 100 * settings.threshold
    instruments = instruments or open_instruments(settings)
    model = instruments.chat_model or open_chat_model(settings.model)
    responses = _responses_since_update(conversation)
    answered = _newest_answer(conversation) if responses else None
    updates = StatusUpdates(threshold_percentage=percentage, responses=responses - (answered is not None))
    background: dict[str, Any] = {"agents": agents, "shells": shells, "sessions": sessions}

    def status(total: int, window: int | None) -> Mapping[str, Any] | None:
        if not updates.due(total, window):
            return None
        return generate_status_update(total, window, tracker, **background, threshold_percentage=percentage)

    told = _with_system_prompt(
        conversation, lambda instructions: get_system_prompt(instructions, threshold_percentage=percentage)
    )
    if answered and (update := status(_total(answered, last_request), settings.window or window_of(settings.model))):
        told = told.followed_by([to_message(update)])
        yield StatusUpdated(str(update["content"]), told)
    every_tool = [*default_tools(model, checkpoints=checkpoints, token_tracker=tracker), *tools]
    for event in run_agent(
        told, settings, instruments=instruments, tools=every_tool, status=status, most_requests=max_iterations
    ):
        tracker.token_usage.add(usage_in(event))
        yield event


def tracker_of(conversation: Conversation) -> TokenTracker:
    """A tracker that begins with the usage that the conversation's answers report."""
    tracker = TokenTracker()
    for message in conversation:
        tracker.token_usage.add(usage_of(message) or Usage())
    return tracker


def usage_in(event: Event) -> Usage:
    """The usage that an event reports: of an answer, or of the summary a plan made."""
    if isinstance(event, Replied):
        return event.reply.usage or Usage()
    if isinstance(event, Planned) and (summary := event.plan.summary) and summary.made_at == event.plan.size:
        return summary.usage or Usage()
    return Usage()


def _responses_since_update(conversation: Conversation) -> int:
    count = 0
    for message in reversed(conversation.messages):
        if message.role == "system" and message.content.startswith(BEGINS):
            break
        count += message.role == "assistant"
    return count


def _newest_answer(conversation: Conversation) -> Message | None:
    """The answer before the newest question, which ended a run, so that no round of tools asked for an update."""
    said = [message for message in conversation if message.role != "system"]
    before = next((message for message in reversed(said) if message.role != "user"), None)
    ends = before is not None and before is not said[-1] and before.role == "assistant" and not before.tool_calls
    return before if ends else None


def _total(answer: Message, last_request: int | None) -> int:
    """Tokens of the request that this answers and, as far as they are reported, of the answer."""
    used = usage_of(answer) or Usage(input=last_request or 0)
    return used.context + used.output


def _with_system_prompt(conversation: Conversation, prompt: Callable[[str], str]) -> Conversation:
    """The conversation with the system prompt in front."""
    messages = list(conversation)
    given = messages[0].content if messages and messages[0].role == "system" else None
    text = prompt(INSTRUCTIONS if given is None else given)
    if text == given:
        return conversation
    return conversation.edited([Message("system", text), *messages[given is not None :]])
