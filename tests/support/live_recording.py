"""A recording that grows while a page watches it: requests of apps as a proxy records them, nothing sent anywhere."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from time import time
from typing import Any

from historylab import Settings, Trimmer
from historylab.conversation.exchange import Exchange
from historylab.recordings import open_recording
from historylab.recordings.exchange import line_time, plan_fields, settings_fields
from historylab.recordings.noted_state import NotedState
from historylab.recordings.recorder import Recorder

TRIMMED = Settings(policy="all", pruner="fifo", budget=150)
"""Under these the first questions of an app are dropped after a few."""
SECONDS = 20  # to write a line, on a machine busy with other things


@dataclass(eq=False)
class App:
    """An app that asks about ferries, through a proxy that trims its requests and records them."""

    recorder: Recorder
    store: NotedState
    name: str
    settings: Settings
    mode: str = "trim"
    model: str = "gpt-5.5"
    messages: list[dict[str, Any]] = field(default_factory=list)
    trimmers: dict[str, Trimmer] = field(default_factory=dict)

    def ask(self, question: str = "", *, cached: int = 0, **changes: Any) -> None:
        """Ask and get an answer, on record when this returns."""
        number = 1 + sum(message["role"] == "user" for message in self.messages)
        said = question or f"Ferry {number} to the island: when does it leave, and from which pier? I am {self.name}."
        self.messages.append({"role": "user", "content": said})
        answer = {"role": "assistant", "content": f"Ferry {number} leaves at {number}:30 from pier {number * 7}."}
        self.request(answer, cached=cached, **changes)

    def request(self, answer: dict[str, Any], *, cached: int = 0, **changes: Any) -> None:
        """Send what was said so far and get this answer, on record when this returns."""
        body = {"model": self.model, "messages": [dict(message) for message in self.messages]}
        trimmer = self.trimmers.setdefault(self.settings.key, Trimmer(self.settings, store=self.store))
        with self.store.note_state() as state:
            decided = trimmer.decide(body)
        details = {"prompt_tokens_details": {"cached_tokens": cached}}
        usage = {"prompt_tokens": max(cached, decided.plan.tokens), "completion_tokens": 20, **details}
        response = {"id": "x", "object": "chat.completion", "model": self.model, "choices": [{"message": answer}]}
        self.messages.append(answer)
        exchange = {
            "chat": decided.chat,
            "response": {**response, "usage": usage},
            "status": 200,
            "app": self.name,
            "mode": self.mode,
            "settings": settings_fields(self.settings),
            "plan": plan_fields(decided.plan),
            "live_plan": decided.plan,
            "state": dict(state),
            **changes,
        }
        now = time()
        times = {"started": line_time(now), "ended": line_time(now + 0.2)}
        assert self.recorder.record(Exchange(api="chat_completions", body=body, **times, **exchange), SECONDS)


@dataclass(eq=False)
class Proxy:
    """What stands in for a proxy: it notes its start and hands out apps."""

    recorder: Recorder
    store: NotedState

    def starts(self, settings: Settings = TRIMMED, mode: str = "trim", file: Path | None = None) -> None:
        """Note under which settings requests are sent from now on."""
        about = {"mode": mode, "settings": settings_fields(settings), "upstream": "https://models.example"}
        assert self.recorder.note("proxy", timeout=SECONDS, settings_file=str(file) if file else None, **about)

    def app(self, name: str = "ferry-bot", settings: Settings = TRIMMED, **more: Any) -> App:
        return App(self.recorder, self.store, name, settings, **more)


@contextmanager
def recording(place: Path) -> Iterator[Proxy]:
    """A proxy that records there."""
    store = open_recording(place)
    recorder = Recorder(store)
    try:
        yield Proxy(recorder, NotedState(store))
    finally:
        recorder.close()
        store.close()
