"""Replies of chat models by task: each is asked once, and a server that failed is not asked again for a minute."""

from __future__ import annotations

import hashlib
import json
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NoReturn

from historylab.chat_models.base import ChatModel, Reply
from historylab.errors import HistoryLabError, InstrumentError

MOST_REPLIES = 2_000
MOST_FAILURES = 500
FAILURE_LASTS = 60.0  # seconds


class ReplyCache:
    """Replies by key, least recently used evicted first; failures by key or for a whole model, kept for a while."""

    def __init__(self, most: int = MOST_REPLIES, clock: Callable[[], float] = time.monotonic):
        self._most, self._clock, self._lock = most, clock, threading.Lock()
        self._replies: OrderedDict[str, Reply] = OrderedDict()
        self._failures: OrderedDict[str, tuple[float, str]] = OrderedDict()  # until when, and the message

    def recall(self, key: str, model: str) -> Reply | None:
        """The reply to that task, None if there is none yet. Raises the InstrumentError of a recent failure."""
        with self._lock:
            if key in self._replies:
                self._replies.move_to_end(key)
                return self._replies[key]
            for failed in (key, model):
                until, message = self._failures.get(failed, (0.0, ""))
                if self._clock() < until:
                    raise InstrumentError(message)
        return None

    def keep(self, key: str, model: str, ask: Callable[[], Reply]) -> Reply:
        """The reply of `ask()`, kept under `key`; a failure too, for the whole model if the server is at fault."""
        try:
            reply = ask()
        except InstrumentError as problem:
            self._fail(key, FAILURE_LASTS, str(problem))
            self._fail(model, problem.pause, str(problem))
            raise
        with self._lock:
            self._replies[key] = reply
            while len(self._replies) > self._most:
                self._replies.popitem(last=False)
        return reply

    def forget(self) -> None:
        with self._lock:
            self._replies.clear()
            self._failures.clear()

    def _fail(self, key: str, seconds: float, message: str) -> None:
        with self._lock:
            self._failures.pop(key, None)
            self._failures[key] = self._clock() + seconds, message
            while len(self._failures) > MOST_FAILURES:
                self._failures.popitem(last=False)


class NotAsked(HistoryLabError):
    """The cache has no reply to this task."""


class CachedRepliesOnly:
    """A chat model that answers from the cache alone, for a replay without model calls; else it raises NotAsked."""

    def __init__(self, chat_model: ChatModel):
        self.name, self.key = chat_model.name, chat_model.key

    def complete(self, messages: Sequence[Mapping[str, Any]], **options: Any) -> NoReturn:
        raise NotAsked(f"{self.name} was not asked this before")

    stream = complete


REPLIES = ReplyCache()


def reply_key(*parts: Any) -> str:
    """A key for what JSON can say."""
    return hashlib.blake2b(json.dumps(parts, sort_keys=True).encode(), digest_size=16).hexdigest()
