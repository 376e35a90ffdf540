"""The source of all measures: one conversation in one lane, under settings or as it was really sent."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import count
from typing import Any, Literal

import numpy as np

from historylab.conversation.conversation import Conversation
from historylab.conversation.sent import is_summary, summaries_in
from historylab.costs.bill import Bill, price_as_recorded
from historylab.costs.caches.base import Cache, all_caches, as_charged
from historylab.costs.proposal import RECORDED, adopt_recorded, settings_for
from historylab.costs.traffic import Traffic, baseline_of, billed_traffic
from historylab.errors import SettingsError
from historylab.planning.pipeline import open_instruments
from historylab.planning.reasons import Action
from historylab.planning.replay import Timeline, replay
from historylab.pricing import Prices, prices_of
from historylab.recall.questions import Question
from historylab.recall.retention import Retention, retention
from historylab.recordings.as_sent import as_sent
from historylab.registry import member
from historylab.settings.model import Settings
from historylab.settings.names import TRIMMER
from historylab.settings.resolve import settings_in_file
from historylab.settings.trimmer_options import TRIMMER as FAMILY
from historylab.settings.trimmer_options import is_own_function
from historylab.trimmers.asking import check_time_limit
from historylab.trimmers.given import SECONDS, is_trimmer_name, open_trimmer_choice, trimmer_name

AS_SENT: Literal["as-sent"] = "as-sent"
COUNTING = (*RECORDED, "counter")
"""Settings that decide nothing of what is sent: they only count and price it."""


@dataclass(frozen=True, slots=True, eq=False)
class TrimmerLane:
    """A trimmer that isn't ours, as `replay(trimmer=…)` takes it, and how it is driven. One is opened once.

    `counting` has settings that count and price what it sends (COUNTING) in place of those that a file proposes.
    """

    trimmer: str | Callable[..., Any]
    options: Mapping[str, Any] = field(default_factory=dict)
    carry: bool | None = None
    form: str | None = None
    seconds: float = SECONDS
    counting: Mapping[str, Any] = field(default_factory=dict)
    number: int = field(default_factory=count().__next__, init=False)

    @property
    def name(self) -> str:
        """The name of the trimmer, as the command line has it; of an object its own, or that of its class."""
        return self.trimmer if isinstance(self.trimmer, str) else trimmer_name(self.trimmer)

    @property
    def key(self) -> str:
        """Text that is the same for lanes that do the same; an object may do something else the next time."""
        named = self.trimmer if isinstance(self.trimmer, str) else (self.name, self.number)
        how = self.carry, self.form, self.seconds, sorted(self.counting.items())
        return repr((named, sorted(self.options.items()), *how))

    @property
    def title(self) -> str:
        """Its name for sentences. Raises what `open` does."""
        return open_trimmer_choice(self.trimmer, self.options, carry=self.carry, form=self.form).title

    def open(self, conversation: Conversation, progress: Callable[[int, int], None] | None = None) -> Timeline:
        """The timeline of what it sends, counted and priced as the file was recorded, unless `counting` says otherwise.

        Each request is asked once.

        Raises SettingsError for a trimmer that can't be opened, MissingLibrary where its library isn't installed.
        """

        def drive() -> Timeline:
            return replay(
                conversation,
                settings_for(conversation).replace(**self.counting),
                trimmer=self.trimmer,
                carry=self.carry,
                form=self.form,
                seconds=self.seconds,
                progress=progress,
                **self.options,
            )

        return conversation.remember(("trimmer", self.key), drive)

    def is_open(self, conversation: Conversation) -> bool:
        """Tell whether its timeline is there already."""
        return ("trimmer", self.key) in conversation.derived.get(("trimmer",), {})


def lane_in_environment() -> TrimmerLane | None:
    """The trimmer that the playground was started with, for the life of its process; None without one.

    Raises SettingsError where the variable holds something else, UnknownMember for a name that no trimmer has.
    """
    if not (given := os.environ.get(TRIMMER)):
        return None
    try:
        lane = TrimmerLane(**json.loads(given))
    except (TypeError, ValueError, RecursionError):
        lane = None
    if lane is None or not isinstance(lane.trimmer, str) or not isinstance(lane.options, dict):
        raise SettingsError(f"{TRIMMER} holds no trimmer: start the playground with --trimmer")
    check_time_limit(lane.seconds)
    if not is_own_function(lane.trimmer):
        member(FAMILY, lane.trimmer)
    return lane


Foreign = Literal["as-sent"] | TrimmerLane
"""Authors of decisions that aren't settings of ours: whoever sent the conversation, or a trimmer."""
Lane = Settings | Foreign
"""The author of the decisions."""


