"""A trimmer that isn't ours in place of settings: how it is chosen, what is said of it, and what a link does of it."""

from __future__ import annotations

import json
import sys
from html import unescape
from importlib.util import find_spec
from urllib.parse import unquote

import pytest
from app_pages import names, on_tab, screen, sentence, shown, text, told, verdict

from historylab import replay
from historylab.formats.samples import load_sample
from historylab.trimmers import driving

SAMPLE = {"conv": "sample:agatha-the-fern"}
LANGCHAIN, AUTOGEN = "trimmer:langchain.trim_messages", "trimmer:autogen.BufferedChatCompletionContext"
SUMMARIZES = "trimmer:langchain.SummarizationMiddleware"
NEEDS_LANGCHAIN = pytest.mark.skipif(find_spec("langchain") is None, reason="pip install langchain")
WHOLE = "16 of 16 messages"
pytestmark = pytest.mark.slow  # whole screens, drawn again at every click


def choose(app, name: str):
    return shown(app.selectbox(key="system").set_value(name).run())


def system(app) -> str:
    return app.selectbox(key="system").value


def field(option: str) -> str:
    return f"trim langchain.trim_messages {option}"


@pytest.fixture
def served(monkeypatch, tmp_path):
    """A function of one's own, which keeps the newest four messages, as the command line named it."""
    (tmp_path / "their_app.py").write_text(
        "def keep_four(messages):\n    return messages[-4:]\n\ndef fail(messages):\n    raise KeyError('role')\n"
    )
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setenv("HISTORYLAB_TRIMMER", json.dumps({"trimmer": "their_app:keep_four"}))
    yield monkeypatch
    sys.modules.pop("their_app", None)


def test_what_it_sends_is_shown_with_the_librarys_own_options_and_version():
    app = choose(screen(**SAMPLE), LANGCHAIN)
    said = text(app)
    assert "LangChain trim_messages" in said and "max_tokens 1,900" in said
    assert app.number_input(key=field("max_tokens")).value == 1900
    assert {w.label for w in app.sidebar.get("toggle")} >= {"include_system", "allow_partial"}


def test_a_changed_option_sends_what_the_library_sends_under_it():
    app = choose(screen(**SAMPLE), LANGCHAIN)
    shown(app.number_input(key=field("max_tokens")).set_value(300).run())
    by_hand = replay(load_sample("agatha-the-fern")[0], trimmer="langchain.trim_messages", max_tokens=300)
    sent = int(by_hand.plans[-1].sent_messages.size)
    assert f"{sent} of 16 messages" in verdict(app)


def test_an_option_that_the_library_does_not_take_is_said_and_changes_nothing():
    app = choose(screen(**SAMPLE), LANGCHAIN)
    shown(app.text_input(key=field("start_on")).set_value("[1]").run())
    assert "LangChain trim_messages, start_on" in text(app)
    assert "trimmer.start_on" not in app.query_params


def test_the_fields_below_hold_the_settings_that_are_shown_once_one_is_changed():
    app = choose(screen(**SAMPLE), AUTOGEN)
    assert sentence(app).startswith("Keep the last 20 user messages")
    assert "Instead of it: settings of HistoryLab" in text(app)
    assert WHOLE not in verdict(app)
    shown(app.selectbox(key="set pruner").set_value("off").run())
    assert (system(app), WHOLE in verdict(app)) == ("", True)


@pytest.mark.parametrize("tab", ["Lost facts", "Cost", "Payload", "Stages"])
def test_every_tab_holds_what_is_true_of_it(tab):
    app = choose(screen(**SAMPLE), AUTOGEN)
    app.session_state["historylab"].message = 1
    said = text(on_tab(app, tab))
    assert "Left out, as AutoGen BufferedChatCompletionContext decided" in said
    assert {"Stages": "no stage of these settings was asked", "Cost": "The trimmer"}.get(tab, "") in said


def test_settings_that_would_have_kept_a_message_are_tried_beside_it_and_taken_back():
    app = choose(screen(**SAMPLE), AUTOGEN)
    app.session_state["historylab"].message = 1
    shown(shown(app.run()).button(key="try-it").click().run())
    assert "Before Now" in " ".join(text(app).split())
    assert system(app) == ""
    shown(app.button(key="undo-trial").click().run())
    assert system(app) == AUTOGEN


def test_each_request_is_asked_once_however_often_the_page_is_drawn(served, monkeypatch):
    driven = []
    drive = driving.drive
    monkeypatch.setattr("historylab.planning.replay.drive", lambda *a: driven.append(a[1].name) or drive(*a))
    app = screen(conv="gen:support_desk:turns=6,seed=11")
    shown(shown(app.run()).run())
    assert driven == ["their_app:keep_four"]


def test_libraries_that_are_not_installed_are_named_with_the_command():
    assert "pip install " in told(screen(**SAMPLE), "System")


