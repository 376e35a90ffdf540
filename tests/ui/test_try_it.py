"""Try it: messages edited, added, pinned and deleted in place; the original one click away, and never in a link."""

from __future__ import annotations

import json
import re
from urllib.parse import parse_qsl

import pytest
from app_pages import next_conversation, opening, request_field, screen, shown, text, verdict
from listed import listed

pytestmark = pytest.mark.slow  # whole screens, drawn again at every click

SHORT = [
    {"role": "system", "content": "Be brief."},
    {"role": "user", "content": "Where is order 4711?"},
    {
        "role": "assistant",
        "content": None,
        "tool_calls": [{"id": "c1", "type": "function", "function": {"name": "find", "arguments": '{"order": 4711}'}}],
    },
    {"role": "tool", "tool_call_id": "c1", "content": "on its way"},
    {"role": "assistant", "content": "On its way."},
    {"role": "user", "content": "Thanks"},
]


def chosen(message: int, conversation: list[dict] | None = None, **link: str):
    """The playground with that message (from 0) chosen; of a pasted conversation if one is given."""
    app = screen(**link)
    if conversation:
        opening(app, "Paste")
        app.text_area(key="pasted").set_value(json.dumps(conversation)).run()
        app.button(key="open-pasted").click().run()
    return choose(app, message)


def choose(app, message: int):
    app.session_state["historylab"].message = message
    return shown(app.run())


def click(app, key: str):
    return shown(app.button(key=key).click().run())


def edits_shown(app) -> str:
    """The edits the bar shows; empty if there are none."""
    found = re.search(r"Changed by you: ([^.]+)\.", text(app))
    return found[1] if found else ""


def add(app, content: str, **fields):
    click(app, "insert-message")
    for name, value in fields.items():
        app.segmented_control(key=f"insert-{name}").set_value(value)
    app.text_area(key="insert-text").set_value(content)
    return click(app, "save-edit")


def reworded(app, message: int, content: str):
    click(app, "edit-message")
    app.text_area(key=f"edit-text {message}").set_value(content)
    return click(app, "save-edit")


def rows(app) -> list[str]:
    return listed(app)["texts"]


def test_an_edited_message_is_counted_planned_and_shown_anew_and_the_original_is_a_click_away():
    app = chosen(1, SHORT)
    before = text(app)
    reworded(app, 1, "word " * 500)
    assert edits_shown(app) == "1 edited"
    assert "(edited)" in text(app)
    assert "547 of 8k" in verdict(app)  # 53 before
    assert rows(app)[1].startswith("word word")
    click(app, "back-to-original")
    assert edits_shown(app) == ""
    assert text(app) == before


def test_messages_are_deleted_added_and_pinned_and_the_last_edit_is_undone():
    app = chosen(2)
    click(app, "delete-message")
    assert "165 messages" in text(app)
    add(app, "A new question?")
    assert edits_shown(app) == "1 inserted, 1 deleted"
    assert rows(app)[3] == "A new question?"
    click(app, "pin-message")
    assert "always sent   2" in text(app)
    click(app, "undo-edit")
    click(app, "undo-edit")
    assert edits_shown(app) == "1 deleted"
    click(app, "undo-edit")
    assert edits_shown(app) == ""


def test_a_message_added_at_the_end_is_the_next_request():
    app = add(chosen(1, SHORT), "And order 4712?", at=6)
    assert edits_shown(app) == "1 inserted"
    assert "7 of 7 messages sent" in verdict(app)


def test_an_empty_message_is_not_added():
    app = add(chosen(1, SHORT), "  ")
    assert edits_shown(app) == ""


def test_what_loses_its_call_shows_as_invalid_and_a_pin_that_could_do_nothing_says_so():
    app = click(chosen(2, SHORT), "delete-message")
    assert "Its result is left without its call: an API would refuse that, so no request sends it." in text(app)
    assert app.button(key="pin-message").disabled
    assert app.button(key="pin-message").help == "An API would refuse it, pinned or not"
    assert choose(app, 0).button(key="pin-message").help == "System messages are always sent"


