"""A configuration in a report: a timeline, and what else is known of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from historylab.costs.bill import CostComparison
from historylab.planning.replay import Timeline
from historylab.recall.must_remember import MustRemember
from historylab.recall.retention import Retention
from historylab.settings.resolve import Provenance, Resolution
from historylab.wording.settings import source_word


@dataclass(frozen=True, slots=True, eq=False)
class Shown:
    """One of the configurations in a report, by its letter.

    `resolution` says where the settings came from, and `source_word` puts that into a word; `starred` says which
    messages must be remembered, `cost` what it costs under the model's own cache, `retained` what later requests
    needed, which else is looked for.
    """

    timeline: Timeline
    resolution: Resolution | None = None
    starred: Sequence[MustRemember] = ()
    cost: CostComparison | None = None
    retained: Retention | None = None
    letter: str = "A"
    source_word: Callable[[Provenance], str] = source_word
