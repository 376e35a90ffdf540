"""The configurations compared: yours, which Inspect shows, what was really sent, others as changes to yours, trimmers.

Four at most stand side by side, lettered as they stand; what was really sent is S. Of a file with cuts it comes first,
and all others are compared with it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from historylab.conversation.conversation import Conversation
from historylab.planning.replay import Timeline
from historylab.recordings.as_sent import has_cuts
from historylab.settings.link import MOST_CONFIGURATIONS, WAS_SENT, YOURS
from historylab.settings.model import Settings
from historylab.settings.resolve import Resolution
from historylab.settings.trimmer_options import SYSTEM_OF_TRIMMER, trimmer_configuration, trimmer_in
from historylab.tuning.compare import LETTERS, SENT, Figures, changed_values, failures_of
from historylab.tuning.replayed import TrimmerLane
from historylab.ui.compare.presets import ConfigurationPreset, presets_for
from historylab.ui.session import cached, choices, session, viewing
from historylab.ui.session.chosen_system import choose_system
from historylab.ui.session.chosen_trimmer import current_trimmer, lane_of, options_in_address, served_name
from historylab.ui.session.prices import prices_in_effect
from historylab.ui.session.shown_timeline import knows_sent, sent_timeline
from historylab.ui.session.trimmer_runs import trimmed_timeline
from historylab.wording.costs import is_untrimmed


@dataclass(frozen=True, slots=True)
class Configuration:
    """One configuration. `changes` were chosen for it; one that equals your value makes no difference.

    Yours has none (None), nor has what was sent, whose settings are yours and decided nothing; nor did they decide
    anything of a trimmer, of which the changes are its name and options.
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

    @property
    def trimmer(self) -> str:
        """The name of the trimmer; "" where it is none."""
        return trimmer_in(self.changes or {})[0]

    @property
    def is_ours(self) -> bool:
        """Tell whether settings decide."""
        return self.letter != SENT and not self.trimmer

    def lane(self, conversation: Conversation) -> TrimmerLane:
        """The trimmer as it is driven over that conversation."""
        return lane_of(*trimmer_in(self.changes or {}), conversation)


def configurations() -> list[Configuration]:
    """Yours and those chosen, resolved: what the environment sets is the same in all of them.

    Before any was chosen, the trimmer that Inspect shows is beside yours. What the command line named comes first.
    """
    chosen: list[Mapping[str, Any]] = [*(session.tab().compare or ())]
    if session.tab().compare is None and current_trimmer():
        chosen = [trimmer_configuration(current_trimmer(), options_in_address())]
    every: list[Mapping[str, Any] | None]
    every = [*chosen] if YOURS in session.tab().compared_without and chosen else [None, *chosen]
    every.sort(key=lambda changes: not _is_served(changes))
    return [
        Configuration(letter, choices.resolution(also=_settings_in(changes)), changes)
        for letter, changes in zip(LETTERS, every, strict=False)
    ]


def _is_served(changes: Mapping[str, Any] | None) -> bool:
    return bool(changes) and trimmer_in(changes or {})[0] == served_name() != ""


def _settings_in(changes: Mapping[str, Any] | None) -> Mapping[str, Any]:
    return {} if changes is None or trimmer_in(changes)[0] else changes


def timeline_of(
    configuration: Configuration, compared: Sequence[Configuration], conversation: Conversation
) -> Timeline:
    """The timeline of one configuration: a trimmer is asked for every request, settings are replayed."""
    if configuration.trimmer:
        rest = [each for each in compared if each is not configuration]
        return trimmed_timeline(conversation, configuration.lane(conversation), partial(compare_these, rest))
    return cached.timeline(conversation, configuration.settings)


def complete(
    compared: list[Configuration], timelines: list[Timeline]
) -> tuple[list[Configuration], list[Timeline], list[ConfigurationPreset]]:
    """With what was really sent, and, before any was chosen, with one that is something else; and what may be added."""
    lanes, drawn = _with_sent(compared, timelines)
    offered = presets_for(drawn, [lane.settings for lane in lanes if lane.is_ours])
    if session.tab().compare is None and len(lanes) == 1 and offered:
        first, *offered = offered
        lanes.append(Configuration(LETTERS[len(compared)], choices.resolution(also=first.changes), first.changes))
        drawn.append(cached.timeline(timelines[0].original, lanes[-1].settings))
        offered = presets_for(drawn, [lane.settings for lane in lanes if lane.is_ours])
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
    failed = failures_of(timelines)
    return [cached.figures(t, prices_in_effect(t.settings.model), marks, failed) for t in timelines]


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
    """Make it yours; what was yours takes its place where it is compared, and the others keep their settings.

    A trimmer is what Inspect shows then, and what is compared stays.
    """
    chosen = next(each for each in compared if each.letter == letter)
    if chosen.trimmer:
        choose_system(f"{SYSTEM_OF_TRIMMER}{chosen.trimmer}", trimmer_in(chosen.changes or {})[1])
        compare_these(compared)
        return
    before, new = choices.resolution().settings.values(), chosen.settings.values()
    rest = [_changed_from(new, each) for each in compared if each.changes is not None and each is not chosen]
    if any(each.is_yours for each in compared):
        place = chosen_changes(compared).index(chosen.changes or {})
        rest.insert(place, changed_values(new, before))
    choices.choose_settings(changed_values(before, new))
    sent = any(each.letter == SENT for each in compared)
    choices.compare_with(rest, [WAS_SENT] * (knows_sent() and not sent))
    viewing.edit_compared("")


def _changed_from(settings: Mapping[str, object], configuration: Configuration) -> Mapping[str, Any]:
    """The settings that a configuration changes."""
    if configuration.trimmer:
        return configuration.changes or {}
    return changed_values(settings, configuration.settings.values())