def test_arguments_of_a_call_are_edited_and_a_result_is_added_for_the_call_that_waits():
    app = chosen(2, SHORT)
    click(app, "edit-message")
    app.text_area(key="edit-arguments 2 0").set_value('{"order": 4712}')
    click(app, "save-edit")
    assert "4712" in rows(app)[2]
    click(choose(app, 3), "delete-message")
    choose(app, 2)
    click(app, "insert-message")
    assert app.selectbox(key="insert-answers").options == ["find in message 3"]
    app.segmented_control(key="insert-role").set_value("tool")
    app.text_area(key="insert-text").set_value("lost")
    click(app, "save-edit")
    assert edits_shown(app) == "1 edited, 1 inserted, 1 deleted"
    assert "An API would refuse it" not in text(choose(app, 3))


def test_a_saved_form_that_says_the_same_is_no_edit():
    app = chosen(1, [{"role": "user", "content": "a"}, {"role": "user", "content": "two\r\nlines \ud800"}])
    click(app, "edit-message")
    click(app, "save-edit")
    assert edits_shown(app) == ""


def test_a_link_opens_the_original_and_share_says_so():
    app = reworded(chosen(1, conv="sample:bike-rental-support", request="3"), 1, "MY OWN WORDS")
    click(app, "share")
    link = next(code.value for code in app.code if "conv=" in code.value)
    assert "Your edits are not in the link (1 edited): it opens the original" in text(app)
    assert "bike-rental-support, as it was before your edits" in text(app)
    assert "OWN" not in link
    assert "request" not in dict(parse_qsl(link.partition("?")[2]))
    assert "OWN" not in str(dict(app.query_params.items()))
    assert "(edited)" not in text(screen(**dict(parse_qsl(link.partition("?")[2], keep_blank_values=True))))


def test_opening_another_conversation_of_the_file_drops_the_edits():
    app = reworded(chosen(0, conv="sample:three-languages"), 0, "other")
    assert edits_shown(app) == "1 edited"
    next_conversation(app)
    assert edits_shown(app) == ""
    shown(app.button(key="entry-before").click().run())
    assert edits_shown(app) == ""


def test_edits_are_of_what_was_said_not_of_what_a_system_makes_of_it():
    app = chosen(1, conv="sample:garden-room", system="toolpack")
    shown_as = rows(app)[1]
    click(app, "edit-message")
    assert app.text_area(key="edit-text 1").value != shown_as
    app.text_area(key="edit-text 1").set_value("Mulch.")
    click(app, "save-edit")
    assert rows(app)[1].endswith("Mulch.")
    app = chosen(8, conv="sample:bike-rental-support", system="mentu")
    assert "For the same reason it can’t be edited" in text(app)
    assert "edit-message" not in [button.key for button in app.button]


def test_a_star_goes_along_with_its_message_and_the_link_tells_where_it_is_in_the_original():
    app = click(chosen(5), "remember")
    click(choose(app, 2), "delete-message")
    assert app.session_state["historylab"].stars == (4,)
    assert app.query_params["stars"] == "6"
    click(choose(app, 4), "delete-message")
    assert app.session_state["historylab"].stars == ()
    assert "Message 5 is deleted, and its mark “must remember” with it." in text(app)
    click(app, "undo-deletion")
    click(app, "undo-edit")
    assert app.session_state["historylab"].stars == (5,)


def test_one_looks_at_the_same_request_though_there_are_fewer_before_it():
    app = chosen(3, request="40")
    before = rows(app)[-1]
    click(app, "delete-message")
    assert rows(app)[-1] == before
    assert request_field(app).value == 39


@pytest.mark.parametrize("page", ["compare", "tune"])
def test_other_pages_look_at_the_edited_conversation(page):
    app = reworded(chosen(1, SHORT), 1, "word " * 500)
    shown(app.switch_page(f"pages/{page}.py").run())
    assert "(edited)" in text(app)
