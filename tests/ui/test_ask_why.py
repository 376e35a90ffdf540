"""Asking why words weren't known: the answer stays about the request it was asked of, and leads there."""

from __future__ import annotations

import pytest
from app_pages import screen, shown, text

SAMPLE = {"conv": "sample:held-for-the-auditors"}
pytestmark = pytest.mark.slow  # whole screens, drawn again at every click


def asked(words: str, request: int):
    app = screen(**SAMPLE)
    app.session_state["historylab"].asked = (words.strip(), request)
    app.session_state["historylab"].request = request
    return shown(app.run())


def click(app, label: str):
    return shown(app.button(key=f"asked {label}").click().run())


def looked_at(app) -> tuple[int, int]:
    state = app.session_state["historylab"]
    return state.request, state.message


def test_it_says_what_removed_the_words_and_leads_to_where_they_were():
    app = asked(" Ilse Brandt ", 14)
    assert "It wasn’t in request 15, as far as the file shows." in text(app)
    assert "Settings that would have sent it: Policy " in text(app)
    assert looked_at(click(app, "Message 1")) == (14, 0)
    assert looked_at(click(app, "Request 11, the last that had it")) == (10, 0)
    assert looked_at(click(app, "Request 12")) == (11, 0)
    assert "It wasn’t in request 15, as far as the file shows." in text(app)


def test_every_message_that_the_answer_names_is_a_click_away():
    app = asked("Ilse Brandt", 14)
    assert "Said in messages 1 (a person), 37 (a person), 38 (the assistant) and 40 (the assistant)." in text(app)
    assert [looked_at(click(app, f"Message {number}"))[1] for number in (1, 37, 38, 40)] == [0, 36, 37, 39]


def test_what_nobody_said_has_what_comes_near_and_leads_nowhere():
    app = asked("Ilse Brant", 3)
    assert "Near it: “brandt” (message 1), “ilse” (message 1)." in text(app)
    assert not [button for button in app.button if str(button.key).startswith("asked ")]


def test_another_conversation_was_asked_nothing():
    app = asked("Ilse Brandt", 14)
    app.query_params["conv"] = "sample:agatha-the-fern"
    assert "Ilse" not in text(shown(app.run()))
