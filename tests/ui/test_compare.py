"""The compare page without a browser: it opens on a difference, obeys its sources, and hands settings back."""

from __future__ import annotations

import json
import re
from urllib.parse import parse_qsl

import pytest
from app_pages import cells, names, opening, request_field, screen, shown, sources, text, untagged, verdict

pytestmark = pytest.mark.slow  # whole screens, drawn again at every click

PAGE = "pages/compare.py"
SHORT = "sample:bike-rental-support"  # nothing of it is cut by the defaults
CUT = "sample:lamp-through-the-night"


@pytest.mark.parametrize("start", ["app.py", PAGE])
def test_it_opens_first_and_from_the_frame_on_a_difference_in_a_sentence(start):
    app = screen(start)
    if start != PAGE:
        shown(app.switch_page(PAGE).run())
    assert re.search(r"B sends [\d.]+(%|×) .*tokens", verdict(app))
    assert "Tokens sent, all requests" in " ".join(text(app).split())
    assert "messages are sent differently" in text(app)


def offered(app) -> list[str]:
    return [button.label for button in app.button if button.label.startswith("Add ")]


def test_up_to_four_are_added_by_their_names_each_something_else_and_removed():
    app = screen(PAGE)
    assert names(app) == ["A Yours", "B Not trimming"]
    assert offered(app) == ["Add last 20 messages", "Add dropping the oldest", "Add summarising"]
    shown(app.button(key="add last 20 messages").click().run())
    shown(app.button(key="add summarising").click().run())
    assert names(app)[2:] == ["C Last 20 messages", "D Summarising beyond 4k"]
    assert offered(app) == []
    assert len({*cells(app, "Tokens sent, all requests")}) == 4
    shown(app.button(key="remove B").click().run())
    assert names(app) == ["A Yours", "B Last 20 messages", "C Summarising beyond 4k"]
    assert "Add not trimming" in offered(app)


def test_the_last_20_messages_are_20_whoever_said_them():
    app = screen(PAGE, cmp="=")
    shown(app.button(key="add last 20 messages").click().run())
    assert cells(app, "Messages dropped by the end")[2].startswith(
        "145 "
    )  # of 166, and the system message is always sent


def test_where_nothing_is_trimmed_not_trimming_is_nothing_to_add():
    app = screen(PAGE, conv=SHORT)
    assert names(app) == ["A Yours", "B Last 13 messages"]
    assert "Add not trimming" not in offered(app)


def test_yours_can_be_left_out_and_a_link_says_so():
    app = screen(PAGE, cmp="historyPolicy:all,pruner:off;historyLength:5")
    shown(app.button(key="remove A").click().run())
    assert app.query_params["cmp"] == "historyPolicy:all,pruner:off;historyLength:5;-yours"
    assert names(app) == ["A Not trimming", "B Keeping the last 5 user messages"]
    assert names(screen(PAGE, cmp=app.query_params["cmp"])) == names(app)
    shown(app.button(key="add yours").click().run())
    assert names(app)[0] == "A Yours"


def test_what_was_really_sent_is_left_out_and_added_again():
    app = screen(PAGE, conv=CUT)
    assert names(app)[0] == "S As sent"
    shown(app.button(key="remove S").click().run())
    assert app.query_params["cmp"].endswith("-as-sent")
    assert "S As sent" not in names(app)
    shown(app.button(key="add as sent").click().run())
    assert names(app)[0] == "S As sent"


def test_what_a_search_found_is_offered_for_the_conversation_it_is_of():
    app = screen(PAGE)
    digest = opened_digest(app)
    app.session_state["historylab"].recommended = (digest, {"pruner": "fifo", "budget": 2000, "policy": "all"})
    shown(app.run())
    shown(app.button(key="add recommended").click().run())
    assert names(app)[2] == "C Recommended"
    app.session_state["historylab"].recommended = ("another", {"budget": 1})
    assert "Add recommended" not in offered(shown(app.run()))


def opened_digest(app) -> str:
    return app.session_state["historylab"].opened.conversation.digest


