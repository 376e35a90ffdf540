"""Checkpoints: a chat's plan every few requests, in a few hundred bytes, so that a restart goes on from the newest.

Settings that carry a cut or a summary plan each request from the one before, all of a chat where none is known. A
checkpoint is found by all that its plan follows from: the settings, the counter, and every message up to its request.
So after an edit, under other settings or in another chat none is found, and what is found needs no trust: it says what
replay would. One that is damaged, or whose summary is gone, counts as none.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from hashlib import blake2b
from operator import attrgetter
from time import monotonic
from typing import TYPE_CHECKING, Any, NamedTuple, Self

from historylab._version import __version__
from historylab.conversation.conversation import Conversation
from historylab.conversation.growing import Growing
from historylab.conversation.lineage import digest_of
from historylab.conversation.message import Summary, ToolCall
from historylab.errors import StoreError
from historylab.planning.blocks import Ranges
from historylab.planning.history import History
from historylab.planning.pipeline import Pipeline
from historylab.planning.plan import HistoryPlan
from historylab.planning.reasons import Action, reason_named, reason_of
from historylab.planning.strategies.base import Instruments

if TYPE_CHECKING:
    from historylab.stores.base import StateStore

EVERY = 16  # requests from one checkpoint to the next
MOST_CHARACTERS = 4_000  # of one: decisions about single blocks all over a chat are made again instead
PAUSE = 60  # seconds for which a store that failed is not asked, as each call may wait for it
FEW = 4  # checkpoints that are asked for at once; then all others
OF_MESSAGE = attrgetter(
    "role", "content", "id", "name", "tool_calls", "tool_call_id", "media", "timestamp", "pinned", "metadata",
    "replaces",
)  # fmt: skip
OF_CALL = attrgetter("id", "name", "arguments")


class KeptPlace(NamedTuple):
    """A request that has a checkpoint: its messages, and a digest of them."""

    size: int
    digest: str


class KeptPlans:
    """The checkpoints of every chat under one set of settings. A store that fails has none and keeps none."""

    def __init__(self, store: StateStore, pipeline: Pipeline, instruments: Instruments):
        self._store, self._pipeline, self._instruments = store, pipeline, instruments
        settings = pipeline.settings
        window = settings.window
        if settings.compaction != "off" and not window:
            from historylab.pricing import window_of

            window = window_of(settings.model)
        self._not_before = 0.0
        self._under = digest_of("checkpoint", __version__, settings.key, window, instruments.counter.key)

    def newest(self, conversation: Conversation, since: int) -> HistoryPlan | None:
        """The plan of the newest request that has a checkpoint and more than `since` messages; None if none has.

        Not that of a request which sends the whole conversation.
        """
        if monotonic() < self._not_before:
            return None
        places = [place for place in _places(conversation) if place.size > since][::-1]
        try:
            for some in filter(None, (places[:FEW], places[FEW:])):
                found = self._store.read_state(self._key(place) for place in some)
                for place in some:
                    said = _check(self._key(place), found.get(self._key(place), ""))
                    if said and (plan := self._read(said, conversation, place.size)):
                        return plan
        except StoreError:
            self._not_before = monotonic() + PAUSE
        return None

    def keep(self, plan: HistoryPlan, conversation: Conversation) -> None:
        """Keep the plan of a request that has a checkpoint, and that this conversation goes on from, in few words."""
        place = next((place for place in reversed(_places(conversation)) if place.size == plan.size), None)
        if place and monotonic() >= self._not_before and (said := self._describe(plan)):
            try:
                self._store.write_state(key := self._key(place), f"{digest_of(key, said)} {said}")
            except StoreError:
                self._not_before = monotonic() + PAUSE

    def _key(self, place: KeptPlace) -> str:
        return digest_of(self._under, place.size, place.digest)

    def _describe(self, plan: HistoryPlan) -> str | None:
        summary, known = plan.summary, self._pipeline.begin(plan.history).numbers
        if summary and not summary.key:
            return None  # no store has it: one that came back with the messages
        numbers = {reason_of(code).rule: said for code, said in plan.numbers.items() if code not in known}
        runs = [(first, stop, action, reason_of(why).rule) for first, stop, action, why in plan.decisions.left_out()]
        kept = (summary.key, summary.made_at, self._writer) if summary else None
        try:
            said = json.dumps([runs, numbers, plan.message_tokens, plan.framing, kept])
        except TypeError:  # a number for each message
            return None
        return said if len(said) <= MOST_CHARACTERS else None

    def _read(self, said: str, conversation: Conversation, size: int) -> HistoryPlan | None:
        """The plan that this says; None where something that it names is gone."""
        plan = self._pipeline.begin(History(conversation, self._instruments.counter, size))
        runs, numbers, tokens, framing, kept = json.loads(said)
        summary = self._summary(*kept) if kept else None
        rules = {*numbers, *(run[3] for run in runs)}
        named = {rule: why for rule in rules if (why := reason_named(rule))}
        if len(named) < len(rules) or (kept and not summary):
            return None
        for first, stop, action, rule in runs:
            blocks, why = Ranges([(first, stop)]), named[rule]
            if action == Action.SUMMARIZED and summary:
                plan = plan.summarize(blocks, summary, why)
            else:
                plan = plan.drop(blocks, why)
        plan.summary, plan.message_tokens, plan.framing = summary, tokens, framing
        plan.numbers = {**plan.numbers, **{named[rule].code: its for rule, its in numbers.items()}}
        return plan

    @property
    def _writer(self) -> str:
        summaries = self._instruments.summaries
        return digest_of(summaries.writer) if summaries else ""

    def _summary(self, key: str, made_at: int, writer: str) -> Summary | None:
        summaries = self._instruments.summaries
        return summaries.read(key, made_at) if summaries and writer == self._writer else None


def _check(key: str, value: str) -> str:
    """The content of a checkpoint; "" for one that is damaged or was written under another key."""
    digest, _, said = value.partition(" ")
    return said if digest == digest_of(key, said) else ""


def _places(conversation: Conversation) -> tuple[KeptPlace, ...]:
    """The requests of a conversation that have a checkpoint, but one that sends all of it."""
    return conversation.growing(("checkpoints", EVERY), _Places).places


class _Places(Growing[Conversation]):
    """Each is told by the one before and the messages since."""

    __slots__ = ("places",)

    def __init__(self, places: tuple[KeptPlace, ...] = ()):
        self.places = places

    def followed_by(self, conversation: Conversation, start: int) -> Self:
        return type(self)((*self.places, *self._further(conversation)))

    def beginning(self, conversation: Conversation, size: int) -> Self:
        return type(self)(tuple(place for place in self.places if place.size < size))

    def _further(self, conversation: Conversation) -> Iterator[KeptPlace]:
        at = self.places[-1] if self.places else KeptPlace(0, "")
        for size in conversation.columns.requests[EVERY::EVERY][len(self.places) :].tolist():
            if size == len(conversation):
                return  # another message may make it another request
            try:
                said = ENCODER.encode([*map(OF_MESSAGE, conversation[at.size : size])])
            except (TypeError, ValueError, RecursionError):
                return  # metadata that no text tells
            at = KeptPlace(size, blake2b(f"{at.digest}{said}".encode(), digest_size=20).hexdigest())
            yield at


def _call_or_refuse(value: Any) -> tuple[str, ...]:
    if not isinstance(value, ToolCall):
        raise TypeError(f"a checkpoint can't tell a {type(value).__name__}")
    return tuple(OF_CALL(value))


ENCODER = json.JSONEncoder(default=_call_or_refuse)
