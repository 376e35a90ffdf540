"""Of long conversations a tab holds the timelines that are on the screen, of short ones the latest."""

from types import SimpleNamespace

import pytest

from historylab.ui.session.latest_timelines import LatestTimelines


@pytest.fixture
def ask(monkeypatch):
    """Ask for timelines by name in a run of the page; returns those that had to be made."""
    monkeypatch.setattr("historylab.ui.session.latest_timelines.MOST_REQUESTS", 100)
    latest = LatestTimelines()

    def ask(run, names, requests):
        made = []

        def make(name):
            made.append(name)
            return SimpleNamespace(plans=[name] * requests)

        for name in names:
            latest.timeline(name, run, requests, lambda name=name: make(name))
        return "".join(made)

    ask.latest = latest
    return ask


def test_the_latest_five_of_a_short_conversation_are_there_without_planning_them_again():
    latest, asked = LatestTimelines(), []
    for run, name in enumerate("abcdeacf"):
        latest.timeline(name, run, 1, lambda name=name: asked.append(name) or SimpleNamespace(plans=[0]))
    assert "".join(asked) == "abcdef"
    latest.timeline("b", 9, 1, lambda: asked.append("b") or SimpleNamespace(plans=[0]))  # was used the longest ago
    latest.timeline("d", 9, 1, lambda: asked.append("d") or SimpleNamespace(plans=[0]))
    assert "".join(asked) == "abcdefbd"


def test_of_a_long_one_the_timeline_before_is_given_up_but_never_one_of_the_same_run(ask):
    assert ask(1, "a", 60) == "a"
    assert ask(2, "ba", 60) == "ba"  # b took the place of a, and both are on the screen now
    assert ask(3, "ab", 60) == ""
    assert ask(4, "c", 60) == "c"
    assert ask(5, "cab", 60) == "ab"


def test_what_was_found_in_a_timeline_goes_with_it(ask):
    ask(1, "a", 60)
    timeline, key = SimpleNamespace(plans=[0] * 60), lambda timeline: "b"
    found = [ask.latest.found_in(timeline, key, 2, "lost", lambda n=n: n) for n in range(2)]
    ask(3, "c", 60)
    found.append(ask.latest.found_in(timeline, key, 4, "lost", lambda: 2))
    assert found == [0, 0, 2]
