"""A page that is loaded again: what its tab had open is held for a while, for its token alone."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from pathlib import Path

import pytest
from app_pages import landing, pasted, screen, shown, text, uploaded

from historylab.conversation.conversation import Conversation
from historylab.conversation.message import Message
from historylab.formats.base import Report
from historylab.formats.load import Conversations
from historylab.settings.names import OPEN
from historylab.ui.session import coming_back, tab_shelf
from historylab.ui.session.landing import NAME
from historylab.ui.session.tab import GivenFile, HeldFile, LibraryChoices, Opened, ReadFile, TabState
from historylab.ui.session.tab_shelf import KEPT, TabShelf
from historylab.ui.toolbar.opened_files import NOT_IN_LINK

CHAT = [{"role": "user", "content": "Where is my order?"}, {"role": "assistant", "content": "On its way."}]
FILE = ("a.json", json.dumps(CHAT).encode())


@dataclass
class Clock:
    seconds: float = 0

    def __call__(self) -> float:
        return self.seconds


def tab_with(*texts: str, given: bytes | Path = b"") -> TabState:
    """A tab that has a file of that conversation open."""
    said = Conversations([Conversation([Message("user", text) for text in texts])], Report(format="x"))
    opened = Opened(said, "", files=(ReadFile(GivenFile("a.json", given), said.report),))
    return TabState(opened=opened, library=LibraryChoices(held=[HeldFile(0, opened, 0)]))


def left(shelf: TabShelf, token: str, state: TabState) -> TabState:
    shelf.hold(token, state)
    shelf.leave(token)
    return state


def test_a_tab_is_held_for_its_token_alone_until_its_time_is_over():
    clock = Clock()
    shelf = TabShelf(clock)
    for token in ("early", "late"):
        left(shelf, token, tab_with(token))
    clock.seconds = KEPT - 1
    assert shelf.take("another") is None
    assert shelf.take("early").opened.conversation[0].content == "early"
    assert shelf.take("early") is None, "its tab has another token now"
    clock.seconds = KEPT
    assert shelf.take("late") is None
    assert not len(shelf)


def test_as_long_as_a_tab_is_connected_its_time_does_not_begin():
    clock = Clock()
    shelf = TabShelf(clock)
    shelf.hold("there", tab_with("a"))
    clock.seconds = 10 * KEPT
    assert shelf.take("there")
    assert shelf.take("there"), "of a tab that was duplicated, both come back"


@pytest.mark.parametrize(("limit", "most"), [("MOST_MESSAGES", 3), ("MOST_TOGETHER", 30)])
def test_of_too_much_the_oldest_goes(monkeypatch, limit, most):
    monkeypatch.setattr(tab_shelf, limit, most)
    shelf = TabShelf()
    for token in "abc":
        left(shelf, token, tab_with("x", given=b"123456789"))
    left(shelf, "d", tab_with("x", given=b"123456789"))
    assert [token for token in "abcd" if shelf.take(token)] == ["b", "c", "d"]


def test_what_is_forgotten_is_held_by_no_token():
    shelf = TabShelf()
    state = left(shelf, "a", tab_with("x"))
    shelf.hold("of its duplicate", TabState(opened=state.opened))
    shelf.hold("other", tab_with("x"))
    shelf.drop(state.opened.conversations)
    assert [token for token in ("a", "of its duplicate", "other") if shelf.take(token)] == ["other"]


# -- on a page


@pytest.fixture
def shelf(monkeypatch) -> TabShelf:
    found = TabShelf()
    monkeypatch.setattr(coming_back, "_SHELF", found)
    return found


def reloaded(app, monkeypatch, **link: str):
    """The page as a new session of the same tab draws it."""
    token, name = app.session_state["historylab"].token, "a.json"
    monkeypatch.setattr(coming_back, "is_awaited", lambda: _take(token, name))
    return screen(**(link or {name: app.query_params[name] for name in app.query_params}))


def _take(token: str, name: str) -> bool:
    if not coming_back.session.tab().asked_browser:
        coming_back.take_back(token, name)
    return False


@pytest.mark.slow
def test_a_file_comes_back_with_its_marks(shelf, monkeypatch):
    app = uploaded(screen(), FILE)
    app.session_state["historylab"].stars = (1,)
    app = reloaded(app, monkeypatch)
    assert "2 messages, 1 turn" in text(app)
    assert app.session_state["historylab"].stars == (1,)
    assert app.session_state["historylab"].token
    assert NOT_IN_LINK not in text(app)


@pytest.mark.slow
def test_it_comes_back_where_the_address_names_no_conversation_and_is_said_there(shelf, monkeypatch):
    app = reloaded(uploaded(screen(), FILE), monkeypatch, budget="777")
    assert "2 messages, 1 turn" in text(app)
    assert (app.query_params["conv"], app.query_params["budget"]) == ("file", "777")


@pytest.mark.slow
def test_where_the_server_has_a_file_of_its_own_each_comes_back_by_its_address(shelf, monkeypatch, tmp_path):
    path = tmp_path / "served.json"
    path.write_bytes(json.dumps([*CHAT, *CHAT]).encode())
    monkeypatch.setenv(OPEN, str(path))
    app = uploaded(landing(), FILE)
    assert "2 messages, 1 turn" in text(reloaded(app, monkeypatch))
    assert "4 messages, 2 turns" in text(reloaded(app, monkeypatch, budget="777"))


@pytest.mark.slow
def test_what_a_link_names_counts_for_more_and_the_file_stays_listed(shelf, monkeypatch):
    app = reloaded(uploaded(screen(), FILE), monkeypatch, conv="sample:garden-room")
    assert "The garden room" in text(app)
    assert [held.opened.spec for held in app.session_state["historylab"].library.held] == [
        "sample:birthday-by-the-sea",
        "",
        "sample:garden-room",
    ]


@pytest.mark.slow
def test_a_file_of_this_machine_is_read_again_if_it_has_changed(shelf, monkeypatch, tmp_path):
    path = tmp_path / "a.json"
    path.write_bytes(FILE[1])
    app = screen()
    app.session_state["historylab"].to_open = coming_back.ToOpen((GivenFile("a.json", path),))
    app = shown(app.run().run())
    path.write_bytes(json.dumps([*CHAT, *CHAT]).encode())
    os.utime(path, (2**33, 2**33))
    assert "4 messages, 2 turns" in text(reloaded(app, monkeypatch))


@pytest.mark.slow
def test_what_is_no_longer_held_is_said_by_its_name_as_text(shelf, monkeypatch):
    monkeypatch.setattr(coming_back, "is_awaited", lambda: _take("none", "<b>a.json"))
    app = landing()
    assert "“&lt;b&gt;a.json” is no longer held here." in text(app)
    shown(app.button(key="forget-gone").click().run())
    assert "no longer held" not in text(app)


@pytest.mark.slow
def test_a_forgotten_file_is_nowhere_and_what_else_was_opened_stays_listed(shelf):
    app = pasted(uploaded(screen(), FILE), json.dumps(CHAT + CHAT))
    shown(app.button(key="forget-file").click().run())
    state = app.session_state["historylab"]
    assert [held.opened.spec.partition(":")[2] for held in state.library.held] == ["birthday-by-the-sea", "", NAME]
    assert state.token, "the first file is still to come back"


def test_a_first_visit_is_asked_nothing_and_given_no_token(shelf):
    app = landing()
    assert app.session_state["historylab"].token is None
    assert not len(shelf)
