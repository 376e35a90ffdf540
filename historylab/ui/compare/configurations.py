"""The configurations compared: A, the playground's settings, and up to three more, each kept as its changes to A.

Where the open file knows, what was really sent stands beside them: nobody's settings, and nothing to change.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from historylab.planning.replay import Timeline
from historylab.recordings.as_sent import has_cuts
from historylab.settings.link import MOST_CONFIGURATIONS
from historylab.settings.model import Settings
from historylab.settings.resolve import Resolution
from historylab.tuning.compare import LETTERS, SENT, Figures, changed_values, first_changes
from historylab.ui.session import cached, choices, session, viewing
from historylab.ui.session.prices import prices_in_effect
from historylab.ui.session.shown_timeline import sent_timeline


@dataclass(frozen=True, slots=True)
class Configuration:
    """One configuration. `changes` were chosen for it; one that equals A's value makes no difference.

    Under the letter of what was sent, the settings are A's, and decided nothing.
    """

    letter: str
    resolution: Resolution
    changes: Mapping[str, Any]

    @property
    def settings(self) -> Settings:
        return self.resolution.settings


def configurations() -> list[Configuration]:
    """A and the others, resolved: what the environment sets is the same in all of them."""
    base = choices.resolution()
    others = [
        Configuration(LETTERS[k + 1], choices.resolution(also=c), c) for k, c in enumerate(compared_changes(base))
    ]
    return [Configuration("A", base, {}), *others]


def add_sent(compared: list[Configuration], timelines: list[Timeline]) -> tuple[list[Configuration], list[Timeline]]:
    """With what was really sent, where the file knows: the first, to which all are compared, if it has cuts."""
    sent = sent_timeline()
    if sent is None or not sent.plans:
        return compared, timelines
    configuration = Configuration(SENT, compared[0].resolution, {})
    if has_cuts(sent.original):
        return [configuration, *compared], [sent, *timelines]
    return [*compared, configuration], [*timelines, sent]


def compared_changes(base: Resolution) -> list[dict[str, Any]]:
    """The changes of each but A; before any was chosen, those of B alone, picked to make a difference."""
    chosen = session.tab().compare
    if chosen is not None:
        return chosen
    locked = {name for name, origin in base.provenance.items() if origin.locked}
    return [first_changes(base.settings, locked)]


def compared_figures(timelines: Sequence[Timeline]) -> list[Figures]:
    """The figures of each timeline, at the prices in effect for its model."""
    marks = viewing.must_remember()
    return [cached.figures(t, prices_in_effect(t.settings.model), marks) for t in timelines]


def compared_settings(compared: list[Configuration]) -> list[str]:
    """The settings that were changed in any of them, or that differ, in the order of settings."""
    base = compared[0].settings.values()
    changed = {name for c in compared for name in (*c.changes, *changed_values(base, c.settings.values()))}
    return [name for name in base if name in changed]


# -- what the buttons do; `which` counts from 0 for B


def add_configuration(like: int | None = None) -> None:
    """Add one: a copy of A or of another."""
    compare = _changes()
    more = [compare[like] if like is not None else {}] if len(compare) < MOST_CONFIGURATIONS else []
    choices.compare_with([*compare, *more])


def remove_configuration(which: int) -> None:
    """Remove one; the last stays."""
    compare = _changes()
    choices.compare_with([*compare[:which], *compare[which + 1 :]] if len(compare) > 1 else compare)


def change_setting(which: int, name: str, value: Any) -> None:
    """Change a setting of one configuration."""
    _replace(which, {**_changes()[which], name: value})


def reset_setting(which: int, name: str) -> None:
    """Go back to A's value."""
    _replace(which, {n: value for n, value in _changes()[which].items() if n != name})


def use_configuration(which: int) -> None:
    """Make it A, the playground's settings; A's settings take its place, and the others keep theirs."""
    compared = configurations()
    old, *others = (c.settings.values() for c in compared)
    new = others[which]
    for name, value in changed_values(old, new).items():
        choices.choose_setting(name, "" if value is None else value)
    others[which] = old
    choices.compare_with([changed_values(new, values) for values in others])


def _changes() -> list[dict[str, Any]]:
    return compared_changes(choices.resolution())


def _replace(which: int, changes: Mapping[str, Any]) -> None:
    choices.compare_with([changes if k == which else other for k, other in enumerate(_changes())])
