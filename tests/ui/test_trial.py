"""A trial lasts while what it set is still chosen and in effect; undoing it brings back what was chosen before."""

from __future__ import annotations

import pytest

from historylab.settings.model import Settings
from historylab.ui.session import trial
from historylab.ui.session.tab import TabState


@pytest.fixture
def state(monkeypatch) -> TabState:
    found = TabState(you={"length": 5})
    monkeypatch.setattr(trial, "tab", lambda: found)
    monkeypatch.setattr(trial, "touch", lambda: None)
    return found


def test_what_the_environment_holds_since_is_tried_no_longer(state):
    trial.try_settings({"length": 20, "budget": 9000}, Settings(length=5))
    assert trial.current_trial(Settings(length=20, budget=9000))
    assert trial.current_trial(Settings(length=3, budget=9000)) is None


def test_undoing_leaves_alone_what_was_chosen_since(state):
    trial.try_settings({"length": 20, "budget": 9000}, Settings(length=5))
    state.you["pruner"] = "fifo"
    trial.undo_trial()
    assert (state.you, state.trial) == ({"length": 5, "pruner": "fifo"}, None)
