"""What a tab goes on listing of what was opened in it."""

from __future__ import annotations

import pytest

from historylab.conversation.conversation import Conversation
from historylab.conversation.message import Message
from historylab.formats.base import Report
from historylab.formats.load import Conversations
from historylab.ui.session import upload_budget
from historylab.ui.session.tab import GivenFile, Opened, ReadFile, TabState


@pytest.fixture
def state(monkeypatch) -> TabState:
    found = TabState()
    monkeypatch.setattr(upload_budget, "tab", lambda: found)
    return found


def file(*texts: str, recorded: str = "") -> Opened:
    """A file of conversations of one message each, as an upload opens it."""
    report = Report(format="x", conversations=len(texts))
    said = Conversations([Conversation([Message("user", text)], text) for text in texts], report)
    return Opened(said, "", files=(ReadFile(GivenFile("a.json", b"bytes", recorded), report),))


def titles(state) -> list[str]:
    return [one.conversation.title for one in upload_budget.shelf().held.values()]


def test_all_conversations_of_a_file_stay_listed_and_its_bytes_are_let_go(state):
    upload_budget.hold(file("one", "two"))
    assert titles(state) == ["one", "two"]
    assert state.library.held[0].opened.files[0].given.data is None


def test_what_is_opened_again_is_listed_once(state):
    opened, sample = file("one"), Opened(file("s").conversations, "sample:s")
    for each in (opened, sample, opened, Opened(file("s").conversations, "sample:s")):
        upload_budget.hold(each)
    assert titles(state) == ["one", "s"]


def test_what_the_recording_has_is_not_listed_twice(state):
    upload_budget.hold(file("one", recorded="c-1"))
    assert titles(state) == []


def test_of_too_many_the_oldest_go_but_never_the_newest(state, monkeypatch):
    monkeypatch.setattr(upload_budget, "MOST_MESSAGES", 3)
    for name in ("a", "b", "c", "d"):
        upload_budget.hold(file(name))
    assert titles(state) == ["b", "c", "d"]
    upload_budget.hold(file(*"efghi"))
    assert titles(state) == list("efghi")


def test_what_is_let_go_is_gone_and_a_file_of_which_nothing_is_left_is_no_longer_held(state):
    state.opened = file("one", "two")
    upload_budget.hold(state.opened)
    first, second = upload_budget.shelf().held
    assert not upload_budget.let_go([first])
    assert titles(state) == ["two"]
    assert upload_budget.find_held(first) is None
    assert upload_budget.let_go([second, second]), "it is open: another must be"
    assert state.library.held == []
