"""Messages that must be remembered: marked in the list, followed by verdict, Compare, Improve, link and report."""

from __future__ import annotations

import json
from urllib.parse import parse_qsl

import pytest
import streamlit as st
from app_pages import next_conversation, on_tab, opening, request_field, rows, screen, shown, text, unfolded, verdict
from listed import listed

pytestmark = pytest.mark.slow  # whole screens, drawn again at every click

TUNE, COMPARE = "pages/tune.py", "pages/compare.py"
SAID = [
    {"role": ("user", "assistant")[i % 2], "content": f"<b>number {i}</b> " + "and more " * 20, "id": f"m{i}"}
    for i in range(21)
]
WISH = "keep every must-remember message"


def pasted(given: object, **link: str):
    app = opening(screen(**link), "Paste")
    app.text_area(key="pasted").set_value(json.dumps(given)).run()
    return shown(app.button(key="open-pasted").click().run())


def selected(app, message: int):
    """The same with that message (from 0) selected, as a click in the list leaves it."""
    app.session_state["historylab"].message = message
    return shown(app.run())


def test_a_mark_is_set_seen_told_and_taken_away_again():
    app = selected(pasted(SAID, historyLength="3"), 2)
    before = verdict(app)
    assert "must be remembered" not in before
    assert listed(app)["starred"] == []

    shown(app.button(key="remember").click().run())
    assert "Message 3, which must be remembered, “&lt;b&gt;number 2&lt;/b&gt;" in verdict(app)
    assert "was lost at turn 5." in verdict(app)
    assert "It has been lost since turn 5." in text(app)
    assert listed(app)["starred"] == [2]

    shown(app.button(key="forget").click().run())
    assert verdict(app) == before
    assert listed(app)["starred"] == []


def test_a_rule_that_left_and_a_mark_are_kept_by_their_text_which_no_address_carries():
    rule = {"role": "user", "content": "Never e-mail anyone <b> outside. Hello!"}
    app = selected(pasted([rule, SAID[1], *SAID[2:]], historyLength="3"), 2)
    assert "The rule “Never e-mail anyone &lt;b&gt; outside” left at request 4." in text(app)
    (left,) = rows(on_tab(app, "Lost facts"), "lost-rules")
    assert left == ["“Never e-mail anyone <b> outside”", "message 1 (user)", "Left at request 4"]
    shown(app.button(key="keep-rules").click().run())
    assert app.session_state["historylab"].you["pin"] == "Never e-mail*"
    assert "left at request" not in text(app)
    assert "Trying What must stay: Never e-mail*" in text(app)
    shown(app.button(key="remember").click().run())
    shown(app.button(key="keep-marked").click().run())
    assert "It is sent." in text(app)
    assert unfolded(app, "What stays").text_area(key="set pin").value == "Never e-mail*\n<b>number 2</b>*"
    assert not {"pin"} & {*app.query_params}
    shown(app.button(key="share").click().run())
    assert "Texts under “What must stay” are left out" in text(app)
    shown(app.button(key="undo-trial").click().run())
    assert app.text_area(key="set pin").value == "Never e-mail*"


def test_the_verdict_is_about_the_request_one_looks_at():
    app = selected(pasted({"messages": SAID, "stars": [2, "m4"]}, historyLength="3"), 4)
    assert "so was message 5." in verdict(app)
    shown(request_field(app).set_value(5).run())
    assert "was lost at turn 5." in verdict(app)
    assert "It is sent." in text(app)
    shown(request_field(app).set_value(3).run())
    assert "Both messages that must be remembered are still held." in verdict(app)
    shown(request_field(app).set_value(1).run())
    assert "which must be remembered" not in verdict(app)


@pytest.mark.parametrize("stars", [4.5, "m1", {"m1": 1}, [99, None]])
def test_a_file_whose_stars_are_no_marks_opens_without_any(stars):
    app = pasted({"messages": SAID, "stars": stars})
    assert "which must be remembered" not in verdict(app)
    assert "stars" not in app.query_params


def test_the_link_says_which_of_a_sample_and_nothing_of_what_is_ones_own():
    app = selected(screen(), 1)
    shown(app.button(key="remember").click().run())
    assert app.query_params["stars"] == "2"
    shown(app.button(key="share").click().run())
    assert "which messages must be remembered, by number: 2" in text(app)
    again = screen(**dict(parse_qsl(app.code[-1].value.partition("?")[2], keep_blank_values=True)))
    assert "1 ⚑ lost" in " ".join(verdict(again).split())
    assert "stars" not in selected(pasted(SAID, stars="2"), 1).query_params


