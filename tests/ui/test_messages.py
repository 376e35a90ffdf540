"""The messages without a browser: searched, handed to their list, and chosen from everything that names one."""

from __future__ import annotations

import pytest
from app_pages import SECONDS, screen, shown
from listed import hits as hits_shown
from listed import listed
from streamlit.testing.v1 import AppTest

from historylab import Conversation, Message, Settings, ToolCall, replay
from historylab.formats.samples import load_sample
from historylab.ui.request.message_search import found_in, matching_messages
from historylab.ui.request.search_field import hits

SAMPLE = {"conv": "sample:tide-tables-agent", "historyPolicy": "all", "pruner": "summarize", "budget": "2500"}


def test_role_name_text_tool_and_arguments_are_searched_whatever_their_case_width_and_spaces():
    said = Conversation(
        [
            Message("user", "Ａ Ｃａｆé\n in   STRASSE", name="Ilse"),  # wide letters
            Message("assistant", "", tool_calls=(ToolCall("1", "read_file", '{"path": "Notes.md"}'),)),
            Message("tool", "nothing", tool_call_id="1"),
        ]
    )
    for words, found in {
        "a cafe\u0301 in": [True, False, False],  # the accent written apart
        "straße": [True, False, False],
        "ilse": [True, False, False],
        "READ_FILE": [False, True, False],
        "notes.md": [False, True, False],
        "tool": [False, False, True],
        "read_file {": [False, False, False],  # not over two parts
        "  ": [True, True, True],
    }.items():
        assert matching_messages(said, 3, words).tolist() == found, words
    assert matching_messages(said, 2, "tool").tolist() == [False, False]


@pytest.mark.parametrize(
    ("content", "words", "found"),
    [
        ("Fold the\n paper   boat", "PAPER boat", ("Fold the ", "paper boat", "")),
        ("x" * 50 + " table " + "y" * 200, "table", ("…" + "x" * 35 + " ", "table", " " + "y" * 89 + "…")),
        ("in der Straße", "STRASSE", ("in der ", "strasse", "")),  # where only the folded texts agree
        ("\u202eright", "right", ("�", "right", "")),
    ],
)
def test_a_hit_shows_what_is_around_the_words(content, words, found):
    assert found_in(Message("user", content), words) == found


def test_what_is_found_says_what_became_of_it_at_this_request():
    timeline = replay(load_sample("birthday-by-the-sea")[0], Settings(length=10))
    asked = ((82, "lease"), (5, "lease"), (82, "the"), (82, "<img>"), (82, "  "))
    said = [hits(timeline, number, words) for number, words in asked]
    assert [one["said"] for one in said] == [
        "4 messages contain “lease”.",
        "4 messages contain “lease”.",
        "127 messages contain “the”.",
        "No message contains “<img>”.",
        "",
    ]
    since = ["turn 29", "turn 37", "turn 55", "turn 82"]
    assert [hit["fate"] for hit in said[0]["hits"]] == [f"× dropped since {turn}" for turn in since]
    assert {hit["fate"] for hit in said[1]["hits"]} == {"said later"}
    assert (len(said[2]["hits"]), said[2]["more"]) == (8, "119 more: show them in the list")


@pytest.mark.slow
def test_the_list_is_told_what_is_looked_at_and_its_texts_come_apart():
    app = screen(**SAMPLE)
    first = listed(app)
    assert (first["request"], first["show"], first["view"], first["searching"]) == (9, "everything", "list", False)
    assert len(first["texts"]) == len(first["tokens"]) == 29
    assert first["summary"]["text"]
    assert first["otherwise"]["summaries"][-1]["from"] == first["summary"]["from"]
    shown(app.text_input(key="search").set_value("House rules").run())
    assert listed(app)["found"] == [1]
    assert [hit["message"] for hit in hits_shown(app)["hits"]] == [1]
    state = app.session_state["historylab"]
    state.show, state.view = "found", "chat"
    shown(app.run())
    assert (listed(app)["show"], len(listed(app)["bubbles"])) == ("found", 29)
    shown(app.text_input(key="search").set_value("").run())
    assert listed(app)["show"] == "everything"  # nothing was found any more


def test_a_chosen_message_is_shown_though_a_filter_hid_it_and_at_a_request_that_may_send_it():
    def choosing():
        import streamlit as st

        from historylab import Settings, replay
        from historylab.formats.samples import load_sample
        from historylab.ui.request.message_selection import choose_message
        from historylab.ui.session import session

        here, timeline = session.tab(), replay(load_sample("birthday-by-the-sea")[0], Settings())
        last = len(timeline.plans) - 1
        here.show, here.search = "lost", "lease"
        for request, message in ((last, 38), (last, 37), (last, 160), (0, 160), (last, 166)):
            choose_message(timeline, request, message)  # 160 is sent; 166 answers the last request
            st.text((here.show, here.search, here.request, here.message))

    app = shown(AppTest.from_function(choosing, default_timeout=SECONDS).run())
    assert [told.value for told in app.text] == [
        "('lost', 'lease', 82, 38)",
        "('lost', 'lease', 82, 37)",
        "('everything', 'lease', 82, 160)",
        "('everything', 'lease', 80, 160)",
        "('everything', 'lease', 82, 166)",
    ]
