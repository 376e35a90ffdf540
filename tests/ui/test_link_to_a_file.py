"""Links made while a file of one's own is open: they can't hold it, and where it isn't open the page says so."""

from __future__ import annotations

import json

import pytest
from app_pages import landing, next_conversation, screen, shown, text, uploaded

from historylab.ui.toolbar.opened_files import NOT_IN_LINK

pytestmark = pytest.mark.slow

SAID = [
    {"role": "user", "content": "Where is my order?"},
    {"role": "assistant", "content": "On its way."},
    {"role": "user", "content": "And the other one?"},
    {"role": "assistant", "content": "It arrives today."},
]
FILE = ("orders.json", json.dumps(SAID).encode())
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
    app = uploaded(screen(**LINK, which="2"), FILE, ("more.json", json.dumps(SAID[:2]).encode()))
    assert "2 messages, 1 turn" in text(app)


def test_who_wants_the_sample_is_told_no_more_and_its_address_names_it():
    app = screen(**LINK)
    shown(app.button(key="forget-gone").click().run())
    assert NOT_IN_LINK not in text(app)
    assert address(app) == {"budget": "777"}


def test_the_address_says_that_it_is_a_file_and_not_its_name():
    assert address(uploaded(screen(), FILE)) == {"v": "1", "conv": "file"}


def test_the_shared_link_says_which_conversation_of_the_file():
    app = next_conversation(uploaded(screen(), FILE, ("more.json", json.dumps(SAID[:2]).encode())))
    shown(app.button(key="share").click().run())
    assert "conv=file&which=2" in app.code[0].value


def test_back_shows_what_was_open_before_the_file_and_forward_the_file():
    app = uploaded(screen(budget="777"), FILE)
    with_file = address(app)
    assert "A birthday by the sea" in text(at(app, budget="777"))
    app = at(app, **with_file)
    assert "4 messages, 2 turns" in text(app)
    assert NOT_IN_LINK not in text(app)


def test_back_to_the_empty_address_shows_the_landing():
    app = uploaded(landing(), FILE)
    assert "Farewell lunch" in text(at(app))
