"""Every field's callback while its field is gone, as on a browser that is behind: None is nothing chosen."""

from __future__ import annotations

import pytest
from app_pages import opening, screen, shown
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
