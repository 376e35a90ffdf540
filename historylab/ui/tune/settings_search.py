"""A search for better settings: its conversations, its axes, and the call of `tune` that makes it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from historylab.conversation.columns import TOOL
from historylab.conversation.conversation import Conversation
from historylab.pricing import Prices
from historylab.recall.must_remember import marked_in_file
from historylab.recall.questions import Question
from historylab.recall.references import find_needs
from historylab.recordings.as_sent import knows_what_was_sent
from historylab.settings.consent import offline
from historylab.settings.model import Settings
from historylab.settings.resolve import Resolution
from historylab.tuning.base_lane import base_in_words, search_start
from historylab.tuning.constraints import read_constraints
from historylab.tuning.replayed import AS_SENT, Foreign, MeasureOptions, TrimmerLane, key_of_lane
from historylab.tuning.search_space import USUAL, Axis, Sizes, offered_axes
from historylab.tuning.trials import Known
from historylab.tuning.tune import Advice, tune
from historylab.ui.session import cached, opening, prices, session, viewing
from historylab.ui.session.background_work import Interruption, Work
from historylab.ui.session.chosen_trimmer import lane_on_screen
from historylab.ui.session.shown_timeline import shows_as_sent
from historylab.ui.shared.work_progress import Show
from historylab.wording.cuts import changes_in_words

AT_ONCE = 60_000
"""Messages × settings up to which a search starts without a click: a few seconds."""


@dataclass(frozen=True, eq=False)
class SettingsSearch:
    """One search. `base` are the settings in effect, with summaries written offline.

    `against`: others decided what it looks for something better than, a trimmer or whoever really sent it; `base` are
    then the settings at which it begins.

    By a conversation's digest, `must_remember` has its messages that must be remembered, `questions` what it is asked.
    """

    conversations: tuple[Conversation, ...]
    base: Settings
    against: Foreign | None
    sizes: Sizes
    locked: frozenset[str]
    prices: Prices | None
    must_remember: Mapping[str, tuple[int, ...]]
    questions: Mapping[str, tuple[Question, ...]]

    @property
    def beaten(self) -> str:
        """The words for what settings are to do better than."""
        return base_in_words(self.against or self.base)[0]

    @property
    def key_of_base(self) -> str:
        """Text that is the same for what is the same to do better than."""
        return key_of_lane(self.against or self.base)

    @property
    def marked(self) -> bool:
        """Whether any message must be remembered."""
        return any(self.must_remember.values())

    @property
    def referring(self) -> bool:
        """Whether any tool call uses a value that an earlier message says."""
        needs = (need for conversation in self.conversations for step in find_needs(conversation) for need in step)
        return any(need.kind == "reference" for need in needs)

    @property
    def axes(self) -> tuple[Axis, ...]:
        """The axes that can be varied here."""
        return offered_axes(self.base, self.sizes, self.locked)

    @property
    def varied(self) -> list[str]:
        """Names of the axes that are varied: those chosen in the form, or those that usually matter."""
        varied = session.tab().tuning.varied
        chosen = USUAL if varied is None else varied
        return [axis.name for axis in self.axes if axis.name in chosen]

    @property
    def tries(self) -> int:
        """The most settings to try."""
        return session.tab().tuning.most

    def work(self, wishes: str) -> Work:
        """The search for these wishes, started or not; its result is an Advice."""
        axes, locked = " ".join(self.varied), " ".join(sorted(self.locked))
        about = (self.base.key, self.key_of_base, axes, locked, str(self.tries), wishes)
        return cached.background_work("advice", *self._about(), *about)

    def known_trials(self, wishes: str) -> Known:
        """What is known of settings on these conversations, whatever else was wished or in effect then."""
        work = cached.background_work("tried", *self._about(), read_constraints(wishes).cache)
        known: Known = work.result or Known()
        work.result = known
        return known

    def is_quick(self, settings: int) -> bool:
        """Tell whether trying so many takes so little time that it starts without a click: no trimmer is asked."""
        asks = isinstance(self.against, TrimmerLane)
        return not asks and settings * sum(map(len, self.conversations)) <= AT_ONCE

    def _about(self) -> tuple[str, ...]:
        parts = (self.prices, sorted(self.must_remember.items()), sorted(self.questions.items()))
        return " ".join(c.digest for c in self.conversations), *map(repr, parts)


def know_what_was_sent(conversations: Sequence[Conversation], resolution: Resolution) -> bool:
    """Tell whether a search may aim to beat what was sent: every file says it, and nothing is held."""
    requesting = [conversation for conversation in conversations if len(conversation.columns.requests)]
    return bool(requesting) and may_beat_others(resolution) and all(map(knows_what_was_sent, requesting))


def may_beat_others(resolution: Resolution) -> bool:
    """Tell whether a search may aim to beat others than settings: the environment holds nothing.

    What it holds would be as it says in every candidate, and such a search takes the files' word.
    """
    return not _locked_names(resolution)


def make_search(conversations: Sequence[Conversation], resolution: Resolution) -> SettingsSearch:
    """A search around the settings in effect, or around those the files propose where others' decisions are on screen.

    What the environment sets is not varied.
    """
    against: Foreign | None = lane_on_screen(opening.conversation()) if may_beat_others(resolution) else None
    if against is None and know_what_was_sent(conversations, resolution) and shows_as_sent(resolution):
        against = AS_SENT
    base = offline(search_start(conversations, against) if against else resolution.settings)
    locked = _locked_names(resolution)
    sizes = Sizes.largest(_sizes(conversation, base) for conversation in conversations)
    listed = prices.prices_in_effect(base.model)
    marks = _must_remember(conversations)
    return SettingsSearch(tuple(conversations), base, against, sizes, locked, listed, marks, _questions(conversations))


def find_advice(search: SettingsSearch, wishes: str, work: Work, show: Show) -> None:
    """Have `tune` advise, into `work`. A click stops it: the advice then rests on what had been tried."""
    interruption = Interruption(lambda done, most: show(done, most, at_most=True))
    work.result = tune(
        search.conversations,
        base=search.against or search.base,
        wishes=wishes,
        tries=search.tries,
        varied=search.varied,
        locked=search.locked,
        options=MeasureOptions(prices=search.prices, stars=search.must_remember, questions=search.questions),
        progress=interruption.step,
        cancelled=interruption.has_happened,
        name=changes_in_words,
        known=search.known_trials(wishes),
    )
    work.done = not interruption.has_happened()
    interruption.pass_on()


def try_settings_further(
    advice: Advice, settings: Sequence[Settings], work: Work, show: Callable[[int, int], None]
) -> None:
    """Try further settings, which `advice` then knows. A click stops it and keeps what is known."""
    interruption = Interruption(show)
    work.result = []
    for each in settings:
        work.result.append(advice.look_at(each))
        interruption.step(len(work.result), len(settings))
        if interruption.has_happened():
            break
    work.done = not interruption.has_happened()
    interruption.pass_on()


def _locked_names(resolution: Resolution) -> frozenset[str]:
    return frozenset(name for name, origin in resolution.provenance.items() if origin.locked)


def _must_remember(conversations: Sequence[Conversation]) -> Mapping[str, tuple[int, ...]]:
    """Your marks on the open conversation; on the others those of their file."""
    in_files = {conversation.digest: marked_in_file(conversation) for conversation in conversations}
    return {**in_files, opening.conversation().digest: viewing.must_remember()}


def _questions(conversations: Sequence[Conversation]) -> Mapping[str, tuple[Question, ...]]:
    """Yours to the open conversation; of them the others are asked those of which nobody knows the answer."""
    asked = viewing.questions()
    open_ended = tuple(question for question in asked if not question.messages)
    return {**{conversation.digest: open_ended for conversation in conversations}, opening.conversation().digest: asked}


def _sizes(conversation: Conversation, settings: Settings) -> Sizes:
    columns = conversation.columns
    return Sizes(
        int(cached.tokens(conversation, settings).sum()), len(columns.users), bool((columns.role == TOOL).any())
    )
