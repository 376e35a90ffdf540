"""Work in a thread of its own: done once for whoever waits, and ended once nobody does."""

from __future__ import annotations

from queue import SimpleQueue

import pytest

from historylab.ui.session import thread_work
from historylab.ui.session.tab import TabState

LONG = 60  # seconds: nothing here takes that long


@pytest.fixture
def as_tab(monkeypatch):
    """Go on as that tab."""
    return lambda tab: monkeypatch.setattr(thread_work, "tab", lambda: tab)


class Asked:
    """Work that goes on a step whenever it is let."""

    def __init__(self):
        self.begun, self.steps = 0, SimpleQueue()

    def __call__(self, tell):
        self.begun += 1
        for step in iter(self.steps.get, None):
            tell(step, 2)


def start(key, make):
    return thread_work._start_or_join(key, make)


def test_a_second_tab_joins_the_work_of_the_first(as_tab):
    asked, works = Asked(), []
    for tab in (TabState(), TabState()):
        as_tab(tab)
        works.append(start(("trimmer", 1), asked))
    asked.steps.put(None)
    assert works[0].over.wait(LONG)
    assert (works[0] is works[1], asked.begun) == (True, 1)


def test_work_goes_on_as_long_as_one_tab_waits_and_ends_then(as_tab):
    asked, tabs = Asked(), (TabState(), TabState())
    for tab in tabs:
        as_tab(tab)
        work = start(("trimmer", 2), asked)
    thread_work.leave_work("trimmer")
    asked.steps.put(1)
    assert not work.left
    as_tab(tabs[0])
    thread_work.leave_work("trimmer")
    asked.steps.put(2)
    assert work.over.wait(LONG)
    assert isinstance(work.problem, thread_work._Left)


def test_other_work_of_its_kind_takes_its_place_and_work_of_another_kind_does_not(as_tab):
    as_tab(TabState())
    first, other, second = (start(key, Asked()) for key in (("trimmer", 3), ("nearest", 3), ("trimmer", 4)))
    assert (first.left, other.left, second.left) == (True, False, False)
    for work in (first, other, second):
        work.make.steps.put(None)


def test_what_the_work_raises_is_raised_where_it_is_waited_for(as_tab):
    as_tab(TabState())

    def fail(tell):
        raise KeyError("role")

    with pytest.raises(KeyError, match="role"):
        thread_work.follow_work(("trimmer", 5), fail, lambda done, of: "", lambda: None)
    assert not thread_work.is_followed(("trimmer", 5))
