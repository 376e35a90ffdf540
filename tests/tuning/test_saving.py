"""A saving that loses nothing more, among a few settings."""

from __future__ import annotations

import pytest
from sketches import load_sample

from historylab import Settings, replay
from historylab.recall.retention import Retention, retention
from historylab.tuning import saving
from historylab.tuning.saving import find_saving


def measured(name: str, **settings) -> Retention:
    return retention(replay(load_sample(name)[0], Settings(**settings)))


def test_a_saving_is_what_replaying_its_settings_comes_to():
    own = measured("garden-room")
    best = find_saving(own, None)
    again = retention(replay(own.timeline.original, best.settings))
    assert best.settings == own.timeline.settings.replace(**best.changes)
    assert (best.lost, best.were_lost) == (len(again.losses), len(own.losses))
    assert best.cost == pytest.approx(again.timeline.contexts.sum() / own.timeline.contexts.sum())


def test_what_loses_least_is_chosen_before_what_costs_least():
    own = measured("birthday-by-the-sea", length=2)
    best = find_saving(own, None)
    assert best.lost < best.were_lost
    assert best.cost > 1


def test_settings_that_were_tried_are_not_planned_again_under_another_budget(monkeypatch):
    planned = list[Settings]()
    monkeypatch.setattr(saving, "replay", lambda *given: planned.append(given[1]) or replay(*given))
    own, other = measured("garden-room", budget=5000), measured("garden-room", budget=6000)
    find_saving(own, None)
    once = len(planned)
    assert find_saving(other, None).settings == find_saving(own, None).settings
    assert [settings for settings in planned[once:] if settings.budget < 5000] == []
