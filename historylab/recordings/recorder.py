"""`Recorder`: writes what an app sent and was answered into a store, beside the requests and never in their way.

    recorder = Recorder(open_recording("recordings"))
    recorder.record(Exchange(api="chat_completions", body=body, started=…, ended=…, chat=decision.chat, …))

One thread writes, all that waits at once. What `record` says is recorded is on disk, and what it says is unrecorded is
never written; where the store is being asked just then, it says that it can't tell. Where the store fails, is slow or
too much waits, an exchange passes unrecorded: that is counted, logged once per cause until recording goes on, and never
raised. In which conversation an answer was given is stored before it is acknowledged: what continues it may reach
another worker at once.
"""

from __future__ import annotations

import asyncio
import logging
import queue
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from historylab.conversation.exchange import Exchange
from historylab.errors import HistoryLabError, StoreLost
from historylab.recordings.chain_writer import ChainWriter, NewLine
from historylab.recordings.exchange import make_line
from historylab.recordings.owners import Owners
from historylab.secrets.redaction import Redaction
from historylab.stores.base import Record, Store

log = logging.getLogger("historylab.recordings")

KEEP_DAYS = 30
PATIENCE = 1.0
"""Seconds that an exchange waits to be recorded."""
MOST_WAITING = 256
AT_ONCE = 64
"""Exchanges that are written in one transaction, at most."""
SECONDS_BETWEEN_DELETIONS = 3600.0
MOST_CAUSES = 100
SLOW, FULL = "the store is too slow", "too many exchanges wait for the store"
UNSURE = "the store is too slow, and may have it all the same"


@dataclass(slots=True, eq=False)
class _Waiting:
    """An exchange or another line to be written; `done` says whether it got to disk, once that is known."""

    what: Exchange | Record | None
    done: Future[bool | None] = field(default_factory=Future)


