"""The settings beside the page: five fields, a sentence that is edited, a search, and all others in three groups."""

from __future__ import annotations

import pytest
from app_pages import screen, sentence, shown, sources, text, told, unfolded

from historylab import Settings
from historylab.settings.effect import has_effect
from historylab.settings.model import setting_names
from historylab.ui.session import session
from historylab.ui.settings import sentence as edited
from historylab.wording.settings import GROUPS, MAIN
from historylab.wording.settings_sentence import sentence_parts

pytestmark = pytest.mark.slow  # whole screens, drawn again at every click

PAGE = "pages/playground.py"


def labels(app) -> list[str]:
    kinds = ("selectbox", "number_input", "text_input")
    return [field.label for kind in kinds for field in app.sidebar.get(kind)]


@pytest.mark.parametrize("page", ["playground", "tune"])
def test_five_fields_stand_open(page):
    assert {*labels(screen(f"pages/{page}.py"))} == {"System", "Policy", "Length", "Pruner", "Budget", "Find a setting"}


def test_a_length_stands_there_only_where_it_counts():
    assert "Length" not in labels(screen(PAGE, historyPolicy="all"))
    assert "Length" in labels(screen(PAGE, historyPolicy="lastMessages"))


def test_the_filter_for_messages_is_offered_only_where_it_is_chosen():
    offered = [
        unfolded(screen(PAGE, filter=chosen)).multiselect(key="set filter").options for chosen in ("off", "newest")
    ]
    assert ["Newest messages (newest)" in each for each in offered] == [False, True]


def test_a_source_is_said_where_it_is_not_the_default_and_told_in_any_case():
    app = screen(PAGE, budget="3000")
    assert (sources(app)["budget"], sources(app)["pruner"]) == ("URL", "default")
    assert told(app, "Budget").endswith("The URL sets it.")
    assert told(app, "Pruner").endswith("Nothing sets it, so the default counts.")
    assert "default" not in text(app).partition("Find")[0]


def test_the_groups_hold_every_setting_that_has_an_effect():
    app = unfolded(screen(PAGE))
    for group in GROUPS:
        app.session_state[f"advanced {group}"] = True
    shown(app.run())
    acting = {name for name in setting_names() if has_effect(Settings(), name)}
    unchosen = {"projection", "layout", "relevance"} & acting  # drawn as well, but for what has one member alone
    assert acting - {*sources(app)} <= unchosen


def test_a_setting_is_found_by_its_words_and_changed_where_it_is_found():
    app = screen(PAGE)
    shown(app.text_input(key="find a setting").set_value("reserve answer").run())
    shown(app.text_input(key="found reserve").set_value("2k").run())
    assert app.query_params["reserve"] == "2000"


@pytest.mark.parametrize(
    ("words", "name"),
    [
        ("sliding turns", "pruner.sliding_window.turns"),
        ("HISTORYLAB_BUDGET", "budget"),
        ("historyLength", "length"),
        ("truncate", "tool_output"),
        ("tool schemas", "overhead"),
    ],
)
def test_it_is_found_by_any_of_its_names_or_its_help(words, name):
    app = screen(PAGE)
    shown(app.text_input(key="find a setting").set_value(words).run())
    kinds = ("selectbox", "multiselect", "number_input", "text_input")
    assert f"found {name}" in [field.key for kind in kinds for field in app.sidebar.get(kind)]


def test_what_has_no_effect_says_so_and_what_is_not_there_too():
    app = screen(PAGE)
    shown(app.text_input(key="find a setting").set_value("sliding_window turns").run())
    assert "Sliding window · no effect now" in text(app)
    shown(app.text_input(key="find a setting").set_value("kraken").run())
    assert "No setting says that." in text(app)


@pytest.fixture
def edit(monkeypatch):
    """A function that does what the browser's telling of an edit of the sentence does; it returns what was chosen."""
    chosen = {}
    monkeypatch.setattr("historylab.ui.session.choices.choose_setting", chosen.__setitem__)
    monkeypatch.setattr(session, "report_problem", lambda said: chosen.update(problem=said))

    def tell(**said) -> dict:
        monkeypatch.setattr(session, "told_by", lambda _key, _name: said)
        edited._take_edit(sentence_parts(Settings()))
        return chosen

    return tell


@pytest.mark.parametrize(
    ("setting", "value", "meant"), [("pruner", "off", "off"), ("budget", "96k", 96_000), ("length", "5", 5)]
)
def test_an_edit_of_the_sentence_is_a_choice(edit, setting, value, meant):
    assert edit(setting=setting, value=value) == {setting: meant}


@pytest.mark.parametrize("said", [{}, {"setting": "pruner", "value": "kraken"}, {"setting": "model", "value": "x"}])
def test_what_the_sentence_does_not_offer_changes_nothing(edit, said):
    assert edit(**said) == {}


def test_a_number_that_is_none_is_told(edit):
    assert "Budget is a number" in edit(setting="budget", value="lots")["problem"]


def test_what_the_environment_holds_is_locked_in_the_sentence_too(monkeypatch):
    monkeypatch.setenv("HISTORYLAB_BUDGET", "900")
    app = screen(PAGE)
    assert "up to 900 tokens" in sentence(app)
    assert "set by  HISTORYLAB_BUDGET" in text(app)
    assert not {"set budget"} & {field.key for field in app.text_input}


def test_the_main_settings_are_first_in_their_group():
    assert GROUPS["What stays"][: len(MAIN)] == MAIN
