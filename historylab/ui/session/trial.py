"""Trying the settings that would keep a message: applied in one click, and taken back to what was chosen before.

A trial lasts as long as every value it set is still the one chosen, and in effect.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from historylab.planning.replay import Timeline
from historylab.settings.model import Settings
from historylab.ui.session import cached, choices
from historylab.ui.session.chosen_trimmer import current_trimmer, lane_on_screen
from historylab.ui.session.session import tab, touch
from historylab.ui.session.shown_timeline import sent_timeline, shows_as_sent
from historylab.ui.session.tab import TriedChanges
from historylab.ui.session.trimmer_runs import trimmed_timeline
from historylab.ui.session.viewing import current_file


def try_settings(changes: Mapping[str, Any], now: Settings) -> None:
    """Choose these values, all at once, in place of what the settings are `now`."""
    state, sent = tab(), shows_as_sent(choices.resolution())
    lane = lane_on_screen(current_file().conversation) if current_trimmer() else None
    chosen = {name: state.you[name] for name in changes if name in state.you}
    state.trial = TriedChanges(dict(changes), {name: now.value(name) for name in changes}, chosen, sent, lane)
    state.you.update(changes)
    state.problem = ""
    touch()


def current_trial(now: Settings | None = None) -> TriedChanges | None:
    """The trial whose values are still chosen, and in effect where it is said what the settings are `now`."""
    state = tab()
    trial = state.trial
    lasts = trial and all(
        state.you.get(name) == value and (now is None or now.value(name) == value)
        for name, value in trial.changes.items()
    )
    return trial if lasts else None


def undo_trial() -> None:
    """Choose again exactly what was chosen before; what nobody had chosen comes from where it came from."""
    state, trial = tab(), current_trial()
    if trial:
        for name in trial.changes:
            del state.you[name]
        state.you.update(trial.chosen)
    keep_trial()


def keep_trial() -> None:
    """Say no more that the values are tried: they are choices like any other."""
    tab().trial = None
    touch()


def before_trial(timeline: Timeline, trial: TriedChanges) -> Timeline:
    """The same conversation without the trial: as was shown, a trimmer's or as sent, else under the other settings."""
    if trial.lane:
        return trimmed_timeline(timeline.original, trial.lane, keep_trial)
    if trial.as_sent and (sent := sent_timeline()):
        return sent
    return cached.timeline(timeline.original, timeline.settings.replace(**trial.were))
