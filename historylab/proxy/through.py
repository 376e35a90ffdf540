"""The work that the proxy does on each request, for a wrapped client: without a server."""

from __future__ import annotations

from typing import Any

from historylab.proxy.app import UNFILTERED
from historylab.proxy.deciding import RequestHead, Trimmers, decide
from historylab.proxy.patience import PatientStore
from historylab.proxy.pending import PendingExchange
from historylab.proxy.refusals import Refused
from historylab.proxy.routes import Route, route_of
from historylab.recordings.noted_state import NotedState
from historylab.recordings.recorder import Recorder
from historylab.settings.model import Settings
from historylab.stores.base import Store


class Through:
    """Decides the requests of one client, under the same settings and on the same record."""

    def __init__(self, settings: Settings, store: Store, recorder: Recorder | None):
        self._store, self._recorder = PatientStore(store), recorder
        self._trimmers = Trimmers(settings, NotedState(self._store, recorder.redaction if recorder else None))

    def is_trimmed(self, request: Any) -> bool:
        """Tell whether it is of an API that is trimmed. Raises Refused for what may not leave as it came."""
        route = _route(request)
        if route is not None and route.form:
            return True
        if self._trimmers.guarded and (route is None or route.may_carry_text(request.method)):
            raise Refused(422, UNFILTERED, "unfiltered")
        return False

    def decide(self, request: Any, content: bytes) -> PendingExchange:
        """The decision about a request with that content. Raises Refused."""
        route = _route(request)
        assert route is not None
        head = RequestHead(route, [(name.lower(), value) for name, value in request.headers.raw], request.url.query)
        exchange = head.open_exchange("trim", self._recorder)
        decide(self._trimmers, exchange, content, head.encoded, applied=True)
        head.complete(exchange, self._recorder, self._store)
        return PendingExchange(exchange, self._recorder, store=self._store)

    def close(self) -> None:
        if self._recorder is not None:
            self._recorder.close()
        self._store.close()


def _route(request: Any) -> Route | None:
    path = request.url.raw_path.partition(b"?")[0]
    return route_of(request.method, path, request.headers.get("user-agent", ""))