def read_lane(
    given: object,
    options: Mapping[str, Any] | None = None,
    carry: bool | None = None,
    form: str | None = None,
    seconds: float = SECONDS,
) -> Lane:
    """The lane that was meant: settings or a file of them, "as-sent", or a trimmer, by its name or as an object.

    The other arguments say how a trimmer is driven. Raises SettingsError where one of them is given for no trimmer, and
    for a file that can't be read.
    """
    if callable(given) or (isinstance(given, str) and is_trimmer_name(given)):
        return TrimmerLane(given, options or {}, carry, form, seconds)
    how = {
        **(options or {}),
        **{name: value for name, value in (("carry", carry), ("form", form)) if value is not None},
    }
    if how:
        raise SettingsError(f"{next(iter(how))!r} is of a trimmer, and none was named")
    if isinstance(given, Settings | TrimmerLane):
        return given
    if given == AS_SENT:
        return AS_SENT
    if not isinstance(given, str | os.PathLike):
        raise SettingsError(f"settings or a trimmer are wanted, not a Python {type(given).__name__}")
    return settings_in_file(given)


def key_of_lane(lane: Lane) -> str:
    """Text that is the same for lanes that do the same."""
    return lane if isinstance(lane, str) else lane.key


Stars = tuple[int, ...] | Mapping[str, tuple[int, ...]]
Questions = Sequence[str | Question] | Mapping[str, Sequence[str | Question]]


@dataclass(frozen=True, slots=True)
class MeasureOptions:
    """Cache models and prices (default: the model's) for costs; must-remember messages and questions for recall.

    `stars` are message indices for every conversation, or by digest for some; without them each conversation's own
    `metadata["stars"]` count. `questions` too are for every conversation, or by digest for some.
    """

    caches: tuple[Cache, ...] = field(default_factory=all_caches)
    prices: Prices | None = None
    stars: Stars | None = None
    questions: Questions = ()

    def stars_on(self, conversation: Conversation) -> tuple[int, ...] | None:
        """The stars on that conversation; None if they are its own."""
        return self.stars.get(conversation.digest) if isinstance(self.stars, Mapping) else self.stars

    def questions_to(self, conversation: Conversation) -> Sequence[str | Question]:
        """The questions that conversation is asked."""
        asked = self.questions
        return asked.get(conversation.digest, ()) if isinstance(asked, Mapping) else asked


def open_lane(conversation: Conversation, lane: Lane, beside: Lane | None = None) -> Timeline:
    """The plan of every request. Settings `beside` decisions of others are counted as those, by `adopt_recorded`.

    Raises PlanError where it is wanted as sent, and nothing says what was sent.
    """
    if isinstance(lane, TrimmerLane):
        return lane.open(conversation)
    if not isinstance(lane, Settings):
        return as_sent(conversation)
    ours = beside is None or isinstance(beside, Settings)
    settings = lane if ours else adopt_recorded(lane, conversation)
    if isinstance(beside, TrimmerLane):
        settings = settings.replace(**beside.counting)
    return replay(conversation, settings, instruments=open_instruments(settings))


class Replayed:
    """A timeline and what is derived from it, each at its first use.

    What depends on the conversation alone is computed once per conversation and remembered with it.
    """

    def __init__(self, timeline: Timeline, options: MeasureOptions) -> None:
        self.timeline, self.options = timeline, options
        self._bills: dict[Cache, tuple[Bill, Bill] | None] = {}

    @property
    def conversation(self) -> Conversation:
        """The conversation as it was given."""
        return self.timeline.original

    @cached_property
    def retention(self) -> Retention:
        """The values later requests needed, and whether they were still held."""
        stars = self.options.stars_on(self.conversation)
        return retention(self.timeline, stars=stars, questions=self.options.questions_to(self.conversation))

    @cached_property
    def sizes(self) -> np.ndarray:
        """int64: tokens of each request that is judged, what is outside its messages included."""
        sizes: np.ndarray = self.timeline.contexts[self.timeline.judged]
        return sizes

    @cached_property
    def traffic(self) -> Traffic:
        """The tokens each request is paid for, and those it shares with the one before."""
        return billed_traffic(self.timeline)

    def bills(self, cache: Cache) -> tuple[Bill, Bill] | None:
        """The bill under that cache and that of not trimming; None if the prices are unknown."""
        if cache not in self._bills:
            self._bills[cache] = self._price(cache)
        return self._bills[cache]

    def _price(self, cache: Cache) -> tuple[Bill, Bill] | None:
        prices = self.options.prices or prices_of(self.timeline.settings.model)
        if prices is None:
            return None
        charged = as_charged(cache, prices)
        sent, whole = self.traffic, baseline_of(self.timeline)
        ours, theirs = (price_as_recorded(self.timeline, each, prices, charged) for each in (sent, whole))
        return ours, theirs


def summaries_made(timeline: Timeline) -> int:
    """The number of summaries written for these requests, without those that came back with the messages."""
    if timeline.decided:
        return len(_summaries_sent(timeline))
    return len({plan.summary.made_at for plan in timeline.plans if plan.summary and plan.summary.made_at})


def _summaries_sent(timeline: Timeline) -> set[int | str]:
    """The summaries that were sent: messages of the conversation, and texts that are not in it."""
    among = summaries_in(timeline.conversation)
    sent = set[int | str]()
    for plan in timeline.plans:
        if (plan.block_actions == Action.SUMMARIZED).any():
            found = {i for i in among if i < plan.size and plan.action_of(i) <= Action.TRUNCATED}
            texts = {message.content for message in plan.others if is_summary(message)}
            folded = {plan.summary.text} if plan.summary and plan.summary.made_at else set[str]()
            sent |= found | (texts or folded)
    return sent
