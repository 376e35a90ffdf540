"""The landing: where nothing is asked for and nothing is set, a sample whose settings lose what is needed later."""

from __future__ import annotations

import pytest
from app_pages import landing, on_tab, opening, screen, shown, sources, text, verdict

from historylab.formats.samples import load_sample
from historylab.planning.replay import replay
from historylab.recall.retention import retention
from historylab.settings.link import decode
from historylab.settings.resolve import resolve_settings
from historylab.ui.session import address
from historylab.ui.session.landing import STORY
from historylab.ui.session.tab import TabState


def told(**changes):
    link = decode(STORY)
    settings = resolve_settings(env={}, url={**link.settings, **changes}).settings
    return replay(load_sample(link.place.conversation.removeprefix("sample:"))[0], settings), link.place


def test_the_story_has_one_loss_and_the_request_it_opens_at_is_the_one_that_needs_it():
    timeline, place = told()
    (loss,) = retention(timeline).losses
    assert (loss.kind, loss.value, loss.step, (loss.message,)) == ("reference", "walnuts", place.request, place.stars)
    assert len(set(timeline.plans[place.request].sketch())) >= 3


@pytest.mark.slow
def test_it_goes_with_its_settings_when_another_conversation_is_opened():
    app = landing()
    assert "1 of 37  facts it needed was missing, 1 ⚑ lost" in verdict(app)
    assert sources(app)["budget"] == "sample"  # not a link of the reader's
    assert not app.query_params  # the empty address opens it
    opening(app, "Sample")
    shown(app.button(key="sample birthday-by-the-sea").click().run())
    assert sources(app)["budget"] == "default"
    assert app.query_params["conv"] == "sample:birthday-by-the-sea"  # so that a reload doesn't open the landing
    app.query_params.clear()  # Back
    shown(app.run())
    assert "Source: sample" in text(on_tab(app, "Debug"))


@pytest.mark.slow
@pytest.mark.parametrize(("name", "link"), [("HISTORYLAB_LENGTH", {}), ("", {"historyLength": "20"})])
def test_whatever_is_set_or_asked_for_counts_instead(monkeypatch, name, link):
    if name:
        monkeypatch.setenv(name, "20")
    app = screen(**link) if link else landing()
    assert "A birthday by the sea" in text(app)


def test_compare_left_while_it_plays_does_not_begin_again(monkeypatch):
    state = TabState(playing=True)
    monkeypatch.setattr(address, "tab", lambda: state)
    monkeypatch.setattr(address, "address_parameters", dict)
    monkeypatch.setattr(state.address, "receive", lambda page, given: False)
    address.follow_link("compare")
    assert state.playing
    address.follow_link("playground")
    assert not state.playing
