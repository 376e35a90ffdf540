"""A search for better settings: over which conversations, what is tried, and the table of what each does."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any

from historylab.conversation.columns import TOOL
from historylab.conversation.conversation import Conversation
from historylab.pricing import Prices
from historylab.recall.must_remember import marked_in_file
from historylab.settings.consent import offline
from historylab.settings.model import Settings
from historylab.settings.resolve import Resolution
from historylab.tuning.search_space import USUAL, Axis, Sizes, offered_axes, search_settings, vary_one_axis
from historylab.tuning.sweep import sweep
from historylab.ui.session import cached, opening, prices, state
from historylab.ui.session.background_work import Interruption, Work

AT_ONCE = 60_000
"""Messages × settings that are replayed without asking: a few seconds."""


@dataclass(frozen=True, eq=False)
class Search:
    """Everything a search is about. `base` is what is in effect, with summaries that ask no model.

    `stars` are the messages of each conversation, by its digest, that must be remembered.
    """

    conversations: tuple[Conversation, ...]
    base: Settings
    sizes: Sizes
    locked: frozenset[str]
    prices: Prices | None
    stars: Mapping[str, tuple[int, ...]]
    questions: tuple[str, ...]

    @property
    def marked(self) -> bool:
        """Whether any message must be remembered."""
        return any(self.stars.values())

    @property
    def knobs(self) -> tuple[Axis, ...]:
        """Those that can be turned here."""
        return offered_axes(self.base, self.sizes, self.locked)

    @property
    def turned(self) -> list[str]:
        """Those that are, by this person's choice or because they usually matter."""
        chosen = USUAL if state.desk().tuning.turned is None else state.desk().tuning.turned
        return [knob.name for knob in self.knobs if knob.name in chosen]

    def candidates(self) -> list[Settings]:
        """What is tried; the settings in effect come first."""
        return search_settings(self.base, self.turned, self.sizes, locked=self.locked, most=state.desk().tuning.most)

    def around(self, chosen: Settings) -> dict[str, list[Settings]]:
        """Per knob the settings that differ from `chosen` in it alone."""
        return vary_one_axis(chosen, self.base, self.turned, self.sizes, locked=self.locked)

    def work(self, candidates: Sequence[Settings]) -> Work:
        """The work of trying those, begun or not."""
        keys = "\n".join(settings.key for settings in candidates)
        hashed = blake2b(keys.encode(), digest_size=16).hexdigest()
        about = (repr(part) for part in (self.prices, sorted(self.stars.items()), self.questions))
        return cached.background_work("sweep", " ".join(c.digest for c in self.conversations), hashed, *about)

    def at_once(self, candidates: Sequence[Settings]) -> bool:
        """Whether trying those takes so little that nobody needs to be asked."""
        return len(candidates) * sum(map(len, self.conversations)) <= AT_ONCE


def search_over(conversations: Sequence[Conversation], resolution: Resolution) -> Search:
    """A search that starts from the settings in effect. What the environment sets stays."""
    base = offline(resolution.settings)
    locked = frozenset(name for name, origin in resolution.provenance.items() if origin.locked)
    sizes = Sizes.largest(_sizes(conversation, base) for conversation in conversations)
    listed = prices.prices_in_effect(base.model)
    return Search(tuple(conversations), base, sizes, locked, listed, _stars(conversations), state.questions())


def _stars(conversations: Sequence[Conversation]) -> Mapping[str, tuple[int, ...]]:
    """This person's, on the conversation that is open; the file's own on the others."""
    own = {conversation.digest: marked_in_file(conversation) for conversation in conversations}
    return {**own, opening.conversation().digest: state.must_remember()}


def try_all(search: Search, candidates: Sequence[Settings], work: Work, show: Any) -> None:
    """Fill the work in, telling `show(done, of)`. A click meanwhile stops it and keeps the rows so far."""
    interruption = Interruption(show)
    table = sweep(
        search.conversations,
        candidates,
        prices=search.prices,
        stars=search.stars,
        questions=search.questions,
        progress=interruption.step,
        cancelled=interruption.happened,
    )
    work.result, work.done = table.to_dict("records"), not interruption.happened()
    interruption.pass_on()


def _sizes(conversation: Conversation, settings: Settings) -> Sizes:
    columns = conversation.columns
    return Sizes(
        int(cached.tokens(conversation, settings).sum()), len(columns.users), bool((columns.role == TOOL).any())
    )
