"""The decision about a request: it is read, planned and rewritten, or passed on as it came where that fails.

A fault of ours costs no app its answer: the request then goes through untrimmed and says why. Where a filter or a
projection is set it is refused instead, as text that isn't meant for this agent must not leave.
"""

from __future__ import annotations

import json
import logging
import operator
import re
from collections.abc import Mapping
from functools import cache, cached_property
from typing import Any, NamedTuple

import jiter
from pydantic_core import PydanticSerializationError, to_json
from starlette.datastructures import Headers

from historylab.conversation.exchange import Exchange
from historylab.errors import HistoryLabError, InstrumentError, LoadError, NothingToSend, StoreError
from historylab.formats.requests import FORMS
from historylab.formats.requests.purpose import purpose_of
from historylab.proxy.headers import RawHeaders, credentials_in, secrets_in
from historylab.proxy.patience import PatientStore, one_request
from historylab.proxy.refusals import Refused
from historylab.proxy.routes import Route
from historylab.recordings.exchange import plan_fields, settings_fields
from historylab.recordings.noted_state import NotedState
from historylab.recordings.recorder import Recorder
from historylab.settings.effect import CUTS_OFF
from historylab.settings.model import Settings
from historylab.trimming.trimmer import Trimmer

log = logging.getLogger("historylab.proxy")

UNREADABLE, SHAPE, EMPTY, STORE, SUMMARY, FAULT = "unreadable", "shape", "empty", "store", "summary", "fault"
"""Reasons not to trim a request: no JSON object, no known messages, none left, the store, a model, our mistake."""
CAUSES: tuple[tuple[type[Exception], str], ...] = (
    (LoadError, SHAPE),
    (NothingToSend, EMPTY),
    (StoreError, STORE),
    (InstrumentError, SUMMARY),
)
SENTENCES = {
    UNREADABLE: "the body can't be read as a JSON object",
    SHAPE: "the body's messages can't be read",
    EMPTY: "the settings leave no message to be sent",
    STORE: "the store fails",
    SUMMARY: "the summary can't be written",
    FAULT: "this is a mistake of HistoryLab's",
}
PLACE = re.compile(r"^message \d+ of those given: ")
LONGEST = 300
"""Characters of a cause."""
GUARDED = ", and a filter or projection is set, without which nothing may leave"


class Trimmers:
    """One Trimmer for each form of requests, all under the same settings and with the same store."""

    def __init__(self, settings: Settings, store: NotedState):
        self.settings, self.store = settings_fields(settings), store
        self.guarded = settings.filter != "off" or settings.projection != "off"
        self.of = cache(lambda form: Trimmer(settings, store=store, format=form))
        self.said: set[str] = set()  # why requests weren't trimmed since the store was last well
        self._uncut = settings.replace(**CUTS_OFF)

    @cached_property
    def uncut(self) -> Trimmers:
        """The same filter and projection, and nothing cut."""
        return Trimmers(self._uncut, self.store)


class RequestHead(NamedTuple):
    """A request but for its body."""

    route: Route
    headers: RawHeaders
    query: bytes

    @property
    def encoded(self) -> bool:
        """Tell whether the body is compressed."""
        return any(name == b"content-encoding" and value != b"identity" for name, value in self.headers)

    def open_exchange(self, mode: str, recorder: Recorder | None) -> Exchange:
        """The exchange to decide, with the keys that a record must not have."""
        secrets = secrets_in(self.headers, self.query) if recorder is not None else ()
        return Exchange(app=self.route.app, api=self.route.form, mode=mode, secrets=secrets)

    def complete(self, exchange: Exchange, recorder: Recorder | None, store: PatientStore) -> None:
        """Fill in what is known once it is decided: the model of its path, its owner, whether its summary is stale."""
        if self.route.model and exchange.body:
            exchange.body = {"model": self.route.model, **exchange.body}
        if recorder is not None:
            credentials, named = credentials_in(self.headers, self.query), Headers(raw=list(self.headers)).items()
            exchange.owner = recorder.owners.owner_of(credentials, named, exchange.body)
        summarised = exchange.live_plan is not None and exchange.live_plan.summary is not None
        exchange.stale |= summarised and store.away_since > 0


