"""A strict environment on screen, whoever switched it on: it shuts out link, choices and uploads, and says so."""

from __future__ import annotations

import pytest
from app_pages import ROOT, screen, shown, sources, text, unfolded

pytestmark = pytest.mark.slow  # whole screens, drawn again at every click

SWITCH, LENGTH = "HISTORYLAB_STRICT_ENVIRONMENT", "NEXT_PUBLIC_DEFAULT_HISTORY_LENGTH"
PLAYGROUND, SETTINGS = "pages/playground.py", "pages/settings.py"
LINK = {"historyPolicy": "none", "historyLength": "99", "budget": "500", "system": "octopus"}
SAYS = "The environment is strict and sets"


def settings_of(app):
    return app.session_state["historylab"]


@pytest.fixture
def strict(monkeypatch):
    monkeypatch.setenv(SWITCH, "true")
    monkeypatch.setenv(LENGTH, "4")


@pytest.mark.parametrize("page", sorted(path.name for path in (ROOT / "pages").glob("*.py")))
def test_every_page_is_drawn_and_says_so(strict, page):
    told = text(screen(f"pages/{page}", **LINK))
    assert f"{SAYS} {LENGTH}, so the URL and your choices are ignored; " in told


@pytest.mark.feature("A15")
def test_nothing_of_the_link_counts_and_every_setting_is_locked(strict):
    app = screen(PLAYGROUND, **LINK)
    assert "8 of 166 messages sent" in text(app)  # the instructions, 4 questions, 3 answers between
    assert {sources(app)[name] for name in ("policy", "budget", "pruner")} == {"default"}
    assert sources(app)["length"] == "environment"
    assert [w.key for kind in ("number_input", "toggle", "segmented_control") for w in app.sidebar.get(kind)] == []
    assert app.selectbox(key="system").disabled
    assert "the environment is strict" in text(app)


@pytest.mark.feature("A15")
def test_the_switch_on_screen_does_the_same_and_back(monkeypatch):
    monkeypatch.setenv(LENGTH, "4")
    app = screen("app.py", **LINK)
    assert sources(app)["budget"] == "URL"
    shown(app.switch_page(SETTINGS).run())
    shown(app.toggle(key="strict").set_value(True).run())
    assert SAYS in text(app)
    assert 'title="the environment is set, so the URL as a whole is ignored">500</span>' in html(app)
    shown(app.switch_page(PLAYGROUND).run())
    assert sources(app)["budget"] == "default"
    shown(app.switch_page(SETTINGS).run())
    shown(app.toggle(key="strict").set_value(False).run())
    shown(app.switch_page(PLAYGROUND).run())
    assert sources(app)["budget"] == "URL"
    assert SAYS not in text(app)


@pytest.mark.feature("A15")
def test_no_link_switches_it_on_or_off(monkeypatch):
    names = (SWITCH, "strict", "strict_environment", "strictEnvironment")
    monkeypatch.setenv(LENGTH, "4")
    app = screen(SETTINGS, **dict.fromkeys(names, "true"))
    assert not app.toggle(key="strict").value
    shown(app.toggle(key="strict").set_value(True).run())
    for name in (*names, "budget"):
        app.query_params[name] = "false" if name != "budget" else "7"
    shown(app.run())
    assert app.toggle(key="strict").value
    assert SAYS in text(app)


@pytest.mark.parametrize(("said", "shows"), [("true", "on"), ("false", "off")])
def test_what_the_server_decided_is_locked(monkeypatch, said, shows):
    monkeypatch.setenv(SWITCH, said)
    app = screen(SETTINGS)
    assert not [toggle for toggle in app.toggle if toggle.key == "strict"]
    assert f"🔒\ufe0e {shows}" in text(app)


def test_a_switch_that_cannot_be_read_is_said(monkeypatch):
    monkeypatch.setenv(SWITCH, "ture")
    assert f"{SWITCH} from the environment" in text(screen(PLAYGROUND))
    assert not screen(SETTINGS).toggle(key="strict").value


def test_where_the_environment_sets_nothing_nothing_is_shut_out(monkeypatch):
    monkeypatch.setenv(SWITCH, "true")
    app = screen(SETTINGS, **LINK)
    assert "The environment sets nothing valid, so nothing is shut out" in text(app)
    assert SAYS not in text(app)


def test_an_uploaded_template_is_shut_out_but_the_servers_own_counts(strict, monkeypatch, tmp_path):
    (tmp_path / "agent.json").write_text('{"reserve": 77}')
    monkeypatch.setenv("HISTORYLAB_TEMPLATE", str(tmp_path / "agent.json"))
    app = screen(PLAYGROUND)
    app.session_state["historylab"].template = {"reserve": 55, "budget": 4_321}  # as an upload leaves it
    unfolded(app, "Model")
    assert (sources(app)["reserve"], sources(app)["budget"]) == ("template", "default")
    assert "77" in text(app)
    assert "4,321" not in text(app)


def html(app) -> str:
    return " ".join(e.proto.body for e in app.get("html"))
