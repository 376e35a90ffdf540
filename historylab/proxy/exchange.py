"""One request of a known API and its answer: what headers say of it, and what a recording keeps."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from historylab.formats.requests import FORMS
from historylab.proxy.answers import Answer
from historylab.proxy.deciding import SHAPE, STORE, Decided, log_fault
from historylab.recordings.exchange import Exchange, new_id
from historylab.recordings.recorder import Recorder

LARGE = 50_000
"""Bytes of an answer that is put together in a thread."""
HUNG_UP, STOPPED = "the client hung up", "the proxy was stopped"
ENCODED = "the answer came compressed"
BROKEN, UNFINISHED = "the upstream broke the connection off", "the answer has no end"


class Passing:
    """A request on its way, and its answer as far as it is there; they are recorded once, if at all.

    `secrets` are keys that stand in no record, whatever repeats them; `doubtful`: the last record failed.
    """

    def __init__(
        self,
        decided: Decided,
        form: str,
        app: str,
        mode: str,
        recorder: Recorder | None = None,
        secrets: Sequence[str] = (),
        *,
        doubtful: bool = False,
    ):
        self.decided, self._form, self._app, self._mode, self._secrets = decided, form, app, mode, secrets
        self._recorder, self._doubtful = recorder, doubtful
        self._id, self._started, self._clock = new_id(), time.time(), time.perf_counter()
        self._answer: Answer | None = None
        self._request = _listed(decided.body, FORMS[form].field)
        self._status, self._encoded = 0, False
        self.writing: asyncio.Task[None] | None = None
        self.unrecorded = "" if recorder is None or self._request else SHAPE
        self.to_record = recorder is not None and not self.unrecorded

    def headers(self) -> list[tuple[bytes, bytes]]:
        """What the headers of its answer say, as far as it is known by then: numbers and letters, no text of it."""
        return [(f"historylab-{name}".encode(), value.encode("ascii")) for name, value in self._said()]

    def _said(self) -> Iterator[tuple[str, str]]:
        yield "request", self._id
        yield "mode", self._mode
        if self.decided.untrimmed:
            yield "untrimmed", self.decided.untrimmed
        if self.decided.decision is not None:
            yield "tokens", self.decided.tokens
            yield "decisions", self.decided.sketch
        if self.unrecorded or (self.to_record and self._doubtful):
            yield "unrecorded", self.unrecorded or "likely"

    def begins(self, status: int, streamed: bool, encoded: bool) -> None:
        """Its answer begins; one that is `encoded`, though it was asked for plain, isn't read."""
        self._status, self._encoded = status, encoded
        self._answer = None if encoded else Answer(self._form, streamed)

    def add(self, piece: bytes) -> bool:
        """Take the next piece of the answer. Returns whether it brings the last event of a stream."""
        if self._answer is None:
            return False
        try:
            return self._answer.add(piece)
        except Exception as problem:
            log_fault("An answer can't be read", problem)
            self._answer = None
            return False

    @property
    def has_no_end(self) -> bool:
        """Whether what came of a stream isn't all of it."""
        return self._answer is not None and not self._answer.is_whole()

    async def record(self, error: str = "") -> None:
        """Have it written, unless that was done; a client that leaves meanwhile takes no line along."""
        if self.to_record and self._recorder is not None:
            self.to_record = False
            self.writing = asyncio.ensure_future(self._write(self._recorder, error))
            await asyncio.shield(self.writing)

    async def _write(self, recorder: Recorder, error: str) -> None:
        written = False
        try:
            large = self._answer is not None and self._answer.size > LARGE
            exchange = await asyncio.to_thread(self._exchange, error) if large else self._exchange(error)
            written = await recorder.arecord(exchange)
        except Exception as problem:
            log_fault("A request can't be recorded", problem)
        self.unrecorded = "" if written else STORE

    def _exchange(self, error: str) -> Exchange:
        decided = self.decided
        response = self._answer.body() if self._answer is not None else None
        error = error or (UNFINISHED if self.has_no_end else "") or (ENCODED if self._encoded else "")
        return Exchange(
            self._form,
            self._request,
            self._started,
            time.perf_counter() - self._clock,
            chat=decided.decision.chat if decided.decision else None,
            response=response if isinstance(response, dict) else None,
            status=self._status,
            error=error,
            app=self._app,
            mode=self._mode,
            settings=decided.settings,
            plan=decided.decision.plan if decided.decision else None,
            untrimmed=decided.untrimmed,
            state=decided.state,
            secrets=self._secrets,
            id=self._id,
        )


def _listed(body: Mapping[str, Any] | None, field: str) -> Mapping[str, Any]:
    """A body with a list of items, as a text alone stands for a user's; empty if it has none, and can't be recorded."""
    held = body.get(field) if body is not None else None
    if isinstance(held, str) and field == "input":
        return {**(body or {}), field: [{"role": "user", "content": held}]}
    return body if body is not None and isinstance(held, list) else {}