def decide(trimmers: Trimmers, exchange: Exchange, content: bytes, encoded: bool, *, applied: bool) -> None:
    """Decide about a body of the exchange's API, and fill in the decision and the body to send.

    `encoded`: the body is compressed; `applied`: the decision takes effect and is not only watched. No summary that
    repeats one of the exchange's secrets is kept in the store. A client's own compaction or title is asked for whole,
    filtered if need be. Raises Refused where the body may not leave as it came. What can't be read is said by the
    exchange alone, as every request of an app may be so.
    """
    exchange.settings, exchange.sent = trimmers.settings, content
    body: Mapping[str, Any] | None = None
    try:
        body = None if encoded else parse_body(content)
        if body is None:
            raise LoadError("it is compressed" if encoded else "it is no JSON object, or has a name twice")
        field = FORMS[exchange.api].field
        exchange.body = with_list(body, field)
        if purpose := purpose_of(exchange.body, FORMS[exchange.api]):
            exchange.untrimmed = purpose
            if not (applied and trimmers.guarded):
                return
            trimmers = trimmers.uncut
            exchange.settings = trimmers.settings
        with one_request(exchange), trimmers.store.note_state(exchange.secrets) as state:
            decision = trimmers.of(exchange.api).decide(body)
        plan = plan_fields(decision.plan)
        if applied and not is_unchanged(body, decision.sent, field):
            exchange.sent = write_body(decision.sent)
        exchange.plan, exchange.live_plan, exchange.state = plan, decision.plan, state
        exchange.body = {**exchange.body, field: decision.items}  # what came before is held once, and known by identity
        exchange.chat = None if purpose else decision.chat  # what is beside a chat doesn't go on from it
        exchange.moved = decision.moved
        if state and not exchange.stale:
            trimmers.said.clear()
        return
    except Exception as problem:
        why = UNREADABLE if body is None else next((w for kind, w in CAUSES if isinstance(problem, kind)), FAULT)
        if isinstance(problem, LoadError | NothingToSend):
            exchange.because = PLACE.sub("a message: ", f"{problem}")[:LONGEST]
        else:
            _log(why, problem, trimmers.said)
    if applied and trimmers.guarded:
        raise Refused(500 if why == FAULT else 422, SENTENCES[why] + GUARDED, why)
    exchange.untrimmed = why


def with_list(body: Mapping[str, Any], field: str) -> Mapping[str, Any]:
    """A body with a list of items; empty if it has none, and can't be recorded.

    A text alone stands for a user's, one content for a list of it.
    """
    held = body.get(field)
    if isinstance(held, str) and field == "input":
        return {**body, field: [{"role": "user", "content": held}]}
    if isinstance(held, dict) and field == "contents":
        return {**body, field: [held]}
    return body if isinstance(held, list) else {}


def is_unchanged(given: Mapping[str, Any], sent: Mapping[str, Any], field: str) -> bool:
    """True if a body is sent as it was given: all of the caller's own items, and the rest of it."""
    if sent.keys() != given.keys() or any(sent[name] != given[name] for name in given if name != field):
        return False
    before, after = given[field], sent[field]
    return len(before) == len(after) and all(map(operator.is_, before, after))


def parse_body(content: bytes) -> Mapping[str, Any] | None:
    """The JSON object; None for anything else. A name that stands in it twice might be read otherwise upstream."""
    try:
        found = jiter.from_json(content, cache_mode="keys", catch_duplicate_keys=True)
    except ValueError:
        try:
            found = json.loads(content, object_pairs_hook=_object_of)  # halves of an emoji, which jiter refuses
        except (ValueError, RecursionError):
            return None
    return found if isinstance(found, dict) else None


def _object_of(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a name stands twice in an object")
    return found


def write_body(body: Any) -> bytes:
    try:
        return to_json(body)
    except PydanticSerializationError:  # halves of an emoji, which UTF-8 has no bytes for
        return json.dumps(body).encode("ascii")


def _log(why: str, problem: Exception, said: set[str]) -> None:
    """Say that a request wasn't trimmed: once, where it may pass. Of errors, the text of our own alone is logged."""
    if why == FAULT or not isinstance(problem, HistoryLabError):
        log_fault(f"A request wasn't trimmed: {SENTENCES[why]}", problem)
    elif why not in said:
        said.add(why)
        log.warning("Requests aren't trimmed, until it is mended: %s (%.300s)", SENTENCES[why], problem)


def log_fault(what: str, problem: Exception) -> None:
    """Log an error by where it was raised, without its text, which may quote anything."""
    bare = RuntimeError(type(problem).__name__).with_traceback(problem.__traceback__)
    log.error("%s", what, exc_info=bare)
