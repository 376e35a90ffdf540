"""Fields on a browser that is behind: what is empty is nothing chosen, and so is what was there before."""

from __future__ import annotations

import pytest
from app_pages import landing, opening, screen, shown, sources, uploaded
from streamlit.runtime.state.session_state import SessionState

from historylab.ui.session import session
from historylab.ui.session.chosen_system import choose_preset
from historylab.ui.shared.page import PAGES
from historylab.wording.settings import GROUPS

pytestmark = pytest.mark.slow  # every page, drawn again

FOLDED = (
    "overhead-count",
    *(f"{fold} {group}" for fold in ("group", "advanced") for group in GROUPS),
    "edit url",
    "edit you",
)
"""Fields inside what is folded."""


@pytest.fixture
def empty_every_field(monkeypatch):
    """A function that runs the page once more, with every field's callback called while no field holds anything."""

    def run(app) -> list[str]:
        called = []

        def call_all(state: SessionState, **_replayed) -> None:
            for widget, metadata in list(state._new_widget_state.widget_metadata.items()):
                callbacks = [metadata.callback, *(metadata.callbacks or {}).values()]
                for callback in filter(None, callbacks if metadata.value_type != "trigger_value" else ()):
                    called.append(widget)
                    callback(*(metadata.callback_args or ()), **(metadata.callback_kwargs or {}))

        with monkeypatch.context() as patched:
            patched.setattr(SessionState, "_call_callbacks", call_all)
            patched.setattr(session, "widget_value", lambda _key: None)
            shown(app.run())
        shown(app.run())
        return called

    return run


def unfolded(app, *also: str):
    for key in (*FOLDED, *also):
        app.session_state[key] = True
    return shown(app.run())


@pytest.mark.parametrize("page", PAGES)
def test_no_field_of_a_page_fails_once_it_is_emptied(page, empty_every_field):
    app = unfolded(screen(f"pages/{page}.py", conv="sample:ferry-desk"), *(["search"] if page == "tune" else []))
    before = dict(app.session_state["historylab"].you)
    assert empty_every_field(app) or page == "live"
    assert app.session_state["historylab"].you == before


@pytest.mark.parametrize("way", ["Sample", "Upload", "Paste", "Generate"])
def test_no_field_of_the_open_drawer_fails_once_it_is_emptied(way, empty_every_field):
    assert empty_every_field(opening(screen("pages/playground.py"), way))


@pytest.mark.parametrize("system", ["mentu", "octopus"])
def test_no_field_of_a_system_fails_once_it_is_emptied(system, empty_every_field):
    app = unfolded(screen("pages/talk.py", system=system))
    empty_every_field(app)
    assert app.session_state["historylab"].system == system


@pytest.mark.parametrize("name", [None, "kraken"])
def test_a_system_that_is_none_changes_nothing(name):
    app = screen("pages/playground.py", system="octopus")

    def choose(state: SessionState, **_replayed) -> None:
        choose_preset(name)

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(SessionState, "_call_callbacks", choose)
        shown(app.run())
    assert app.session_state["historylab"].system == "octopus"


FILE = ("orders.json", b'[{"role": "user", "content": "Where is it?"}]')


def test_what_a_field_held_of_another_conversation_and_a_slow_browser_tells_again_is_no_choice():
    app = landing()
    suggested = app.text_input(key="set budget").value
    uploaded(app, FILE)
    shown(app.text_input(key="set budget").set_value(suggested).run())
    assert "budget" not in app.session_state["historylab"].you
    assert app.text_input(key="set budget").value != suggested


def test_the_same_value_chosen_after_another_or_later_is_a_choice(monkeypatch):
    app = landing()
    suggested = app.text_input(key="set budget").value
    uploaded(app, FILE)
    for value in ("900", suggested):
        shown(app.text_input(key="set budget").set_value(value).run())
    assert sources(app)["budget"] == "you"
    monkeypatch.setattr(session, "LATE", 0.0)
    app = uploaded(landing(), FILE)
    shown(app.text_input(key="set budget").set_value(suggested).run())
    assert sources(app)["budget"] == "you"
