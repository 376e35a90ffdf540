"""Tune without a browser: it finds, recommends, obeys wishes and the environment, and hands settings over."""

from __future__ import annotations

import json
import re

import pytest
import streamlit as st
from app_pages import opening, screen, shown, sources, text, verdict

from historylab.ui.session.background_work import Interruption, Work

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("nothing_remembered")]
PAGE = "pages/tune.py"
TOOLS = {"conv": "sample:tide-tables-agent"}


@pytest.fixture
def nothing_remembered():
    """All these tests are one session to Streamlit, which would remember what an earlier one tried."""
    st.cache_resource.clear()


def tune(**link: str):
    """The page within the frame, as its link opens it."""
    return shown(screen("app.py", **link).switch_page(PAGE).run())


@pytest.mark.parametrize("start", ["app.py", PAGE])
def test_it_opens_first_and_from_the_frame_with_a_recommendation(start):
    app = tune() if start == "app.py" else screen(PAGE)
    assert "the cost of not trimming" in verdict(app)
    assert re.search(r"Of \d+ settings .* is the cheapest that keeps 95% of the best", text(app))
    assert "meet all constraints" not in text(app)
    assert "What each single change does from here" in text(app)
    assert [button.label for button in app.button if button.proto.type == "primary"] == ["Use in the playground"]
    points = next(field for field in app.selectbox if field.label.startswith("Settings looked at"))
    other = next(option for option in points.options if option != points.format_func(points.value))
    shown(points.select(other).run())  # as a click on the chart does
    assert other.partition(":")[0] in text(app)


def test_it_says_when_your_own_settings_are_the_best():
    app = tune(**TOOLS)
    assert "they keep 100% of facts in tool calls" in verdict(app)
    assert app.button(key="use").disabled


def test_using_the_recommendation_chooses_its_settings_in_the_playground():
    app = tune()
    said = verdict(app)
    shown(app.button(key="use").click().run())
    assert "the model sees" in verdict(app)
    assert "you" in sources(app).values()
    shown(app.switch_page(PAGE).run())
    assert "Your settings are the best of" in verdict(app)
    assert said.partition(" would keep ")[2].partition(".")[0] in verdict(app)


def test_comparing_puts_it_beside_yours():
    app = tune()
    shown(app.button(key="compare-with-mine").click().run())
    assert "B" in verdict(app)
    assert "Nothing is cut" not in text(app)


def test_exporting_offers_the_candidate_not_yours():
    app = tune()
    shown(app.button(key="export-these").click().run())
    assert "HISTORYLAB_BUDGET=8000" not in app.code[-1].value
    assert "HISTORYLAB_" in app.code[-1].value


def test_wishes_in_words_exclude_and_what_is_not_understood_is_said():
    app = tune(**TOOLS)
    shown(app.segmented_control(key="aim").set_value("cheapest").run())
    cheapest = verdict(app)
    assert "would keep" in cheapest
    shown(app.pills(key="musts").set_value(["keep every reference"]).run())
    assert verdict(app) != cheapest
    shown(app.text_input(key="words").set_value("never over 1").run())
    assert "None of the settings tried do all that" in verdict(app)
    assert "“keep 100% of facts in tool calls” excludes" in text(app)
    assert "reference" not in text(app)
    shown(app.text_input(key="words").set_value("be nice").run())
    assert "no constraint we know" in text(app)
    assert "No settings" not in verdict(app)


def test_what_the_environment_sets_is_not_varied(monkeypatch):
    monkeypatch.setenv("HISTORYLAB_BUDGET", "900")
    monkeypatch.setenv("HISTORYLAB_PRUNER", "fifo")
    app = tune()
    assert "Set by the environment, so not varied: Budget, Pruner" in text(app)
    assert not {"budget", "pruner"} & set(app.pills(key="varied").options)
    assert "What goes when it is too much" not in app.pills(key="varied").options
    shown(app.button(key="use").click().run())
    assert sources(app)["budget"] == "environment"


def test_axes_and_how_many_settings_are_yours_to_choose():
    app = tune()
    shown(app.pills(key="varied").set_value(["budget"]).run())
    assert {"Varied in 1 way"} <= {e.label for e in app.expander}
    assert "5 settings" in verdict(app) + text(app)
    shown(app.pills(key="varied").set_value([]).run())
    assert "Nothing that is varied has an effect here" in text(app)


def test_all_conversations_of_a_file_can_be_searched_together():
    app = tune(conv="sample:ferry-desk")
    shown(app.toggle(key="everywhere").set_value(True).run())
    assert " conversations" in " ".join(e.label for e in app.expander)
    assert "the cost of not trimming" in verdict(app)


def test_a_model_without_prices_is_tuned_by_tokens():
    app = tune(model="nobodys-model-7")
    assert "the tokens of not trimming" in verdict(app)


@pytest.mark.parametrize(
    ("messages", "words"),
    [
        ([{"role": "user", "content": "Hello?"}], "Your settings are the best"),
        ([{"role": "assistant", "content": "How may I help?"}], "This conversation makes no model requests."),
    ],
    ids=["one message", "no requests"],
)
def test_short_conversations_are_no_problem(messages, words):
    app = screen()
    opening(app, "Paste")
    app.text_area(key="pasted").set_value(json.dumps(messages)).run()
    shown(app.button(key="open-pasted").click().run())
    assert words in verdict(shown(app.switch_page(PAGE).run()))


def test_much_work_waits_for_a_click(monkeypatch):
    monkeypatch.setattr("historylab.ui.tune.settings_search.AT_ONCE", 100)
    app = tune()
    assert "try some" in verdict(app)
    shown(app.button(key="start search").click().run())
    assert "the cost of not trimming" in verdict(app)


class Asked(BaseException):
    """What Streamlit raises on a click."""


def test_a_click_during_the_work_keeps_what_was_done():
    def show(done: int, of: int) -> None:
        if done == 2:
            raise Asked

    interruption, work = Interruption(show), Work()
    for done in range(1, 9):
        interruption.step(done, 8)
        if interruption.happened():
            break
    assert done == 2
    with pytest.raises(Asked):
        interruption.pass_on()
    work.stop()
    work.want()
    assert (work.stopped, work.wanted) == (False, True)
