"""The agent loop: plan a request, send it, run the tools the model calls, and repeat until it answers.

    for event in run_agent(conversation, settings, tools=[as_tool(look_up)]):
        ...

A generator of events (events.py). What it sends is what `replay` of the conversation shows under the same settings.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from historylab.agent.events import (
    Compacted,
    Event,
    Failed,
    Finished,
    Planned,
    Replied,
    StatusUpdated,
    TextDelta,
    ToolCalled,
    ToolResult,
)
from historylab.agent.request import request_of
from historylab.agent.tools import RewritingTool, Tool, arguments_of, call_tool
from historylab.chat_models.base import Reply, open_chat_model
from historylab.conversation.conversation import Conversation
from historylab.conversation.message import Message, ToolCall, Usage
from historylab.conversation.recorded import SENT_TOKENS, WHOLE_TOKENS
from historylab.errors import HistoryLabError
from historylab.formats.messages.chat_messages import to_message, to_record
from historylab.planning.pipeline import open_instruments, plan_history
from historylab.planning.plan import HistoryPlan
from historylab.planning.strategies.base import Instruments
from historylab.pricing import window_of
from historylab.settings.model import Settings
from historylab.trimming.warn import warn_over_budget

MOST_REQUESTS = 200

Status = Callable[[int, int | None], Mapping[str, Any] | None]
"""`status(tokens of the last request and its answer, the model's window)` gives a system message, or None."""


def run_agent(
    conversation: Conversation,
    settings: Settings,
    *,
    instruments: Instruments | None = None,
    tools: Iterable[Tool | RewritingTool] = (),
    status: Status | None = None,
    previous: HistoryPlan | None = None,
    most_requests: int = MOST_REQUESTS,
) -> Iterator[Event]:
    """Answer the conversation's newest message. The last event is Finished or Failed; only a bug raises.

    Args:
        instruments: with the chat model to ask; without, both are opened from settings and environment.
        tools: see tools.py; an error a tool raises is sent to the model as its result.
        status: asked after each round of tools, before the next request.
        previous: the previous request's plan, if there was one: then the earlier requests are not planned again, nor a
            model asked again for their summaries (which `usage` doesn't count).
        most_requests: after so many without an answer the loop gives up.
    """
    instruments = instruments or open_instruments(settings)
    return _Run(conversation, settings, instruments, {t.name: t for t in tools}, status, previous).events(most_requests)


class _Run:
    """The state of one run: the conversation, the last plan, the usage."""

    def __init__(
        self,
        conversation: Conversation,
        settings: Settings,
        instruments: Instruments,
        tools: Mapping[str, Tool | RewritingTool],
        status: Status | None,
        previous: HistoryPlan | None,
    ) -> None:
        self._settings, self._instruments, self._tools, self._status = settings, instruments, tools, status
        self._chat_model = instruments.chat_model or open_chat_model(settings.model)
        self._conversation, self._previous = conversation, previous
        self._sent, self._used = 0, Usage()

    def events(self, most_requests: int) -> Iterator[Event]:
        if not self._conversation or self._conversation[-1].role == "assistant":
            yield self._failure("there is nothing to answer: the conversation must end in a message to the model")
            return
        for request in range(most_requests):
            try:
                plan = yield from self._prepare(request)
                reply = yield from self._ask(plan)
            except HistoryLabError as problem:
                yield self._failure(str(problem), problem)
                return
            message = self._say(_message_of(reply, plan))
            yield Replied(reply, self._conversation)
            if not message.tool_calls:
                yield Finished(reply.text, self._used, self._conversation, plan)
                return
            yield from self._run_tools(message.tool_calls)
            yield from self._update_status(reply)
        yield self._failure(f"no answer after {most_requests} requests; run on from here, or raise most_requests")

    def _prepare(self, request: int) -> Generator[Event, None, HistoryPlan]:
        """Plan the next request; a new summary is an event of its own."""
        plan = plan_history(self._conversation, self._settings, instruments=self._instruments, previous=self._previous)
        self._previous, self._sent, summary = plan, plan.tokens, plan.summary
        warn_over_budget(self._conversation, self._settings, self._instruments, plan)
        yield Planned(request, plan)
        if summary and summary.made_at == plan.size:
            self._used += summary.usage or Usage()
            yield Compacted(summary.by, summary.covers, summary.note, self._conversation)
        return plan

    def _ask(self, plan: HistoryPlan) -> Generator[Event, None, Reply]:
        """Send the plan; the reserve is the room for the answer."""
        room, tools = self._settings.reserve or None, [tool.schema for tool in self._tools.values()]
        reply = Reply("")
        for piece in self._chat_model.stream(request_of(plan), max_tokens=room, tools=tools):
            if isinstance(piece, Reply):
                reply = piece
            else:
                yield TextDelta(piece)
        self._used += reply.usage or Usage()
        return reply

    def _run_tools(self, calls: Iterable[ToolCall]) -> Iterator[Event]:
        for call in calls:
            yield ToolCalled(call)
            before = self._conversation
            text, failed = self._result(call)
            if self._conversation is not before:
                folded = 1 + len(before) - len(self._conversation)
                yield Compacted(call.name, folded, "", self._conversation)
            self._say(Message("tool", text, tool_call_id=call.id))
            yield ToolResult(call, text, failed, self._conversation)

    def _result(self, call: ToolCall) -> tuple[str, bool]:
        """A call's result, or the error for the model to read; and whether it failed."""
        tool = self._tools.get(call.name)
        try:
            if tool is None:
                raise LookupError(f"there is no such tool; there are: {', '.join(self._tools) or 'none'}")
            return (self._rewrite(tool, call) if isinstance(tool, RewritingTool) else call_tool(tool, call)), False
        except Exception as problem:  # a tool may raise anything: the agent goes on, and the model reads why
            return f"{call.name} failed: {type(problem).__name__}: {problem}", True

    def _rewrite(self, tool: RewritingTool, call: ToolCall) -> str:
        """Let a tool edit the history. Messages it does not touch stay the same objects."""
        given = [to_record(message) for message in self._conversation]
        homes = {id(record): message for record, message in zip(given, self._conversation, strict=True)}
        edited = list(given)
        text, used = tool.rewrite(edited, **arguments_of(call))
        self._used += used
        if [id(record) for record in edited] != [*homes]:
            messages = [homes[id(record)] if id(record) in homes else to_message(record) for record in edited]
            self._conversation = self._conversation.edited(messages)
            self._previous = None  # its blocks are other ones now
        return text

    def _update_status(self, reply: Reply) -> Iterator[Event]:
        if self._status is None:
            return
        used, settings = reply.usage or Usage(input=self._sent), self._settings
        total = used.context + used.output
        update = self._status(total, settings.window or window_of(settings.model))
        if update:
            message = self._say(to_message(update))
            yield StatusUpdated(message.content, self._conversation)

    def _say(self, message: Message) -> Message:
        self._conversation = self._conversation.followed_by([message])
        return message

    def _failure(self, reason: str, problem: HistoryLabError | None = None) -> Failed:
        return Failed(reason, self._used, self._conversation, problem)


def _message_of(reply: Reply, plan: HistoryPlan) -> Message:
    """The answer as a message, with what it used and for which tokens. Calls without ids of their own get some."""
    seen: set[str] = set()
    calls = []
    for k, call in enumerate(reply.tool_calls):
        calls.append(replace(call, id=f"{call.id or 'call'}-{k}") if not call.id or call.id in seen else call)
        seen.add(calls[-1].id)
    metadata: dict[str, Any] = {}
    if reply.usage:
        whole = plan.history.untrimmed_tokens + plan.history.counter.per_request
        sent = {SENT_TOKENS: plan.tokens, WHOLE_TOKENS: whole} if plan.tokens < whole else {}
        metadata = {"usage": reply.usage, **sent}
    return Message("assistant", reply.text, tool_calls=tuple(calls), metadata=metadata)
