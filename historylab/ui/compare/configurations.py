"""What is compared: A, the playground's settings, and up to three more, each kept as what it changes of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from historylab.planning.replay import Timeline
from historylab.settings.link import MOST_CONFIGURATIONS
from historylab.settings.model import Settings
from historylab.settings.resolve import Resolution
from historylab.tuning.compare import LETTERS, Figures, changed_values
from historylab.ui.session import cached, choices, session
from historylab.ui.session.prices import prices_in_effect

STARTS: tuple[Mapping[str, Any], ...] = (
    {"policy": "all"},
    {"policy": "lastN", "length": 10},
    {"pruner": "sliding_window"},
    {"budget": 4000},
)
"""What B begins with: the first of these that makes a difference and may be chosen."""


@dataclass(frozen=True, slots=True)
class Configuration:
    """One of what is compared. `changes` were chosen for it; where one equals A's value it makes no difference."""

    letter: str
    resolution: Resolution
    changes: Mapping[str, Any]

    @property
    def settings(self) -> Settings:
        return self.resolution.settings


def configurations() -> list[Configuration]:
    """A and the others, as the sources decide: what the environment sets is the same in all of them."""
    base = choices.resolution()
    others = [
        Configuration(LETTERS[k + 1], choices.resolution(also=c), c) for k, c in enumerate(compared_changes(base))
    ]
    return [Configuration("A", base, {}), *others]


def compared_changes(base: Resolution) -> list[dict[str, Any]]:
    """What each but A changes; before anything was chosen, one start that makes a difference."""
    if session.tab().compare is not None:
        return session.tab().compare
    free = (start for start in STARTS if not any(base.provenance[name].locked for name in start))
    return [next((dict(s) for s in free if any(base.settings.value(n) != v for n, v in s.items())), {})]


def compared_figures(timelines: Sequence[Timeline]) -> list[Figures]:
    """What each comes to, at the prices in effect for its model."""
    return [cached.figures(timeline, prices_in_effect(timeline.settings.model)) for timeline in timelines]


def compared_settings(compared: list[Configuration]) -> list[str]:
    """The settings that were changed in any of them, or that differ, in the order of settings."""
    base = compared[0].settings.values()
    touched = {name for c in compared for name in (*c.changes, *changed_values(base, c.settings.values()))}
    return [name for name in base if name in touched]


# -- what the buttons do; `which` counts from 0 for B


def add_configuration(like: int | None = None) -> None:
    """One more, like A or like another."""
    compare = _changes()
    more = [compare[like] if like is not None else {}] if len(compare) < MOST_CONFIGURATIONS else []
    choices.compare_with([*compare, *more])


def remove_configuration(which: int) -> None:
    """Compare without it; the last one stays."""
    compare = _changes()
    choices.compare_with([*compare[:which], *compare[which + 1 :]] if len(compare) > 1 else compare)


def change_setting(which: int, name: str, value: Any) -> None:
    """Let it have that value."""
    _replace(which, {**_changes()[which], name: value})


def reset_setting(which: int, name: str) -> None:
    """Let it have A's value again."""
    _replace(which, {n: value for n, value in _changes()[which].items() if n != name})


def use_configuration(which: int) -> None:
    """Make it the playground's settings, which is A; what A was takes its place, and the others stay what they are."""
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
