"""An exchange in progress: its request is passed on, its answer is added as it arrives, and it is recorded once."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterator

from historylab.conversation.exchange import Exchange
from historylab.proxy.answers import FINISHES, RelayedAnswer
from historylab.proxy.deciding import SHAPE, STORE, log_fault
from historylab.proxy.headers import sketch_header
from historylab.proxy.patience import PatientStore
from historylab.recordings.exchange import line_time, new_id
from historylab.recordings.recorder import Recorder

LARGE = 50_000
"""Bytes of an answer that is put together in a thread."""
HUNG_UP, STOPPED = "the client hung up", "the proxy was stopped"
ENCODED = "the answer came compressed"
LIKELY = "likely"
"""Unrecorded, as far as can be told."""
BROKEN, UNFINISHED = "the upstream broke the connection off", "the answer has no end"


class PendingExchange:
    """An exchange whose request was decided; takes its answer as it arrives and is recorded once, if at all.

    `store` is where it is recorded; `doubtful`: the last record failed. `streams`: its answer comes in pieces, whatever
    its type says. `tell` is called with why it isn't on record, empty if it is, and how much was left out as secret,
    before the last piece of its answer is passed on.
    """

    def __init__(
        self,
        exchange: Exchange,
        recorder: Recorder | None = None,
        *,
        store: PatientStore,
        doubtful: bool = False,
        streams: bool = False,
        tell: Callable[[str, int], None] = lambda unrecorded, redacted: None,
    ):
        self.exchange, self._store, self._recorder = exchange, store, recorder
        self.streams, self._doubtful, self._tell = streams, doubtful, tell
        self._began, self._clock = time.time(), time.perf_counter()
        exchange.id = new_id()
        self._answer: RelayedAnswer | None = None
        self._encoded = False
        self.writing: asyncio.Task[None] | None = None
        self.unrecorded = "" if recorder is None or exchange.body else SHAPE
        self.to_record = recorder is not None and not self.unrecorded

    def headers(self) -> list[tuple[bytes, bytes]]:
        """The headers of its answer that are ours, as far as they are known: numbers and letters, no text of it."""
        return [(f"historylab-{name}".encode(), value.encode("ascii")) for name, value in self._fields()]

    def _fields(self) -> Iterator[tuple[str, str]]:
        exchange = self.exchange
        yield "request", exchange.id
        yield "mode", exchange.mode
        if exchange.untrimmed:
            yield "untrimmed", exchange.untrimmed
        elif exchange.stale:
            yield "state", "stale"
        if plan := exchange.plan:
            yield "tokens", f"sent={plan['tokens']} before={plan['before']} budget={plan['budget']}"
            yield "decisions", sketch_header(plan["decisions"])
            if pinned := plan.get("agent_context"):
                yield "pinned", f"agent_context={pinned}"
        if exchange.moved:
            yield "moved", f"system={exchange.moved}"
        if self.unrecorded or (self.to_record and self._doubtful):
            yield "unrecorded", self.unrecorded or LIKELY

    def begin_answer(self, status: int, streamed: bool, encoded: bool) -> None:
        """Take the beginning of its answer; one that is `encoded`, though it was asked for plain, isn't read."""
        self.exchange.status, self._encoded = status, encoded
        self._answer = None if encoded else RelayedAnswer(self.exchange.api, streamed)

    def add(self, piece: bytes) -> bool:
        """Take the next piece of the answer. Returns whether it brings the last event of a stream, or may."""
        if self._answer is None:
            return False
        try:
            return self._answer.add(piece)
        except Exception as problem:
            log_fault("An answer can't be read", problem)
            self._answer = None
            return False

    def comment(self, piece: bytes = b"") -> bytes:
        """The last piece of a stream with a comment before its last event, if what the headers couldn't say is so.

        Comments are part of event streams, and clients of these APIs pass over them.
        """
        if self._answer is None or not self._answer.streamed or self.unrecorded in ("", SHAPE):
            return piece
        return self._answer.with_comment(piece, f"historylab-unrecorded: {self.unrecorded}")

    @property
    def ends_with_body(self) -> bool:
        """True if the last event of a stream is the one after which none comes."""
        return self.exchange.api in FINISHES

    @property
    def has_no_end(self) -> bool:
        """True while the end of a stream is missing."""
        return self._answer is not None and not self._answer.is_whole()

    async def record(self, error: str = "") -> None:
        """Have it written, once; it is written even if the client leaves meanwhile."""
        if self.to_record and self._recorder is not None:
            self.to_record = False
            self.writing = asyncio.ensure_future(self._write(self._recorder, error))
            await asyncio.shield(self.writing)

    def record_now(self, error: str = "") -> None:
        """`record` without an event loop."""
        if self.to_record and self._recorder is not None:
            self.to_record = False
            written: bool | None = False
            try:
                self._finish(error)
                left, began = self._store.patience_left(self.exchange.waited), time.perf_counter()
                written = self._recorder.record(self.exchange, left)
                self._give_up_after(began + left, written)
            except Exception as problem:
                log_fault("A request can't be recorded", problem)
            self._note_outcome(written)

    def _give_up_after(self, deadline: float, written: bool | None) -> None:
        if not written and time.perf_counter() >= deadline:
            self._store.give_up()

    async def _write(self, recorder: Recorder, error: str) -> None:
        written: bool | None = False
        try:
            large = self._answer is not None and self._answer.size > LARGE
            await asyncio.to_thread(self._finish, error) if large else self._finish(error)
            left, began = self._store.patience_left(self.exchange.waited), time.perf_counter()
            written = await recorder.arecord(self.exchange, left)
            self._give_up_after(began + left, written)
        except Exception as problem:
            log_fault("A request can't be recorded", problem)
        self._note_outcome(written)

    def _note_outcome(self, written: bool | None) -> None:
        self.unrecorded = "" if written else LIKELY if written is None else STORE
        self._tell(self.unrecorded, self.exchange.redacted)

    def _finish(self, error: str) -> None:
        """Fill in what came of the answer."""
        response = self._answer.body() if self._answer is not None else None
        self.exchange.response = response if isinstance(response, dict) else {}
        self.exchange.error = error or (UNFINISHED if self.has_no_end else "") or (ENCODED if self._encoded else "")
        self.exchange.started = line_time(self._began)
        self.exchange.ended = line_time(self._began + time.perf_counter() - self._clock)