class Recorder:
    """Records exchanges and other lines. Safe under threads; `close()` it when done, and the store after it.

    `redact` are regular expressions beside those that find keys. Conversations whose newest record is `keep_days` old
    are deleted, at the start and every hour, with state of that age; None keeps all.
    """

    def __init__(
        self,
        store: Store,
        *,
        redact: Iterable[str] = (),
        keep_days: float | None = KEEP_DAYS,
        owners: Owners | None = None,
    ):
        self.unrecorded, self.owners = 0, owners or Owners()
        self._store, self._keep_days = store, keep_days
        self.redaction = Redaction(redact)
        self._chains = ChainWriter(store, self.redaction)
        self._queue: queue.Queue[_Waiting | None] = queue.Queue(MOST_WAITING)
        self._lock = threading.RLock()
        self._closed = False
        self._causes: set[str] = set()
        self._failing: set[str] = set()
        self._delete_at = 0.0
        self._thread = threading.Thread(target=self._write_all, name="historylab recorder", daemon=True)
        self._thread.start()

    @property
    def waiting(self) -> int:
        """The number of exchanges and lines that wait to be written."""
        return self._queue.qsize()

    def record(self, exchange: Exchange, timeout: float = PATIENCE) -> bool | None:
        """Write the exchange, waiting at most `timeout` seconds. Returns whether it is on disk; None: it may be."""
        return self._finish(self._begin(exchange), timeout)

    async def arecord(self, exchange: Exchange, timeout: float = PATIENCE) -> bool | None:
        """`record` for event loops."""
        waiting = self._begin(exchange)
        if waiting is None:
            return False
        done, _ = await asyncio.wait((asyncio.wrap_future(waiting.done),), timeout=timeout)
        return waiting.done.result() if done else self._gave_up(waiting)

    def note(self, kind: str, conversation: str = "", timeout: float = PATIENCE, **fields: Any) -> bool | None:
        """Write a line of another kind (`proxy`, `tags`, …). Returns whether it is on disk; None: it may be."""
        try:
            text = make_line(kind, **fields)
        except HistoryLabError as problem:
            self._count_unrecorded(str(problem))
            return False
        return self._finish(self._begin(Record(conversation, time.time(), text)), timeout)

    def close(self, timeout: float = 5.0) -> None:
        """Write what waits, and end; what comes later is unrecorded."""
        with self._lock:
            closed, self._closed = self._closed, True
        if not closed:
            with suppress(queue.Full):
                self._queue.put(None, timeout=timeout)
            self._thread.join(timeout)

    def _begin(self, what: Exchange | Record) -> _Waiting | None:
        """Put it in the queue; None if there is no room."""
        waiting = _Waiting(what)
        with self._lock:
            if self._closed:
                self._count_unrecorded("the recorder is closed")
                return None
            try:
                self._queue.put_nowait(waiting)
            except queue.Full:
                self._count_unrecorded(FULL)
                return None
        return waiting

    def _finish(self, waiting: _Waiting | None, timeout: float) -> bool | None:
        if waiting is None:
            return False
        with suppress(TimeoutError):
            return waiting.done.result(timeout)
        return self._gave_up(waiting)

    def _gave_up(self, waiting: _Waiting) -> bool | None:
        """Have it not written any more, or say that this can't be told: the store is being asked."""
        if waiting.done.cancel():
            waiting.what = None  # it may stay queued for long, and its messages are large
            self._count_unrecorded(SLOW)
            return False
        if waiting.done.done():  # just now
            return waiting.done.result()
        self._count_unrecorded(UNSURE)
        return None

    def _count_unrecorded(self, cause: str) -> None:
        with self._lock:
            self.unrecorded += 1
            new = cause not in self._causes and len(self._causes) < MOST_CAUSES
            self._causes |= {cause} if new else set()
        if new:
            log.warning("a request passed unrecorded: %s (others for this cause are counted)", cause)

    def _note_recovery(self) -> None:
        """Say that recording goes on, after causes for which it didn't; they are news again."""
        with self._lock:
            failed, self._causes = self._causes, set()
        if failed:
            log.warning("recording goes on; %d requests passed unrecorded so far", self.unrecorded)

    # -- the writing thread

    def _write_all(self) -> None:
        while True:
            self._delete_old()
            batch = self._next_batch()
            if batch is None:
                return
            self._write([waiting for waiting in batch if waiting.done.set_running_or_notify_cancel()])

    def _next_batch(self) -> list[_Waiting] | None:
        """All that waits; None at the end."""
        batch: list[_Waiting] = []
        try:
            found = self._queue.get(timeout=SECONDS_BETWEEN_DELETIONS)
            while found is not None:
                batch.append(found)
                if len(batch) == AT_ONCE:
                    return batch
                found = self._queue.get_nowait()
        except queue.Empty:
            return batch
        if batch:
            self._queue.put(None)  # the end, once these are written
        return batch or None

    def _write(self, batch: Sequence[_Waiting]) -> None:
        made: list[tuple[_Waiting, NewLine]] = []
        for waiting in batch:
            try:
                made.append((waiting, self._line_of(waiting.what)))
            except Exception as problem:
                self._fail([waiting], problem)
        if not made:
            return
        lines = [line for _, line in made]
        found_by = {key: conversation for line in lines for key, conversation in line.found_by.items()}
        try:
            last = self._store.append_records([line.record for line in lines], found_by)
            if self._chains.is_replaced():
                self._chains.forget_all()
                raise StoreLost("the recording was replaced while it was written to")
        except Exception as problem:
            self._fail([waiting for waiting, _ in made], problem)
            return
        self._chains.note_written(lines, last - len(made), last)
        self._try("which conversations were answered alike is not known after a restart", self._note_alike, found_by)
        self._note_recovery()
        for waiting, _ in made:
            waiting.done.set_result(True)

    def _line_of(self, what: Exchange | Record | None) -> NewLine:
        assert what is not None
        return self._chains.record(what) if isinstance(what, Exchange) else NewLine(what, {})

    def _note_alike(self, found_by: dict[str, str]) -> None:
        """Store which of these answers were given in another conversation as well."""
        if found_by and (again := self._chains.note_found(found_by, self._store.read_state(found_by))):
            self._store.write_states(again)

    def _fail(self, batch: Sequence[_Waiting], problem: Exception) -> None:
        for waiting in batch:
            if isinstance(waiting.what, Exchange):
                self._chains.forget(waiting.what)
            cause = str(problem) if isinstance(problem, HistoryLabError) else f"{type(problem).__name__}: {problem}"
            self._count_unrecorded(cause)
            waiting.done.set_result(None if isinstance(problem, StoreLost) else False)

    def _delete_old(self) -> None:
        if self._keep_days is None or time.monotonic() < self._delete_at:
            return
        self._delete_at = time.monotonic() + SECONDS_BETWEEN_DELETIONS
        for delete in (self._store.delete_records, self._store.delete_state):
            self._try("old records were not deleted", delete, 86_400 * self._keep_days)

    def _try(self, otherwise: str, work: Callable[..., object], *arguments: object) -> None:
        """Do what no request waits for; that it fails is said once, until it is done again."""
        try:
            work(*arguments)
            self._failing.discard(otherwise)
        except Exception as problem:
            if otherwise not in self._failing:
                log.warning("%s: %s", otherwise, problem)
            self._failing.add(otherwise)
