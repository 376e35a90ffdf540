"""One answer of the chat being made: the agent's events, taken in a thread that outlives the page's reruns."""

from __future__ import annotations

import logging
from collections.abc import Callable, Generator
from dataclasses import dataclass, field
from threading import Event as Signal
from threading import Thread
from time import monotonic

from historylab.agent.events import Event
from historylab.chat_models.base import ChatModel
from historylab.planning.plan import HistoryPlan
from historylab.settings.model import Settings

log = logging.getLogger("historylab")

PLANNING = "Planning the request"


@dataclass(eq=False)
class ChatRun:
    """The state of it. `take` is called in the thread with every event, and with None if a bug ended it.

    `text` is the answer so far, `doing` what happens now, `calling` the tool that runs; `steps` counts the messages
    that became part of the chat.
    """

    model: ChatModel
    settings: Settings
    who: str
    text: str = ""
    doing: str = PLANNING
    calling: str = ""
    plan: HistoryPlan | None = None
    steps: int = 0
    done: bool = False
    stopped: bool = False
    began: float = field(default_factory=monotonic)
    _changed: Signal = field(default_factory=Signal)

    def start(self, events: Generator[Event], take: Callable[[ChatRun, Event | None], None]) -> None:
        """Take all events in a thread."""
        Thread(target=self._work, args=(events, take), name="historylab-chat", daemon=True).start()

    def _work(self, events: Generator[Event], take: Callable[[ChatRun, Event | None], None]) -> None:
        try:
            for event in events:
                take(self, event)
                self._changed.set()
                if self.stopped:
                    break
        except Exception as bug:
            log.error("the chat's agent ended in %s", type(bug).__name__)  # its text may quote messages
            take(self, None)
        finally:
            events.close()  # which ends the request
            self.done = True
            self._changed.set()

    def end(self) -> None:
        """End it: the model's request too, which may wait for an answer in that thread."""
        self.stopped = self.done = True
        stop = getattr(self.model, "stop", None)
        if stop is not None:
            stop()
        self._changed.set()

    def wait(self, seconds: float) -> None:
        """Wait until something happened, at most so long."""
        self._changed.wait(seconds)
        self._changed.clear()

    @property
    def seconds(self) -> float:
        """How long it takes so far."""
        return monotonic() - self.began
