"""Improve where a trimmer that isn't ours is on screen: that is what settings must do better than."""

from __future__ import annotations

import pytest
from app_pages import screen, shown, text

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("tune page, trimmer")]  # one process has the advice
BUFFERED = "trimmer:autogen.BufferedChatCompletionContext"
LINK = {"conv": "gen:support_desk:turns=12,seed=3", "system": BUFFERED, "trimmer.buffer_size": "6"}
TITLE = "AutoGen BufferedChatCompletionContext"


def searched(**link: str):
    """The page with the cheapest settings picked."""
    app = shown(screen("app.py", **link).switch_page("pages/tune.py").run())
    begin = [button for button in app.button if button.key == "start search"]  # unless an earlier test has the advice
    app = shown(begin[0].click().run()) if begin else app
    looked_at = next(each for each in app.selectbox if each.label.startswith("Settings looked at"))
    other = next(option for option in looked_at.options if not option.startswith(TITLE))
    return shown(looked_at.select(other).run())


def test_settings_are_set_beside_the_trimmer_and_tried_in_its_place():
    app = searched(**LINK)
    assert app.selectbox(key="system").value == BUFFERED
    assert f"better than {TITLE}" in app.segmented_control(key="aim").options
    assert TITLE in text(app)
    app = shown(app.button(key="use").click().run())
    assert app.selectbox(key="system").value == ""
    assert shown(app.button(key="undo-trial").click().run()).selectbox(key="system").value == BUFFERED


def test_both_are_compared_with_a_click():
    app = shown(searched(**LINK).button(key="compare-with-mine").click().run())
    assert "trimmer.buffer_size:6" in app.query_params["cmp"]


def test_beside_what_the_environment_holds_only_settings_are_searched(monkeypatch):
    monkeypatch.setenv("HISTORYLAB_PRUNER", "fifo")
    app = shown(screen("app.py", **LINK).switch_page("pages/tune.py").run())
    assert BUFFERED not in app.selectbox(key="system").options
    assert "AutoGen" not in " ".join(app.selectbox(key="system").options)