def test_a_field_of_b_is_changed_in_place_and_stands_in_the_address():
    app = screen(PAGE, cmp="historyLength:5")
    shown(app.button(key="edit B").click().run())
    before = cells(app, "Tokens sent, all requests")
    shown(app.number_input(key="B length").set_value(2).run())
    after = cells(app, "Tokens sent, all requests")
    assert after[0] == before[0]
    assert after[1] != before[1]
    assert app.query_params["cmp"] == "historyLength:2"
    assert "▼ −" in after[1]


def test_another_setting_can_be_changed_and_changed_back():
    app = screen(PAGE, cmp="historyLength:5")
    shown(app.button(key="edit B").click().run())
    shown(app.selectbox(key="another B 1").set_value("budget").run())
    shown(app.text_input(key="B budget").set_value("300").run())
    assert app.query_params["cmp"] == "historyLength:5,budget:300"
    shown(app.button(key="undo B budget").click().run())
    assert app.query_params["cmp"] == "historyLength:5"


def test_yours_is_changed_here_for_inspect_too():
    app = screen(PAGE, cmp="historyLength:5")
    shown(app.button(key="edit A").click().run())
    shown(app.number_input(key="A length").set_value(3).run())
    assert app.query_params["historyLength"] == "3"
    shown(app.button(key="edit A").click().run())
    assert "A length" not in [field.key for field in app.number_input]


def test_a_report_holds_all_of_them():
    app = screen(PAGE, cmp="historyLength:5;=")
    shown(app.button(key="report").click().run())
    assert [e.proto.label for e in app.get("download_button")] == ["Download the report"]
    assert "3 configurations" in text(app)


def test_the_used_one_becomes_yours_and_what_was_takes_its_place():
    app = screen("app.py", cmp="historyLength:5;budget:900")
    shown(app.switch_page(PAGE).run())
    tokens = [cell.split()[0] for cell in cells(app, "Tokens sent, all requests")]
    shown(app.button(key="use B").click().run())
    swapped = [cell.split()[0] for cell in cells(app, "Tokens sent, all requests")]
    assert swapped == [tokens[1], tokens[0], tokens[2]]
    assert "is yours now (A)" in text(app)
    assert app.query_params["historyLength"] == "5"
    shown(app.switch_page("pages/playground.py").run())
    assert app.number_input(key="set length").value == 5
    assert sources(app)["length"] == "you"


def test_numbers_stand_under_each_map_and_a_sentence_beside_the_first():
    app = screen(PAGE, cmp="historyLength:5;historyLength:9")
    under = [" ".join(untagged(e.proto.body).split()) for e in app.get("html") if "hl-three" in e.proto.body]
    assert re.fullmatch(r"tokens, this request [\d.]+k facts lost in all \d+ cost in all \S+", under[0])
    assert "B sends 74% fewer tokens than A, but loses" in under[1]


def test_of_two_the_sentence_stands_in_the_headline_alone():
    app = screen(PAGE, cmp="historyLength:5")
    said = [e.proto.body for e in app.get("html") if "B sends 74% fewer tokens than A" in e.proto.body]
    assert [body.startswith("<h1") for body in said] == [True]


def test_the_conversation_is_sent_once_whatever_the_number_of_maps():
    app = screen(PAGE, cmp="historyLength:5;budget:900")
    ids = [e.proto.id.partition("data map ") for e in app.get("bidi_component")]
    sent = [what for before, _, what in ids if what and not before.endswith("script ")]
    assert sorted(sent) == ["A conversation", "A timeline", "B timeline", "C timeline"]


def test_only_requests_that_differ_can_be_stepped_through():
    app = screen(PAGE, cmp="historyPolicy:all", historyLength="80")
    shown(app.toggle(key="only differing").set_value(True).run())
    assert app.button(key="later").disabled
    shown(app.button(key="earlier").click().run())
    assert request_field(app).value == 82
    shown(app.button(key="earlier").click().run())
    assert app.button(key="earlier").disabled  # lastN of 80 differs from all in the last three only


def test_a_field_is_a_new_one_once_a_button_set_it_so_that_a_late_report_of_the_old_one_undoes_nothing():
    app = screen(PAGE)
    known = request_field(app).key
    shown(request_field(app).set_value(40).run())
    assert (request_field(app).key, request_field(app).value) == (known, 40)
    shown(app.button(key="later").click().run())
    assert request_field(app).key != known
    assert request_field(app).value == 41


