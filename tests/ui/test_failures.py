"""A fault of ours on a page: no white page, the file and the settings kept, and a way back."""

from __future__ import annotations

import json
import re

import pytest
from app_pages import pasted, screen, shown, text, verdict
from streamlit.runtime.scriptrunner.script_runner import ScriptRunner

from historylab.ui.request import request_view
from historylab.ui.server.run_errors import hand_on
from historylab.ui.session import cached, chosen_system

pytestmark = pytest.mark.slow  # whole screens

CHAT = json.dumps([{"role": "user", "content": "Which cake?"}, {"role": "assistant", "content": "The plum one."}])
FAULT = "The page Inspect could not be drawn"


@pytest.fixture(autouse=True)
def as_our_server(monkeypatch):
    """Runs end as under the `historylab` command, callbacks too."""
    begin = ScriptRunner.__init__
    monkeypatch.setattr(
        ScriptRunner, "__init__", lambda *args, **more: begin(*args, **{**more, "on_script_error": hand_on})
    )


def fail(*_args, **_more):
    raise KeyError("the key is sk-917")


@pytest.mark.parametrize(("room", "name"), [(cached, "timeline"), (request_view, "retention_map")])
def test_a_fault_while_a_page_or_a_part_of_it_is_drawn_is_said_and_leads_back(monkeypatch, room, name):
    app = pasted(screen("app.py", historyLength="5"), CHAT)
    before = verdict(app)
    with monkeypatch.context() as patched:
        patched.setattr(room, name, fail)
        shown(app.run())
        assert FAULT in text(app) and "KeyError" in text(app)
        assert (
            re.search(r"historylab/ui/\S+, line \d+, in ", text(app)) or name == "timeline"
        )  # that is called by the page's file
        assert "sk-917" not in text(app)
        shown(app.button(key="try-again").click().run())
        assert FAULT in text(app)
    shown(app.button(key="try-again").click().run())
    assert verdict(app) == before
    assert app.number_input(key="set length").value == 5


def test_a_fault_in_a_callback_is_said_and_default_settings_are_a_way_back(monkeypatch):
    app = pasted(screen("app.py", historyLength="5"), CHAT)
    with monkeypatch.context() as patched:
        patched.setattr(chosen_system, "choose_preset", fail)
        shown(app.run())
        shown(app.selectbox(key="system").set_value("octopus").run())
    assert FAULT in text(app)
    shown(app.button(key="try-defaults").click().run())
    assert app.number_input(key="set length").value == 20
    assert len(app.session_state["historylab"].opened.conversation) == 2


def test_another_page_goes_on_without_it(monkeypatch):
    monkeypatch.setattr(cached, "timeline", fail)
    app = screen("app.py", historyLength="5")
    shown(app.switch_page("pages/conversations.py").run())
    assert FAULT not in text(app)