def test_a_limit_by_another_counter_is_said_to_be_one():
    app = screen(**SAMPLE, system=LANGCHAIN, **{"trimmer.max_tokens": "300"})
    assert "Its limit of 300 tokens is by its own counter; the model’s says" in text(app)


# -- links


def test_the_address_says_the_options_that_were_chosen_and_a_reload_shows_the_same():
    app = choose(screen(**SAMPLE), LANGCHAIN)
    assert (app.query_params["system"], "trimmer.max_tokens" in app.query_params) == (LANGCHAIN, False)
    shown(app.number_input(key=field("max_tokens")).set_value(300).run())
    again = screen(**app.query_params)
    assert again.number_input(key=field("max_tokens")).value == 300
    assert verdict(again) == verdict(app)
    choose(again, "")
    assert not {"system", "trimmer.max_tokens"} & {*again.query_params}


@pytest.mark.parametrize(
    ("link", "why"),
    [
        ({"system": "trimmer:nobodys.trimmer"}, "there is no trimmer"),
        ({"system": "trimmer:app.history:trim"}, "historylab --trimmer app.history:trim FILE"),
        ({"system": LANGCHAIN, "trimmer.max_tokens": "few"}, "few"),
        pytest.param({"system": SUMMARIZES, "trimmer.keep": '["tokens", -1]'}, "be opened", marks=NEEDS_LANGCHAIN),
        ({"system": LANGCHAIN, "trimmer.model": "x"}, "has no option of that name in links"),
        ({"trimmer.max_tokens": "300"}, "names no trimmer"),
    ],
)
def test_what_a_link_may_not_bring_is_refused_in_words(link, why):
    app = screen(**SAMPLE, **link)
    assert "in the link was not read" in text(app) and why in text(app)


def test_a_link_runs_no_function_of_ones_own(tmp_path, monkeypatch):
    (tmp_path / "their_trap.py").write_text("raise RuntimeError('imported')")
    monkeypatch.chdir(tmp_path)
    app = screen(**SAMPLE, system="trimmer:their_trap:trim")
    assert (system(app), "imported" in text(app)) == ("", False)


# -- a function of one's own, which the command line named


def test_what_the_command_line_named_is_shown_by_itself_until_a_setting_is_changed(served):
    app = screen(**SAMPLE)
    assert (system(app), "4 of 16 messages" in verdict(app)) == ("trimmer:their_app:keep_four", True)
    assert app.query_params["system"] == "trimmer:their_app:keep_four"
    shown(app.selectbox(key="set pruner").set_value("off").run())
    assert (system(app), WHOLE in verdict(app)) == ("", True)
    shown(app.button(key="defaults").click().run())
    assert system(app) == "trimmer:their_app:keep_four"


def test_a_shared_link_names_it_and_says_so(served):
    app = screen(**SAMPLE)
    app.session_state["historylab"].wanted = "share"
    shown(app.run())
    assert "system=trimmer:their_app:keep_four" in unquote(app.code[0].value)
    assert "by its name alone: no link runs it" in text(app)
    assert "differ from the defaults" not in text(app)


def test_settings_chosen_in_its_place_outlive_a_reload(served):
    app = choose(screen(**SAMPLE), "")
    again = screen(**app.query_params)
    assert (system(again), app.query_params["system"]) == ("", "own")


def test_a_request_at_which_it_fails_is_said_to_be_unknown(served):
    served.setenv("HISTORYLAB_TRIMMER", json.dumps({"trimmer": "their_app:fail"}))
    app = screen(conv="gen:support_desk:turns=4,seed=12")
    said = " ".join(unescape(text(app)).split())
    assert "fail failed at 5 of 5 requests: it raised KeyError: 'role'." in said
    assert "– of 11 messages sent" in said and "– needed facts there" in said and "– cost" in said
    assert "$0" not in said and "cheaper" not in said


def test_what_loses_least_is_offered_in_its_place_with_its_cost(served):
    app = screen(conv="gen:support_desk:turns=12,seed=3")
    assert app.button(key="try-it").label == "Try it: don’t trim"
    assert "kept, " in text(app) and "dearer." in text(app)


def test_an_export_leads_to_the_nearest_settings(served):
    app = screen(conv="gen:support_desk:turns=4,seed=12")
    app.session_state["historylab"].wanted = "export"
    assert not shown(app.run()).button(key="find-nearest").disabled
    assert "so there are none to export" in text(app)


def test_what_the_command_line_named_comes_first_on_compare_beside_settings_that_nobody_chose(served):
    app = screen("pages/compare.py", **SAMPLE)
    assert names(app)[:2] == ["A their_app:keep_four", "B HistoryLab’s settings"]


def test_one_that_can_not_be_opened_says_why_and_another_can_be_chosen(served):
    served.setenv("HISTORYLAB_TRIMMER", json.dumps({"trimmer": "their_app:no_such"}))
    app = screen(**SAMPLE)
    assert "their_app has no 'no_such'" in unescape(text(app))
    assert WHOLE in verdict(choose(app, ""))