def test_what_a_link_names_that_is_not_there_is_told_and_the_rest_counts():
    app = screen(stars="2,900,x", request="99")
    assert "1 ⚑ lost" in " ".join(verdict(app).split())
    said = text(app).replace("&#x27;", "'")
    assert "stars '900' in the link was not read: the conversation has 166 messages" in said
    assert "stars 'x' in the link was not read" in said
    assert "request '99' in the link was not read: the conversation makes 83 requests; the last is shown" in said
    said = text(screen(which="3")).replace("&#x27;", "'")
    assert "which '3' in the link was not read: the file holds 1 conversation; the last is shown" in said


def test_another_conversation_has_marks_of_its_own():
    app = screen(stars="2", conv="sample:three-languages")
    next_conversation(app)
    assert "which must be remembered" not in verdict(app)
    assert "stars" not in app.query_params


def test_a_projection_is_followed_and_what_it_merges_cannot_be_marked_alone():
    call = {"id": "c", "type": "function", "function": {"name": "look", "arguments": '{"at": "gate B42"}'}}
    tools = [SAID[0], {"role": "assistant", "tool_calls": [call]}, {"role": "tool", "content": "B42 is open",
             "tool_call_id": "c"}, *SAID[1:6]]  # fmt: skip
    app = selected(pasted(tools), 2)
    shown(app.button(key="remember").click().run())
    app.session_state["historylab"].you["projection"] = "collapsed_tools"
    selected(app, 2)
    assert 2 in listed(app)["starred"]
    assert "Message 3, which must be remembered, is still held." in verdict(app)
    assert "Since its turn ended it is part of one text" in text(app)
    shown(app.button(key="forget").click().run())
    selected(app, 4)
    assert "made of several of the conversation" in text(app)
    assert "remember" not in [button.key for button in app.button]


def test_compare_says_who_loses_it_and_when():
    app = screen(COMPARE, historyLength="20", cmp="historyPolicy:all", stars="2", pruner="off")
    assert "forgets 1 fewer must-remember message" in verdict(app)
    table = next(e.proto.body for e in app.get("html") if "hl-compare" in e.proto.body)
    assert "Must-remember messages lost" in table
    assert "First must-remember loss" in table
    assert "never" in table
    assert "Must-remember" not in text(screen(COMPARE, cmp="historyPolicy:all"))


def test_tune_offers_the_wish_only_where_something_is_marked():
    st.cache_resource.clear()
    app = shown(screen().switch_page(TUNE).run())
    assert WISH not in app.pills(key="musts").options
    assert "mark them in Inspect" in text(app)
    unmarked = verdict(app)

    app.session_state["historylab"].stars = (1,)
    shown(app.run())
    assert "Must-remember messages kept" in text(app)
    shown(app.pills(key="musts").set_value([WISH]).run())
    assert verdict(app) != unmarked
    assert "Breaks" not in text(app)
    assert "100%" in text(app)

    app.session_state["historylab"].stars = ()
    assert verdict(shown(app.run())) == unmarked


# -- questions


def test_questions_find_their_likeliest_messages_and_whether_they_are_held():
    said = [*SAID, {"role": "assistant", "content": "Your platform is nine."}, {"role": "user", "content": "Thanks."}]
    said[1]["content"] = "The ticket number is QX-55."
    app = on_tab(pasted(said, historyLength="3"), "Asked later")
    assert "Write what may still be asked" in text(app)
    shown(app.text_area(key="questions").set_value("Which ticket number?\n\nWhich platform? \nzebra").run())
    told = text(app)
    assert "“Which platform?”: if asked next, the one message likely to answer it is held." in told
    assert "“zebra”: no message shares a distinctive word with it." in told
    table = rows(app, "likeliest")
    assert table[0][:2] == ["2 The ticket number is QX-55.", "× lost"]
    assert [held for _, held, question in table if question == "Which platform?"] == ["✓ held"]
    assert "questions" not in app.query_params
    assert "Answers to your questions kept" in text(shown(app.switch_page(TUNE).run()))


def test_questions_are_gone_with_their_conversation():
    app = on_tab(screen(), "Asked later")
    shown(app.text_area(key="questions").set_value("Who has an allergy?").run())
    assert rows(app, "likeliest")
    opening(app, "Sample")
    shown(app.button(key="sample three-languages").click().run())
    assert app.text_area(key="questions").value == ""
    assert "Write what may still be asked" in text(app)


def test_a_proposed_question_is_ticked_and_keeps_the_message_that_answers_it():
    app = on_tab(screen(), "Asked later")
    proposed = app.checkbox(key="proposed 0")
    shown(proposed.check().run())
    asked = proposed.label.strip("`")
    assert app.text_area(key="questions").value == asked
    assert f"{asked}: if asked next, the message that answers it is lost." in text(app)
    assert len(rows(app, "likeliest")) == 1
    shown(app.text_area(key="questions").set_value("").run())
    assert not app.checkbox(key="proposed 0").value
    shown(app.checkbox(key="proposed 1").check().run())
    shown(app.switch_page(TUNE).run())
    assert app.checkbox(key="proposed 1").value
    assert "Answers to your questions kept" in text(app)
