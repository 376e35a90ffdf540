"""Records an agent's run: each request with its plan and what was answered, as an app's that a proxy stands before."""

from __future__ import annotations

import time
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from historylab.agent.events import Event, Failed, Planned, Replied
from historylab.agent.tools import RewritingTool, Tool
from historylab.chat_models.completions import usage_fields
from historylab.conversation.conversation import Conversation
from historylab.conversation.exchange import Exchange
from historylab.errors import ModelError
from historylab.formats.messages.chat_messages import to_record
from historylab.planning.plan import HistoryPlan
from historylab.recordings.exchange import line_time, plan_fields, settings_fields
from historylab.recordings.noted_state import NotedState
from historylab.recordings.recorder import Recorder
from historylab.settings.model import Settings


@dataclass(frozen=True, slots=True)
class Recording:
    """Where a run is recorded and as what: `chat` is the same object for all runs of a chat, `conversation` its id.

    `secrets` are keys that stand in no record, whatever repeats them.
    """

    recorder: Recorder
    state: NotedState
    chat: object
    conversation: str
    app: str
    secrets: Sequence[str] = ()


def recorded_run(
    events: Iterable[Event],
    recording: Recording,
    settings: Settings,
    model: str,
    tools: Sequence[Tool | RewritingTool] = (),
) -> Generator[Event]:
    """The same events; every request that was answered or refused is on record by the time its event comes."""
    run = _RunOnRecord(recording, settings, {"model": model, "tools": [dict(tool.schema) for tool in tools]})
    for event, noted in _pair_with_state(events, recording):
        run.take(event, noted)
        yield event


@dataclass(slots=True)
class _RunOnRecord:
    """The request that is being made, of a run."""

    recording: Recording
    settings: Settings
    body: Mapping[str, Any]  # of its requests, without the messages
    plan: HistoryPlan | None = None
    started: float = 0.0
    clock: float = 0.0

    def take(self, event: Event, noted: Mapping[str, str]) -> None:
        match event:
            case Planned(plan=plan):
                self.plan, self.started, self.clock = plan, time.time(), time.perf_counter()
            case Replied(conversation=said):
                asked = said.beginning(len(said) - 1)
                self._record(asked, noted, status=200, response=_response(event))
            case Failed(problem=ModelError() as problem, conversation=asked):
                self._record(asked, noted, status=problem.status, error=str(problem))

    def _record(self, asked: Conversation, noted: Mapping[str, str], **answered: Any) -> None:
        given = {name: value for name, value in self.body.items() if value}
        exchange = Exchange(
            api="chat_completions",
            body={**given, "messages": [to_record(message) for message in asked]},
            started=line_time(self.started),
            ended=line_time(self.started + time.perf_counter() - self.clock),
            chat=self.recording.chat,
            app=self.recording.app,
            settings=settings_fields(self.settings),
            plan=plan_fields(self.plan) if self.plan else {},
            live_plan=self.plan,
            mode="trim",
            state=noted,
            conversation=self.recording.conversation,
            secrets=self.recording.secrets,
            **answered,
        )
        self.recording.recorder.record(exchange)


def _pair_with_state(events: Iterable[Event], recording: Recording) -> Iterator[tuple[Event, Mapping[str, str]]]:
    """Pair each event with the state its request read or wrote."""
    waiting, noted = iter(events), dict[str, str]()
    while True:
        with recording.state.note_state(recording.secrets) as found:
            event = next(waiting, None)
        if event is None:
            return
        noted = {**({} if isinstance(event, Planned) else noted), **found}
        yield event, noted


def _response(event: Replied) -> dict[str, Any]:
    """The answer as Chat Completions' body."""
    reply = event.reply
    message = {"content": None, **to_record(event.conversation[-1])}
    choice = {"index": 0, "message": message, "finish_reason": reply.finish_reason}
    body: dict[str, Any] = {"object": "chat.completion", "model": reply.model, "choices": [choice]}
    return {**body, "usage": usage_fields(reply.usage)} if reply.usage else body
