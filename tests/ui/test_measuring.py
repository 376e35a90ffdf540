"""Measuring the listed conversations: one by one, stopped by a click, gone on with by another."""

from __future__ import annotations

import pytest
from sketches import conv

from historylab.recordings.entries import Held, HeldShelf
from historylab.recordings.library import Library
from historylab.tuning.workload import Load
from historylab.ui.library import measuring
from historylab.ui.library.measuring import Measured, Rows
from historylab.ui.session.background_work import Work

SAID = ["s u a u a", "u a", "u a u a u", "u a u"]
KEYS = [f"held:0:{i}" for i in range(len(SAID))]


class Click(BaseException):
    """As Streamlit raises one."""


@pytest.fixture
def measured(monkeypatch):
    """The keys of what was measured, in turn; each is measured by name, and looked at after."""
    done: list[str] = []

    def measure(conversation, spec, version):
        done.append(version)
        return Measured(version, Load(conversation.columns.requests, conversation.columns.requests, 1, 0))

    monkeypatch.setattr(measuring, "measured_of", measure)
    monkeypatch.setattr("historylab.ui.library.measuring.held.spec_of", lambda key: "")
    monkeypatch.setattr(measuring, "SECONDS_BETWEEN_LOOKS", -1)
    return done


def rows(work: Work, *said: str) -> Rows:
    held = (Held(key, "imported", "", 0, conv(each)) for key, each in zip(KEYS, said or SAID, strict=True))
    return Rows(work, Library(HeldShelf(held)), KEYS)


def test_a_click_keeps_what_was_measured_and_the_next_run_goes_on(measured):
    work = Work(result={})

    def click(done: int, of: int) -> None:
        if done == 2:
            raise Click

    with pytest.raises(Click):
        rows(work).measure(click)
    assert rows(work).missing == KEYS[2:]
    rows(work).measure(lambda *_: None)
    assert not rows(work).missing
    assert len(measured) == len(set(measured)) == 4


def test_it_stops_after_a_moment_so_that_the_page_shows_what_came_of_it(measured, monkeypatch):
    monkeypatch.setattr(measuring, "SECONDS", -1)
    work = Work(result={})
    rows(work).measure(lambda *_: None)
    assert rows(work).missing == KEYS[1:]


def test_progress_is_told_out_of_all_that_are_listed(measured):
    seen: list[tuple[int, int]] = []
    rows(Work(result={})).measure(lambda *now: seen.append(now))
    assert seen == [(1, 4), (2, 4), (3, 4), (4, 4)]


def test_one_that_changed_is_measured_again_and_no_other(measured):
    work = Work(result={})
    rows(work).measure(lambda *_: None)
    assert rows(work, *SAID[:3], "u a u a").missing == KEYS[3:]


def test_what_takes_long_is_not_begun_by_itself(monkeypatch):
    monkeypatch.setattr(measuring, "AT_ONCE", 13)
    assert not rows(Work(result={})).is_quick
    monkeypatch.setattr(measuring, "AT_ONCE", 15)
    assert rows(Work(result={})).is_quick
