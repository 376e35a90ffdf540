"""Links made while a file of one's own is open: they can't hold it, and where it isn't open the page says so."""

from __future__ import annotations

import json

import pytest
from app_pages import landing, next_conversation, screen, shown, text, uploaded

from historylab.settings.names import OPEN
from historylab.ui.toolbar.opened_files import NOT_IN_LINK

pytestmark = pytest.mark.slow

SAID = [
    {"role": "user", "content": "Where is my order?"},
    {"role": "assistant", "content": "On its way."},
    {"role": "user", "content": "And the other one?"},
    {"role": "assistant", "content": "It arrives today."},
]
FILE = ("orders.json", json.dumps(SAID).encode())
SHORTER = ("shorter.json", json.dumps(SAID[:2]).encode())
LINK = {"v": "1", "conv": "file", "budget": "777", "request": "1"}


def state(app):
    return app.session_state["historylab"]


def address(app) -> dict[str, str]:
    return {name: app.query_params[name] for name in app.query_params}


def at(app, **parameters: str):
    """The same as the browser draws it after Back or Forward to that address."""
    app.query_params.clear()
    for name, value in parameters.items():
        app.query_params[name] = value
    return shown(app.run())


def test_what_is_shown_instead_is_told_and_the_address_goes_on_saying_it():
    app = screen(**LINK, present="true")
    assert NOT_IN_LINK in text(app)
    assert "A birthday by the sea" in text(app)
    assert address(app) == LINK
    assert not state(app).presenting


@pytest.mark.parametrize("page", ["pages/compare.py", "pages/tune.py"])
def test_it_is_told_on_the_other_pages_too(page):
    assert NOT_IN_LINK in text(screen(page, **LINK))


def test_nothing_is_told_where_a_link_names_what_it_opens_or_says_nothing():
    assert NOT_IN_LINK not in text(landing()) + text(screen(budget="777"))


def test_the_file_that_is_opened_then_has_the_links_settings_and_request():
    app = uploaded(screen(**LINK), FILE)
    assert NOT_IN_LINK not in text(app)
    assert (app.query_params["budget"], state(app).request) == ("777", 0)


def test_of_several_conversations_in_it_the_links_is_shown():
    app = uploaded(screen(**LINK, which="2"), FILE, SHORTER)
    assert "2 messages, 1 turn" in text(app)


def test_who_wants_the_sample_is_told_no_more_and_its_address_names_it():
    app = screen(**LINK)
    shown(app.button(key="forget-gone").click().run())
    assert NOT_IN_LINK not in text(app)
    assert address(app) == {"budget": "777"}


def test_the_address_says_that_it_is_a_file_and_not_its_name():
    assert address(uploaded(screen(), FILE)) == {"v": "1", "conv": "file"}


def test_the_shared_link_says_which_conversation_of_the_file():
    app = next_conversation(uploaded(screen(), FILE, SHORTER))
    shown(app.button(key="share").click().run())
    assert "conv=file&which=2" in app.code[0].value


def test_back_shows_what_was_open_before_the_file_and_forward_the_file():
    app = uploaded(screen(budget="777"), FILE)
    with_file = address(app)
    assert "A birthday by the sea" in text(at(app, budget="777"))
    app = at(app, **with_file)
    assert "4 messages, 2 turns" in text(app)
    assert NOT_IN_LINK not in text(app)


def test_forward_shows_the_file_that_was_shown_last_and_not_the_one_given_last():
    app = uploaded(uploaded(screen(budget="777"), FILE), SHORTER)
    with_file = address(app)
    _, chosen, newer = state(app).library.held
    chosen.at = newer.at + 1  # as it is once it was chosen from the list
    assert "4 messages, 2 turns" in text(at(at(app, budget="777"), **with_file))


def test_back_to_the_empty_address_shows_the_landing():
    app = uploaded(landing(), FILE)
    assert "Farewell lunch" in text(at(app))


def test_a_conversation_that_cannot_be_named_opens_the_sample_that_the_address_then_names():
    assert address(screen(conv="nope")) == {"v": "1", "conv": "sample:birthday-by-the-sea"}


# -- where the command line names a file, which a link without a conversation opens


@pytest.fixture
def served(monkeypatch, tmp_path) -> None:
    path = tmp_path / "served.json"
    path.write_bytes(SHORTER[1])
    monkeypatch.setenv(OPEN, str(path))


def test_the_servers_own_file_needs_no_name(served):
    app = landing()
    assert "2 messages, 1 turn" in text(app)
    assert address(shown(app.run())) == {}
    shown(app.button(key="share").click().run())
    assert "conv=" not in app.code[0].value
    assert "no conversation: this server opens its own file" in text(app)


def test_a_link_made_from_a_file_does_not_open_the_servers(served):
    app = screen(**LINK)
    assert NOT_IN_LINK in text(app)
    assert "A birthday by the sea" in text(app)


def test_back_and_forward_tell_the_servers_file_and_ones_own_apart(served):
    app = uploaded(landing(), FILE)
    assert address(app) == {"v": "1", "conv": "file"}
    assert "2 messages, 1 turn" in text(at(app))
    assert "4 messages, 2 turns" in text(at(app, v="1", conv="file"))
    assert len(state(app).library.held) == 2
