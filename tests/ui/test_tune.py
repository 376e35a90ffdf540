"""Improve without a browser: it advises, obeys wishes and the environment, and hands settings over."""

from __future__ import annotations

import json

import pytest
import streamlit as st
from app_pages import opening, screen, shown, sources, text, verdict

from historylab.ui.session.background_work import Interruption, Work

pytestmark = [
    pytest.mark.slow,
    pytest.mark.usefixtures("nothing_remembered"),
    pytest.mark.xdist_group("tune page"),  # one process has the advice that several look at
]
PAGE = "pages/tune.py"
TOOLS = {"conv": "sample:tide-tables-agent"}
LOOP = {"conv": "gen:tool_loop:seed=2"}  # on which better settings than the defaults are known


@pytest.fixture(scope="module")
def nothing_remembered():
    """All tests are one session to Streamlit, which would remember what those of other files tried."""
    st.cache_resource.clear()


def tune(**link: str):
    """The page within the frame, as its link opens it."""
    return shown(screen("app.py", **link).switch_page(PAGE).run())


def test_what_it_recommends_is_offered_on_compare():
    app = tune(**LOOP)
    shown(app.switch_page("pages/compare.py").run())
    shown(app.button(key="add recommended").click().run())
    assert "Recommended" in text(app)


def settings_looked_at(app):
    return next(field for field in app.selectbox if field.label.startswith("Settings looked at"))


def pick_another(points) -> str:
    """As a click on the chart does."""
    other = next(option for option in points.options if option != points.format_func(points.value))
    shown(points.select(other).run())
    return other


def test_the_answer_is_one_sentence_and_a_card_that_says_how_sure_it_is():
    app = tune(**LOOP)
    assert verdict(app).strip().startswith("Drop the oldest turns when 16k is full: 28% cheaper, 6 fewer facts lost.")
    assert "−28%" in text(app)
    assert "9 losses → 3" in text(app)
    assert "Likely to hold (88%): 205 facts, " in text(app)
    assert app.button(key="use").proto.type == "primary"
    assert app.button(key="export-these").label == "Export"


def test_the_grounds_are_folded_and_any_settings_tried_can_be_picked():
    app = tune(**LOOP)
    said = next(each for each in app.expander if each.label == "Why")
    assert not said.proto.expanded
    assert "This rests on 205 facts in tool calls in 1 conversation; " in text(app)
    assert "· where it was judged" in text(app)
    assert "reference" not in text(app)
    points = settings_looked_at(app)
    assert f"{len(points.options)} settings tried" in text(app)
    assert pick_another(points).startswith("FIFO to 4,000 (down to half)")
    assert "up to 4k tokens, then drop the oldest turns; down to half." in text(app)
    assert "Looked at, not advised." in text(app)
    assert app.button(key="use").proto.type == "secondary"


def test_the_advised_settings_are_exported_not_yours():
    app = shown(tune(**LOOP).button(key="export-these").click().run())
    assert "HISTORYLAB_BUDGET=8000" not in app.code[-1].value
    assert "HISTORYLAB_" in app.code[0].value  # what no agent wrote begins with the variables


def test_too_little_is_said_with_what_would_help_at_hand():
    app = screen(PAGE, conv="sample:theatre-trials")
    assert "Too little to tell: 17 facts to judge by." in verdict(app)
    assert any(expander.label.startswith("Questions: ") for expander in app.expander)
    assert app.button(key="open-more")
    assert app.button(key="export-these")
    shown(app.button(key="take-all").click().run())
    assert app.toggle(key="everywhere").value


def test_where_nothing_is_advised_the_card_is_that_of_your_settings():
    app = tune(conv="sample:ferry-desk")
    assert "Yours are as good as anything tried" in verdict(app)
    assert not {"use", "compare-with-mine"} & {button.key for button in app.button}
    assert "These are your settings." in text(app)
    assert app.button(key="export-these")


def test_the_advice_is_compared_with_yours_and_used_in_the_playground():
    app = tune(**LOOP)
    shown(app.button(key="compare-with-mine").click().run())
    assert "B" in verdict(app)
    assert "Nothing is cut" not in text(app)
    shown(app.switch_page(PAGE).run())
    shown(app.button(key="use").click().run())
    assert "you" in sources(app).values()
    shown(app.switch_page(PAGE).run())
    assert "Yours are as good as anything tried" in verdict(app)


def test_wishes_in_words_exclude_and_what_is_not_understood_is_said():
    app = tune(conv="gen:tool_loop:seed=2,rounds=12,output_lines=20")
    better = verdict(app)
    shown(app.segmented_control(key="aim").set_value("cheapest").run())
    assert verdict(app) != better
    shown(app.pills(key="musts").set_value(["keep every reference"]).run())
    shown(app.text_input(key="words").set_value("never over 1").run())
    assert "tried does all that was asked" in verdict(app)
    assert "“never over 1 tokens”" in text(app)
    assert "reference" not in text(app)
    shown(app.text_input(key="words").set_value("be nice").run())
    assert "no wish we know" in text(app)


def test_what_the_environment_sets_is_not_varied(monkeypatch):
    monkeypatch.setenv("HISTORYLAB_BUDGET", "900")
    monkeypatch.setenv("HISTORYLAB_PRUNER", "fifo")
    app = tune(**LOOP)
    assert "Set by the environment, so not varied: Budget, Pruner" in text(app)
    assert not {"budget", "pruner"} & set(app.pills(key="varied").options)
    assert "What goes when it is too much" not in app.pills(key="varied").options
    pick_another(settings_looked_at(app))
    shown(app.button(key="use").click().run())
    assert sources(app)["budget"] == "environment"


def test_axes_and_how_many_settings_are_yours_to_choose():
    app = tune(**TOOLS)
    shown(app.pills(key="varied").set_value(["budget"]).run())
    assert {"1 setting varied"} <= {e.label for e in app.expander}
    shown(app.pills(key="varied").set_value([]).run())
    assert "Nothing that is varied has an effect here" in text(app)


def test_all_conversations_of_a_file_can_be_searched_together():
    app = tune(conv="sample:ferry-desk")
    shown(app.toggle(key="everywhere").set_value(True).run())
    assert " conversations" in " ".join(e.label for e in app.expander)
    assert "in 2 conversations" in text(app)


def test_a_model_without_prices_is_tuned_by_tokens():
    app = tune(**LOOP, model="nobodys-model-7")
    assert "Tokens, times not trimming" in text(app)


@pytest.mark.parametrize(
    ("messages", "words"),
    [
        ([{"role": "user", "content": "Hello?"}], "Too little to tell: no facts to judge by."),
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
    assert "cheaper" in verdict(app)
    shown(app.button(key="start effects").click().run())
    assert "start effects" not in {button.key for button in app.button}


class Asked(BaseException):
    """What Streamlit raises on a click."""


def test_a_click_during_the_work_keeps_what_was_done():
    def show(done: int, of: int) -> None:
        if done == 2:
            raise Asked

    interruption, work = Interruption(show), Work()
    for done in range(1, 9):
        interruption.step(done, 8)
        if interruption.has_happened():
            break
    assert done == 2
    with pytest.raises(Asked):
        interruption.pass_on()
    work.stop()
    work.want()
    assert (work.stopped, work.wanted) == (False, True)
