"""The messages without a browser: they are searched, drawn as a chat, and turned to when one is chosen elsewhere."""

from __future__ import annotations

import pytest
from app_pages import screen, shown, text
from streamlit.testing.v1 import AppTest

from historylab import Conversation, Message, ToolCall
from historylab.ui.request.message_search import matching_messages

pytestmark = pytest.mark.slow  # a whole page, many times

SAMPLE = {"conv": "sample:tide-tables-agent", "historyPolicy": "all", "pruner": "summarize", "budget": "2500"}


def searched(app, words: str):
    return shown(app.text_input(key="search").set_value(words).run())


def numbers(app) -> list[int]:
    return app.dataframe[0].value["#"].tolist()


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


def test_a_search_says_how_many_it_found_and_where_else_there_are_some():
    app = searched(screen(**SAMPLE), "table")
    everywhere = numbers(app)
    assert f"{len(everywhere)} messages contain “ table ”" in text(app)
    shown(app.segmented_control(key="show").set_value("sent").run())
    there = numbers(app)
    assert set(there) < set(everywhere)
    assert f"in “What the model sees”, {len(everywhere) - len(there)} elsewhere" in text(app)


def test_where_nothing_is_found_one_can_search_everything():
    app = screen(**SAMPLE)
    shown(app.segmented_control(key="show").set_value("sent").run())
    searched(app, "House rules")
    assert "Nothing in “What the model sees” contains" in text(app)
    assert not app.dataframe
    shown(app.button(key="search-everything").click().run())
    assert numbers(app) == [2]
    searched(app, "<img src=x>")
    assert "No message so far contains" in text(app)
    assert not any("<img" in e.proto.body for e in app.get("html"))
    shown(app.button(key="search-nothing").click().run())
    assert len(numbers(app)) > 20


def test_the_chat_opens_at_the_newest_of_its_pages_and_keeps_filter_and_search():
    app = shown(screen().segmented_control(key="view").set_value("chat").run())
    assert "Messages 151 to 166 as a chat" in bubbles(app)
    pager = app.get("pagination")[0]
    assert pager.value == 4
    shown(pager.set_value(1).run())
    assert "Messages 1 to 50 as a chat" in bubbles(app)
    searched(app, "lease")
    assert "Messages 39 to 145 as a chat" in bubbles(app)
    assert bubbles(app).count('class="hl-said') == 4
    shown(app.segmented_control(key="show").set_value("sent").run())
    assert "126 messages left out here" not in bubbles(app)  # the line stands where it stands: before message 128
    searched(app, "")
    assert "126 messages left out here" in bubbles(app)


def bubbles(app) -> str:
    return next(e.proto.body for e in app.get("html") if "hl-chat" in e.proto.body)


def test_a_chosen_message_is_shown_though_filter_and_search_hid_it_and_at_a_request_that_may_send_it():
    def choosing():
        import streamlit as st

        from historylab import Settings, replay
        from historylab.formats.samples import load_sample
        from historylab.ui.request.message_selection import choose_message
        from historylab.ui.session import session

        here, timeline = session.tab(), replay(load_sample("birthday-by-the-sea")[0], Settings())
        last = len(timeline.plans) - 1
        here.show, here.search, here.view = "lost", "lease", "chat"
        for request, message in ((last, 38), (last, 37), (last, 160), (0, 160), (last, 166)):
            choose_message(timeline, request, message)  # 38 is lost and holds the word; 166 answers the last request
            st.text((here.show, here.search, here.page, here.request, here.message))

    app = shown(AppTest.from_function(choosing).run())
    assert [told.value for told in app.text] == [
        "('lost', 'lease', 1, 82, 38)",
        "('lost', '', 1, 82, 37)",
        "('everything', '', 4, 82, 160)",
        "('everything', '', 4, 80, 160)",
        "('everything', '', None, 82, 166)",
    ]
