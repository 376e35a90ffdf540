"""What becomes of a request: read, planned and written, or passed on as it came where that is not possible.

A fault of ours costs no app its answer: the request then goes through untrimmed and says why. Where a filter or a
projection is set it is refused instead, as text that isn't meant for this agent must not leave.
"""

from __future__ import annotations

import json
import logging
import operator
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import jiter
from pydantic_core import PydanticSerializationError, to_json

from historylab.errors import HistoryLabError, InstrumentError, LoadError, StoreError
from historylab.formats.requests import FORMS
from historylab.planning.trimmer import Decision, Trimmer
from historylab.proxy.headers import sketch_header
from historylab.proxy.refusals import Refused
from historylab.recordings.exchange import plan_fields
from historylab.recordings.noted_state import NotedState
from historylab.settings.model import Settings

log = logging.getLogger("historylab.proxy")

UNREADABLE, SHAPE, STORE, SUMMARY, FAULT = "unreadable", "shape", "store", "summary", "fault"
"""Why a request isn't trimmed: no JSON object, no known messages, the store, a summary's model, a mistake of ours."""
CAUSES: tuple[tuple[type[Exception], str], ...] = (
    (LoadError, SHAPE),
    (StoreError, STORE),
    (InstrumentError, SUMMARY),
)
SENTENCES = {
    UNREADABLE: "the body can't be read as a JSON object",
    SHAPE: "the body's messages can't be read",
    STORE: "the store fails",
    SUMMARY: "the summary can't be written",
    FAULT: "this is a mistake of HistoryLab's",
}
GUARDED = ", and a filter or projection is set, without which nothing may leave"


@dataclass(frozen=True, slots=True)
class Decided:
    """`content`: what is sent on; `body`: the request as it came, if it can be read; `untrimmed`: why it stays so.

    `tokens` and `sketch` are the decision as headers say it, `state` what it read and wrote of the store.
    """

    content: bytes
    body: Mapping[str, Any] | None
    settings: Settings
    untrimmed: str = ""
    decision: Decision | None = None
    tokens: str = ""
    sketch: str = ""
    state: Mapping[str, str] = field(default_factory=dict)


class Trimmers:
    """One Trimmer for each form of requests, all under the same settings and with the same store."""

    def __init__(self, settings: Settings, store: NotedState):
        self.settings, self.store = settings, store
        self.guarded = settings.filter != "off" or settings.projection != "off"
        self.of = cache(lambda form: Trimmer(settings, store=store, format=form))


def decide(
    trimmers: Trimmers, form: str, content: bytes, encoded: bool, secrets: Sequence[str] = (), *, applied: bool
) -> Decided:
    """What to send for a body of that form; `encoded`: it is compressed; `applied`: not only watched.

    No summary that repeats one of the `secrets` is kept in the store.

    Raises Refused where it may not leave as it came.
    """
    body: Mapping[str, Any] | None = None
    try:
        body = None if encoded else parsed(content)
        if body is None:
            raise LoadError("it is compressed" if encoded else "it is no JSON object, or has a name twice")
        with trimmers.store.noting(secrets) as state:
            decision = trimmers.of(form).decide(body)
        same = not applied or is_the_same(body, decision.sent, FORMS[form].field)
        sent, told = content if same else _written(decision.sent), plan_fields(decision.plan)
        tokens = f"sent={told['tokens']} before={told['before']} budget={told['budget']}"
        sketch = sketch_header(told["decisions"])
        return Decided(sent, body, trimmers.settings, "", decision, tokens, sketch, state)
    except Exception as problem:
        why = UNREADABLE if body is None else next((w for kind, w in CAUSES if isinstance(problem, kind)), FAULT)
        _log(why, problem)
    if applied and trimmers.guarded:
        raise Refused(500 if why == FAULT else 422, SENTENCES[why] + GUARDED, why)
    return Decided(content, body, trimmers.settings, why)


def is_the_same(given: Mapping[str, Any], sent: Mapping[str, Any], field: str) -> bool:
    """Whether a plan sends everything as it was: the caller's own items, all of them, and the rest of the body."""
    if sent.keys() != given.keys() or any(sent[name] != given[name] for name in given if name != field):
        return False
    before, after = given[field], sent[field]
    return len(before) == len(after) and all(map(operator.is_, before, after))


def parsed(content: bytes) -> Mapping[str, Any] | None:
    """The JSON object; None for anything else. A name that stands in it twice might be read otherwise upstream."""
    try:
        found = jiter.from_json(content, cache_mode="keys", catch_duplicate_keys=True)
    except ValueError:
        try:
            found = json.loads(content, object_pairs_hook=_once)  # halves of an emoji, which jiter refuses
        except (ValueError, RecursionError):
            return None
    return found if isinstance(found, dict) else None


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a name stands twice in an object")
    return found


def _written(body: Any) -> bytes:
    try:
        return to_json(body)
    except PydanticSerializationError:  # halves of an emoji, which UTF-8 has no bytes for
        return json.dumps(body).encode("ascii")


def _log(why: str, problem: Exception) -> None:
    """Say that a request wasn't trimmed. Of errors, the text of our own alone is logged."""
    if why == FAULT or not isinstance(problem, HistoryLabError):
        log_fault(f"A request wasn't trimmed: {SENTENCES[why]}", problem)
    else:
        log.warning("A request wasn't trimmed: %s (%.300s)", SENTENCES[why], problem)


def log_fault(what: str, problem: Exception) -> None:
    """Log an error by where it was raised, without its text, which may quote anything."""
    bare = RuntimeError(type(problem).__name__).with_traceback(problem.__traceback__)
    log.error("%s", what, exc_info=bare)
