"""The landing, where nothing is asked for and nothing is set; and the samples, each of which has something to show."""

from __future__ import annotations

import pytest
from app_pages import landing, on_tab, opening, screen, shown, sources, text

from historylab.formats.samples import load_sample, samples
from historylab.planning.replay import replay
from historylab.recall.retention import retention
from historylab.recordings.as_sent import as_sent, has_cuts
from historylab.settings.link import decode
from historylab.settings.resolve import resolve_settings
from historylab.ui.session import address
from historylab.ui.session.landing import STORY, story_of
from historylab.ui.session.tab import TabState


def test_the_story_is_one_a_compaction_wrote_and_it_opens_at_the_request_that_needs_what_was_lost():
    link = decode(STORY)
    conversation = load_sample(link.place.conversation.removeprefix("sample:"))[0]
    timeline = as_sent(conversation)
    (loss,) = (each for each in retention(timeline, stars=link.place.stars).losses if each.kind == "reference")
    assert has_cuts(conversation)
    assert not link.settings
    assert (loss.value, loss.step, (loss.message,)) == ("walnuts", link.place.request, link.place.stars)


def has_something_to_see(name: str) -> bool:
    """Whether under the settings of its link something is lost or cut in the sample, or was as it was sent."""
    settings = resolve_settings(env={}, url=decode(story_of(name)).settings).settings
    timelines = [as_sent(one) if has_cuts(one) else replay(one, settings) for one in load_sample(name)]
    return any(retention(one).losses or set("SDT") & set(one.plans[-1].sketch()) for one in timelines)


@pytest.mark.parametrize("name", samples())
def test_every_sample_opens_on_something_lost_or_cut(name):
    assert has_something_to_see(name)


@pytest.mark.slow
def test_a_sample_brings_its_settings_and_takes_them_along():
    app = landing()
    assert not app.query_params  # the empty address opens it
    opening(app, "Sample")
    shown(app.button(key="sample bike-rental-support").click().run())
    assert "A squealing brake" in text(app)
    assert sources(app)["length"] == "sample"  # not a link of the reader's
    assert app.query_params["historyLength"] == "2"
    assert "Source: sample" in text(on_tab(app, "Debug"))
    opening(app, "Sample")
    shown(app.button(key="sample birthday-by-the-sea").click().run())
    assert sources(app)["length"] == "default"
    assert app.query_params["conv"] == "sample:birthday-by-the-sea"  # so that a reload doesn't open the landing
    app.query_params.clear()  # Back
    assert "Farewell lunch" in text(shown(app.run()))


@pytest.mark.slow
def test_what_was_chosen_stays_when_a_sample_is_opened():
    app = opening(screen(historyLength="7"), "Sample")
    shown(app.button(key="sample bike-rental-support").click().run())
    assert "A squealing brake" in text(app)
    assert app.query_params["historyLength"] == "7"


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
