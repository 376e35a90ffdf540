"""Trimmers that aren't ours on the compare page: added, changed, shown on Inspect, and told in its address."""

from __future__ import annotations

import pytest
from app_pages import cells, names, screen, shown, text, verdict

pytestmark = pytest.mark.slow  # whole screens, drawn again at every click

PAGE = "pages/compare.py"
SAMPLE = {"conv": "sample:agatha-the-fern"}
BUFFERED = "autogen.BufferedChatCompletionContext"
LINK = {**SAMPLE, "cmp": f"trimmer:{BUFFERED},trimmer.buffer_size:4"}


def test_one_is_added_by_its_name_and_told_in_the_address():
    app = screen(PAGE, **SAMPLE)
    shown(app.selectbox(key="add trimmer 2").set_value(BUFFERED).run())
    assert names(app)[2].startswith("C AutoGen BufferedChatCompletionContext 0.7")
    assert app.query_params["cmp"].endswith(f";trimmer:{BUFFERED}")
    assert names(screen(PAGE, **app.query_params)) == names(app)


def test_it_is_measured_and_told_message_by_message_like_any_other():
    app = screen(PAGE, **LINK)
    assert len({*cells(app, "Tokens sent, all requests")}) == 2
    assert "messages are sent differently" in text(app)
    assert "B (AutoGen BufferedChatCompletionContext) sends" in verdict(app)


def test_its_options_are_changed_in_place():
    app = screen(PAGE, **LINK)
    shown(app.button(key="edit B").click().run())
    shown(app.number_input(key=f"B {BUFFERED} buffer_size").set_value(6).run())
    assert "buffer_size 6" in names(app)[1]
    assert "trimmer.buffer_size:6" in app.query_params["cmp"]


def test_inspect_shows_the_one_that_is_used_and_compare_the_one_that_inspect_shows():
    app = screen(PAGE, **LINK)
    shown(app.button(key="use B").click().run())
    assert app.query_params["system"] == f"trimmer:{BUFFERED}"
    again = screen(PAGE, **SAMPLE, system=f"trimmer:{BUFFERED}", **{"trimmer.buffer_size": "4"})
    assert "buffer_size 4" in names(again)[1]


def test_its_faults_are_in_its_lane_and_a_report_is_made_of_it():
    app = screen(PAGE, **LINK)
    app.session_state["historylab"].wanted = "report"
    assert "2 configurations in one HTML file" in text(shown(app.run()))


@pytest.mark.parametrize(
    ("name", "why"),
    [("nobodys.trimmer", "there is no trimmer"), ("app.history:trim", "historylab --trimmer app.history:trim FILE")],
)
def test_one_that_is_not_to_be_had_here_is_left_out_of_what_a_link_compares_and_told(name, why):
    app = screen(PAGE, **SAMPLE, cmp=f"trimmer:{name.replace(':', '%3A')}")
    assert (len(names(app)), why in text(app)) == (2, True)
    assert "trimmer" not in " ".join(names(app))


def test_the_nearest_settings_are_looked_for_at_a_click_and_compared_then():
    app = screen(PAGE, **LINK)
    shown(app.button(key="nearest B").click().run())
    assert len(names(app)) == 3
    assert "The nearest settings send the same messages in" in text(app)
    assert "nearest B" not in {button.key for button in app.button}


def test_beside_settings_that_leave_out_the_system_prompt_those_that_keep_it_are_offered():
    app = screen(PAGE, **SAMPLE, cmp="trimmer:langchain.trim_messages,trimmer.max_tokens:300")
    shown(app.button(key="nearest B").click().run())
    assert "They leave out the system prompt, as it does." in text(app)
    shown(app.button(key="safe B").click().run())
    assert len(names(app)) == 4
    assert "safe B" not in {button.key for button in app.button}
