"""The proxy as an ASGI app: each request is decided, passed on, and its answer passed back as it comes."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Collection, Coroutine, Iterator, Sequence
from typing import Any

from starlette.datastructures import Headers
from starlette.responses import JSONResponse, Response
from starlette.types import Receive, Scope, Send
from starlette.websockets import WebSocketClose

from historylab._version import __version__
from historylab.proxy.bodies import LARGEST, ClientGone, read_body, until_gone
from historylab.proxy.callers import check_caller
from historylab.proxy.counts import Counts
from historylab.proxy.deciding import FAULT, SENTENCES, RequestHead, log_fault
from historylab.proxy.patience import PatientStore
from historylab.proxy.pending import HUNG_UP, STOPPED, PendingExchange
from historylab.proxy.refusals import Refused, refusal
from historylab.proxy.relay import UpstreamRequest, relay
from historylab.proxy.routes import Route, is_base, route_of
from historylab.proxy.trimming import Trimming
from historylab.proxy.upstream import Upstream
from historylab.recordings.exchange import line_time
from historylab.recordings.recorder import Recorder
from historylab.stores.base import open_store

log = logging.getLogger("historylab.proxy")

HEALTH, METRICS = b"/historylab/health", b"/metrics"
POLICY_VIOLATION = 1008
SECONDS_TO_RECORD = 5
"""How long what was under way at the end may take to be recorded."""
NO_WAY = "only paths below /v1 are passed on, with at most an app's name before it, and those that end as an API's do"
WITHOUT_STORE = "Until it does, requests are sent under the summaries that are known here, or untrimmed."
UNFILTERED = "a filter or projection is set, which can't be applied to what is asked for here"


class Proxy:
    """An ASGI app. `names`: those it may be asked by, any if empty; `tokens`: of which a request must bring one.

    `store` has the summaries and records; it is closed at the end, when nothing is under way any more.
    """

    def __init__(
        self,
        upstream: Upstream,
        trimming: Trimming,
        recorder: Recorder | None = None,
        *,
        names: Collection[str] = (),
        tokens: Sequence[str] = (),
        largest: int = LARGEST,
        store: PatientStore | None = None,
    ):
        self.upstream, self.trimming, self.recorder, self.counts = upstream, trimming, recorder, Counts()
        self._names, self._tokens, self._largest = names, tokens, largest
        self.store = store or PatientStore(open_store("memory://"))
        self._later = set[asyncio.Task[Any]]()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            await self._answer(scope, receive, send)
        elif scope["type"] == "websocket":
            await WebSocketClose(POLICY_VIOLATION)(scope, receive, send)
        else:
            await self._live(receive, send)

    async def _live(self, receive: Receive, send: Send) -> None:
        """The lifespan of the server."""
        await receive()
        await self.trimming.warm_up()
        await send({"type": "lifespan.startup.complete"})
        await receive()
        await self._close()
        await send({"type": "lifespan.shutdown.complete"})

    async def _close(self) -> None:
        """Let go of connections and threads, once what was under way is recorded."""
        await asyncio.sleep(0)  # so that requests that were cancelled get there
        if self._later:
            await asyncio.wait(self._later, timeout=SECONDS_TO_RECORD)
        await self.upstream.close()
        self.trimming.close()
        if self.recorder is not None:
            await asyncio.to_thread(self.recorder.close)
        self.store.close()

    def health(self) -> dict[str, Any]:
        """What the health answer says."""
        file = self.trimming.settings
        said = {"path": str(file.path) if file.path else None, "problem": file.problem}
        return {
            "version": __version__,
            "mode": self.trimming.mode,
            "settings_file": said,
            "records": self.recorder is not None,
            "counts": self.counts.as_json(),
            "problems": [*self._problems()],
        }

    def _problems(self) -> Iterator[str]:
        """A sentence for each thing that is wrong now."""
        if problem := self.trimming.settings.problem:
            yield f"The settings stay as they were: {problem}"
        if since := self.store.away_since:
            yield f"The store hasn't answered in time since {line_time(since)}: see what holds it. {WITHOUT_STORE}"
        if since := self.counts.unrecorded_since:
            yield f"Requests have passed unrecorded since {line_time(since)}."

    def _own_answer(self, method: str, path: bytes) -> Response | None:
        """The proxy's answer about itself, where it is asked for that."""
        if method != "GET" or path not in (HEALTH, METRICS):
            return None
        if path == HEALTH:
            return JSONResponse(self.health())
        from historylab.proxy.metrics import CONTENT_TYPE, metrics_text

        return Response(metrics_text(self.counts, self.store), media_type=CONTENT_TYPE)

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        provider, method, headers = "openai", scope["method"], Headers(scope=scope)
        try:
            check_caller(headers, self._names, self._tokens)
            if own := self._own_answer(method, scope["raw_path"]):
                await own(scope, receive, send)
                return
            if is_base(method, scope["raw_path"]):  # some clients ask once whether anything is there
                await Response(status_code=204)(scope, receive, send)
                return
            self.counts.requests += 1
            route = route_of(method, scope["raw_path"], headers.get("user-agent", ""))
            if route is None:
                raise Refused(404, NO_WAY, "path")
            provider = route.provider
            if await self.trimming.guards() and route.may_carry_text(method):
                raise Refused(422, UNFILTERED, "unfiltered")
            body = await read_body(receive, headers.get("content-length"), self._largest)
            await self._unless_gone(self._pass(route, scope, body, send), receive)
        except Refused as refused:
            self.counts.refused[refused.code] += 1
            await refusal(refused, provider)(scope, receive, send)
        except ClientGone:
            self.counts.cancelled += 1
        except Exception as problem:
            log_fault("A request failed by a mistake of HistoryLab's", problem)
            raise

    async def _unless_gone(self, work: Coroutine[Any, Any, None], receive: Receive) -> None:
        """Work on a request until it is answered or its client is gone, which ends what is asked of the upstream."""
        task, gone = asyncio.ensure_future(work), asyncio.ensure_future(until_gone(receive))
        try:
            await asyncio.wait((task, gone), return_when=asyncio.FIRST_COMPLETED)
        finally:
            gone.cancel()
            hung_up = not task.done() and task.cancel(HUNG_UP if gone.done() else STOPPED)
        if hung_up:
            await asyncio.gather(task, return_exceptions=True)
            raise ClientGone
        await task

    async def _pass(self, route: Route, scope: Scope, body: bytes, send: Send) -> None:
        pending = await self._decide(route, scope, body) if route.form else None
        content = pending.exchange.sent if pending is not None else body
        try:
            request = UpstreamRequest(scope["method"], route.path, scope["query_string"], scope["headers"], content)
            await relay(self.upstream, request, pending, send, self.counts.count_answer)
        except asyncio.CancelledError as ended:
            self._record_later(pending, str(ended) or STOPPED)
            raise
        except Exception:
            self._record_later(pending, SENTENCES[FAULT])
            raise
        finally:
            self.counts.count_passed(pending)

    async def _decide(self, route: Route, scope: Scope, body: bytes) -> PendingExchange:
        head = RequestHead(route, scope["headers"], scope["query_string"])
        exchange = head.open_exchange(self.trimming.mode, self.recorder)
        began = time.perf_counter()
        try:
            await self.trimming.decide(exchange, body, head.encoded)
        finally:
            if exchange.because and self.counts.count_cause(exchange.because):
                log.warning("Requests like this one aren't trimmed, which is said once: %s", exchange.because)
        head.complete(exchange, self.recorder, self.store)
        self.counts.count_decision(exchange, body, self.trimming.applies, time.perf_counter() - began)
        return PendingExchange(
            exchange,
            self.recorder,
            store=self.store,
            doubtful=self.counts.store_fails,
            streams=route.streams,
            tell=self.counts.count_recorded,
        )

    def _record_later(self, pending: PendingExchange | None, error: str) -> None:
        """Have it recorded, though nobody waits for its answer any more."""
        if pending is None:
            return
        task = asyncio.ensure_future(pending.record(error)) if pending.to_record else pending.writing
        if task is not None:
            self._later.add(task)
            task.add_done_callback(self._later.discard)
