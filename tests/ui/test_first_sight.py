"""The first sight of a file: what it was recorded with, said in one line, and buttons where a budget stays unused."""

from __future__ import annotations

import json

import pytest
import streamlit as st
from app_pages import pasted as opened_with
from app_pages import screen, shown, sources, text, unfolded

pytestmark = pytest.mark.slow  # whole screens

RECORDED = {
    "model": "claude-opus-4-5",
    "messages": [
        {"role": role, "content": f"{role} {turn} " + "and so on " * 30}
        for turn in range(4)
        for role in ("user", "assistant")
    ],
}
LONG_TURN = [
    {"role": "user", "content": "Read it all."},
    *({"role": "assistant", "content": f"part {part} " + "words " * 900} for part in range(10)),
    {"role": "user", "content": "And now?"},
]


def pasted(value: object, **link: str):
    return opened_with(screen(**link), json.dumps(value))


def test_what_a_file_was_recorded_with_is_said_once_with_the_way_back_and_forth():
    app = unfolded(pasted(RECORDED), "Model")
    assert "Recorded with claude-opus-4-5" in text(app)
    assert sources(app)["model"] == "recorded"
    shown(app.button(key="ignore-recorded").click().run())
    assert sources(app)["model"] == "default"
    shown(app.button(key="use-recorded").click().run())
    assert sources(app)["model"] == "recorded"
    shown(app.button(key="dismiss-recorded").click().run())
    assert "Recorded with claude-opus-4-5:" not in text(app)
    assert sources(app)["model"] == "recorded"


def test_a_budget_that_stays_unused_is_explained_and_a_button_uses_it():
    app = pasted(LONG_TURN, budget="8000")
    assert "was dropped whole" in text(app)
    shown(app.button(key="mend pruner.fifo.unit").click().run())
    assert "was dropped whole" not in text(app)
    assert app.query_params["pruner.fifo.unit"] == "block"


def test_a_cut_that_moves_at_most_requests_is_weighed_against_half_and_a_button_cuts_down_to_it():
    app = screen(conv="sample:birthday-by-the-sea", historyPolicy="all", budget="2000")
    assert "Cutting down to half the budget instead of exactly to it" in text(app)
    shown(app.button(key="mend pruner.fifo.trim_to").click().run())
    assert "Cutting down to half" not in text(app)
    assert app.query_params["pruner.fifo.trim_to"] == "0.5"


def test_what_was_forgotten_is_being_counted_and_nothing_else_is_claimed_until_it_is(monkeypatch):
    monkeypatch.setattr("historylab.ui.request.verdict_line.AT_ONCE", 5)
    monkeypatch.setattr("historylab.ui.request.verdict_line.headline_sentence", lambda *_: st.stop())
    app = screen(conversation="coding_agent:turns=9,seed=91", historyPolicy="all", budget="3000")
    assert " of 3k tokens at most; counting what was forgotten…" in text(app)
    assert "needed facts: counting" in text(app)
    monkeypatch.undo()
    shown(app.run())
    assert "counting" not in text(app)