def test_configurations_that_do_the_same_say_so():
    app = screen(PAGE, cmp="=")
    assert "B does the same as A." in verdict(app)
    assert app.toggle(key="only differing").disabled
    assert "The same messages are sent" in text(app)


def test_what_the_environment_sets_is_locked_in_all_of_them(monkeypatch):
    monkeypatch.setenv("HISTORYLAB_BUDGET", "900")
    app = screen(PAGE, cmp="budget:300")
    assert "B budget" not in [widget.key for widget in app.text_input]
    assert "HISTORYLAB_BUDGET" in text(app)
    assert "B does the same as A." in verdict(app)


def test_rewritten_conversations_are_compared_in_numbers():
    app = screen(PAGE, cmp="projection:collapsed_tools", conv="sample:tide-tables-agent")
    assert "can’t be matched" in text(app)
    assert len(cells(app, "Tokens sent, all requests")) == 2


def test_a_link_has_the_maps_play_once_and_a_choice_ends_it():
    app = screen(PAGE, cmp="historyLength:5", play="true")
    assert plays(app) == [True, False]
    assert "play" not in app.query_params
    shown(app.button(key="earlier").click().run())
    assert plays(app) == [False, False]


def plays(app) -> list[bool]:
    """Of each map, whether it begins to play."""
    maps = (e.proto for e in app.get("bidi_component") if e.proto.component_name.endswith("history_map"))
    return [json.loads(one.json).get("play", False) for one in maps]


def test_what_is_better_or_worse_is_said_in_a_word():
    app = screen(PAGE, cmp="historyLength:5")
    assert cells(app, "Messages dropped by the end")[1].endswith("▲ +30 (+24%) worse")
    assert cells(app, "Cost with prompt cache")[1].endswith("better")
    assert cells(app, "Tokens sent, all requests")[1].endswith("(−74%)")


def test_the_share_link_opens_the_same_comparison():
    app = screen(PAGE)
    shown(app.button(key="share").click().run())
    link = app.code[0].value
    assert "/compare?v=" in link
    again = screen(PAGE, **dict(parse_qsl(link.partition("?")[2], keep_blank_values=True)))
    assert verdict(again) == verdict(app)


def test_a_conversation_without_a_request_is_no_error():
    app = screen("app.py")
    opening(app, "Paste")
    app.text_area(key="pasted").set_value('[{"role": "assistant", "content": "Hello!"}]').run()
    shown(app.button(key="open-pasted").click().run())
    shown(app.switch_page(PAGE).run())
    assert "nothing to compare" in text(app)


def test_hostile_text_and_settings_stay_text():
    said = '[{"role":"user","content":"<img src=x onerror=alert(1)>"},{"role":"assistant","content":"a"},'
    app = screen("app.py", model="<script>alert(1)</script>", cmp="model:%3Cimg%20src%3Dx%3E;historyPolicy:none")
    opening(app, "Paste")
    app.text_area(key="pasted").set_value(said + '{"role":"user","content":"b"}]').run()
    shown(app.button(key="open-pasted").click().run())
    shown(app.switch_page(PAGE).run())
    assert not any("<img" in e.proto.body or "<script" in e.proto.body for e in app.get("html"))


def test_a_model_is_not_asked_for_a_configuration_nobody_agreed_to():
    app = screen(PAGE, cmp="pruner:summarize,summarizer:model")
    assert "was refused" in text(app)


def test_a_message_chosen_on_the_map_is_explained_under_each_of_them_until_it_is_closed():
    app = screen(PAGE, cmp="historyLength:5")
    app.session_state["historylab"].message = 140
    shown(app.run())
    said = " ".join(text(app).split())
    assert "Message 141, assistant, with request 83" in said
    assert (
        "A ● kept Sent whole: nothing asks for it to go. B × dropped since turn 75 Older than the last 5 user" in said
    )
    shown(app.button(key="close-message").click().run())
    assert "Message 141" not in text(app)
