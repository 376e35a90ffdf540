"""The configurations compared: yours, which Inspect shows, what was really sent, and others as changes to yours.

Four at most stand side by side, lettered as they stand; what was really sent is S. Of a file with cuts it comes first,
and all others are compared with it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from historylab.planning.replay import Timeline
from historylab.recordings.as_sent import has_cuts
from historylab.settings.link import MOST_CONFIGURATIONS, WAS_SENT, YOURS
from historylab.settings.model import Settings
from historylab.settings.resolve import Resolution
from historylab.tuning.compare import LETTERS, SENT, Figures, changed_values
from historylab.ui.compare.presets import ConfigurationPreset, presets_for
from historylab.ui.session import cached, choices, session, viewing
from historylab.ui.session.prices import prices_in_effect
from historylab.ui.session.shown_timeline import knows_sent, sent_timeline
from historylab.wording.costs import is_untrimmed


@dataclass(frozen=True, slots=True)
class Configuration:
    """One configuration. `changes` were chosen for it; one that equals your value makes no difference.

    Yours has none (None), nor has what was sent, whose settings are yours and decided nothing.
    """

    letter: str
    resolution: Resolution
    changes: Mapping[str, Any] | None = None

    @property
    def settings(self) -> Settings:
        return self.resolution.settings

    @property
    def is_yours(self) -> bool:
        return self.changes is None and self.letter != SENT


def configurations() -> list[Configuration]:
    """Yours and those chosen, resolved: what the environment sets is the same in all of them."""
    chosen: list[Mapping[str, Any]] = [*(session.tab().compare or ())]
    every = chosen if YOURS in session.tab().compared_without and chosen else [None, *chosen]
    return [
        Configuration(letter, choices.resolution(also=changes or {}), changes)
        for letter, changes in zip(LETTERS, every, strict=False)
    ]


def complete(
    compared: list[Configuration], timelines: list[Timeline]
) -> tuple[list[Configuration], list[Timeline], list[ConfigurationPreset]]:
    """With what was really sent, and, before any was chosen, with one that is something else; and what may be added."""
    lanes, drawn = _with_sent(compared, timelines)
    offered = presets_for(drawn, [lane.settings for lane in lanes if lane.letter != SENT])
    if session.tab().compare is None and len(lanes) == 1 and offered:
        first, *offered = offered
        lanes.append(Configuration(LETTERS[len(compared)], choices.resolution(also=first.changes), first.changes))
        drawn.append(cached.timeline(timelines[0].original, lanes[-1].settings))
        offered = presets_for(drawn, [lane.settings for lane in lanes if lane.letter != SENT])
    return lanes, drawn, offered if len(lanes) < MOST_CONFIGURATIONS else []


def _with_sent(compared: list[Configuration], timelines: list[Timeline]) -> tuple[list[Configuration], list[Timeline]]:
    """With what was really sent, unless there is no room, or it does what another one does: sends everything."""
    sent = sent_timeline()
    left_out = WAS_SENT in session.tab().compared_without or len(compared) == MOST_CONFIGURATIONS
    if sent is None or not sent.plans or left_out:
        return [*compared], [*timelines]
    configuration = Configuration(SENT, compared[0].resolution)
    if has_cuts(sent.original):
        return [configuration, *compared], [sent, *timelines]
    if any(map(is_untrimmed, timelines)):
        return [*compared], [*timelines]
    return [*compared, configuration], [*timelines, sent]


def may_add_sent(compared: Sequence[Configuration], timelines: Sequence[Timeline]) -> bool:
    """Tell whether what was really sent may be added: it isn't there, and nothing there does the same."""
    sent = sent_timeline()
    if sent is None or not sent.plans or any(each.letter == SENT for each in compared):
        return False
    return has_cuts(sent.original) or not any(map(is_untrimmed, timelines))


def compared_figures(timelines: Sequence[Timeline]) -> list[Figures]:
    """The figures of each timeline, at the prices in effect for its model."""
    marks = viewing.must_remember()
    return [cached.figures(t, prices_in_effect(t.settings.model), marks) for t in timelines]


def chosen_changes(compared: Sequence[Configuration]) -> list[Mapping[str, Any]]:
    """The changes of each that has some."""
    return [each.changes for each in compared if each.changes is not None]


# -- what the buttons do, given those on screen


def compare_these(compared: Sequence[Configuration]) -> None:
    """Compare these, and no others."""
    yours, sent = any(each.is_yours for each in compared), any(each.letter == SENT for each in compared)
    left_out = [YOURS] * (not yours) + [WAS_SENT] * (knows_sent() and not sent)
    choices.compare_with(chosen_changes(compared), left_out)
    viewing.edit_compared("")


def add_configuration(compared: Sequence[Configuration], changes: Mapping[str, Any] | None, letter: str = "") -> None:
    """Add one with these changes; with None yours, or, by its letter, what was sent."""
    compare_these([*compared, Configuration(letter, compared[0].resolution, changes)])


def change_configuration(compared: Sequence[Configuration], letter: str, changes: Mapping[str, Any]) -> None:
    """Replace the changes of one."""
    compare_these([_with_changes(each, changes) if each.letter == letter else each for each in compared])
    viewing.edit_compared(letter)


def _with_changes(configuration: Configuration, changes: Mapping[str, Any]) -> Configuration:
    return Configuration(configuration.letter, configuration.resolution, changes)


def use_configuration(compared: Sequence[Configuration], letter: str) -> None:
    """Make it yours; what was yours takes its place where it is compared, and the others keep their settings."""
    chosen = next(each for each in compared if each.letter == letter)
    before, new = choices.resolution().settings.values(), chosen.settings.values()
    rest = [each.settings.values() for each in compared if each.changes is not None and each is not chosen]
    if any(each.is_yours for each in compared):
        place = chosen_changes(compared).index(chosen.changes or {})
        rest.insert(place, before)
    choices.choose_settings(changed_values(before, new))
    sent = any(each.letter == SENT for each in compared)
    choices.compare_with([changed_values(new, values) for values in rest], [WAS_SENT] * (knows_sent() and not sent))
    viewing.edit_compared("")
