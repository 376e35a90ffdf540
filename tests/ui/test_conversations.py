"""Conversations without a browser: what is listed, measured, found, tagged, exported and deleted."""

from __future__ import annotations

import json
import re
from contextlib import closing

import pytest
import streamlit as st
from app_pages import screen, shown, text, uploaded
from recorded_chats import Chat, lines_in

from historylab.errors import StoreError
from historylab.recordings import open_recording
from historylab.recordings.recorded_shelf import RecordedShelf
from historylab.recordings.recorder import Recorder

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("nothing_remembered")]
PAGE = "pages/conversations.py"
DESK = [
    {
        "messages": [
            {"role": "user", "content": "When does the ferry leave?"},
            {"role": "assistant", "content": "At nine."},
        ]
    },
    {
        "messages": [
            {"role": "user", "content": "A room by the ferry?"},
            {"role": "assistant", "content": "Two are free."},
        ]
    },
]


@pytest.fixture
def nothing_remembered():
    """All these tests are one session to Streamlit, which would remember what an earlier one searched."""
    st.cache_resource.clear()


def figures(app, row: int = 0) -> list[str]:
    """The cells of a row."""
    return [cell["text"] for cell in listed(app)[row]["cells"]]


def listed(app) -> list[dict]:
    """The rows of the list, none where there is none."""
    found = [e.proto for e in app.get("bidi_component") if e.proto.id.endswith("-conversations")]
    return json.loads(found[0].json)["rows"] if found else []


def titles(app) -> list[str]:
    return [row["title"] for row in listed(app)]


def with_desk():
    """The page after a file of two conversations was opened on it."""
    given = "\n".join(map(json.dumps, DESK)).encode()
    return uploaded(screen(PAGE), ("desk.jsonl", given))


def searched(app, words: str):
    return shown(app.text_input(key="library-search").set_value(words).run())


def ticked(app, *rows: int):
    """The same with those of the file's conversations ticked, as clicks on their boxes leave it."""
    state = app.session_state["historylab"]
    state.library.ticked = dict.fromkeys(f"held:{state.library.held[-1].number}:{row}" for row in rows)
    return shown(app.run())


@pytest.mark.parametrize("start", ["app.py", PAGE])
def test_what_is_open_is_listed_with_what_it_is(start):
    app = shown(screen("app.py").switch_page(PAGE).run()) if start == "app.py" else screen(PAGE)
    (row,) = listed(app)
    assert (row["title"], row["open"]) == ("A birthday by the sea", True)
    assert figures(app)[:3] == ["Sample", "166", "83"]


def test_what_was_opened_before_stays_listed_the_newest_first():
    app = with_desk()
    assert titles(app) == ["When does the ferry leave?", "A room by the ferry?", "A birthday by the sea"]
    assert [figures(app, row)[0] for row in range(2)] == ["Imported: desk.jsonl"] * 2


def test_a_search_lists_the_best_first_with_what_it_found():
    app = searched(with_desk(), "rooms near ferries")
    assert titles(app)[0] == "A room by the ferry?"
    (hit,) = listed(app)[0]["hits"]
    assert hit["said"] == [["A ", False], ["room", True], [" by the ", False], ["ferry", True], ["?", False]]
    assert "conversations share words with “rooms near ferries”, the best first" in text(app)
    app = searched(app, "helicopter")
    assert listed(app) == []
    shown(app.button(key="list-everything").click().run())
    assert len(listed(app)) == 3


def test_only_those_of_a_source_are_listed():
    app = with_desk()
    shown(app.selectbox(key="library-source").set_value("imported").run())
    assert len(listed(app)) == 2


def test_tags_are_given_taken_and_listed_by():
    app = ticked(with_desk(), 0)
    field = next(field for field in app.multiselect if field.label == "Their tags")
    app = shown(field.set_value(["boats"]).run())
    assert [row["tags"] for row in listed(app)] == [["boats"], [], []]
    shown(app.multiselect(key="library-tags").set_value(["Boats"]).run())
    assert titles(app) == ["When does the ferry leave?"]


def test_deleting_names_what_goes_and_takes_it_off_the_list():
    app = ticked(with_desk(), 0)
    app = shown(app.button(key="delete-conversations").click().run())
    assert "1 conversation of this tab: taken off this list." in text(app)
    app = shown(app.button(key="delete-really").click().run())
    assert titles(app) == ["A room by the ferry?", "A birthday by the sea"]
    assert "Deleted 1 conversation." in text(app)


def test_an_export_has_all_that_are_ticked():
    app = ticked(with_desk(), 0, 1)
    app = shown(app.button(key="export-conversations").click().run())
    assert "These conversations" in text(app)
    assert [button.proto.label for button in app.get("download_button")] == ["Download HistoryLab JSON"]


def test_what_would_be_remembered_is_shown_with_its_size_and_where_it_is_from():
    app = with_desk()
    shown(app.text_input(key="memory-question").set_value("Is there a ferry?").run())
    assert re.search("Remembered from .*“A room by the ferry\\?”.*: [0-9]+ tokens", text(app))
    assert "“A room by the ferry?”, user: A room by the ferry?" in text(app)
    shown(app.text_input(key="memory-question").set_value("helicopters").run())
    assert "Nothing: no conversation shares a word with it." in text(app)


def test_a_recording_that_cannot_be_read_is_named_and_the_rest_is_listed(monkeypatch):
    monkeypatch.setenv("HISTORYLAB_RECORD", "postgresql://ana:secret@127.0.0.1:1/none?connect_timeout=1")
    app = screen(PAGE)
    assert "The recording at postgresql://127.0.0.1:1/none can" in text(app)
    assert "secret" not in text(app)
    assert titles(app) == ["A birthday by the sea"]


def test_of_many_conversations_a_page_is_shown_at_a_time():
    many = [{"messages": [{"role": "user", "content": f"Where is parcel {number}?"}]} for number in range(120)]
    app = uploaded(screen(PAGE), ("many.jsonl", "\n".join(map(json.dumps, many)).encode()))
    assert len(listed(app)) == 50
    assert "Page 1 of 3" in text(app)
    app.session_state["historylab"].opened.which = 77
    assert "Page 2 of 3" in text(app.run())
    app.session_state["historylab"].opened.which = 0
    app = shown(app.run())
    app = shown(shown(app.button(key="page-after").click().run()).button(key="page-after").click().run())
    assert titles(app)[-1] == "A birthday by the sea"
    assert len(listed(app)) == 21
    app = searched(app, "parcel 77")
    assert titles(app)[0] == "Where is parcel 77?"
    assert "Page 1 of 3" in text(app)


def test_the_chat_of_the_tab_is_listed_once_however_often_it_is_opened():
    app = shown(screen("app.py").switch_page("pages/talk.py").run())
    for words in ("My booking is FR-7731.", "What is my booking?"):
        app = shown(app.chat_input(key="say").set_value(words).run())
        app = shown(app.button(key="open-in-playground").click().run())
        app = shown(app.switch_page("pages/talk.py").run())
    app = shown(app.switch_page(PAGE).run())
    assert titles(app) == ["Chat", "A birthday by the sea"]
    assert [figures(app, row)[0] for row in range(2)] == ["Chat", "Sample"]


# -- a recording


@pytest.fixture
def recording(monkeypatch, tmp_path):
    """Where two conversations are recorded, with the store."""
    monkeypatch.setenv("HISTORYLAB_RECORD", str(tmp_path))
    with closing(open_recording(tmp_path)) as store, closing(Recorder(store)) as recorder:
        for name, words in (("a", "When does the ferry leave?"), ("b", "Are there bicycles?")):
            assert recorder.record(Chat().exchange(words, conversation=name, app="desk"), timeout=30)
        yield store


def ticked_recorded(app, *names: str):
    app.session_state["historylab"].library.ticked = {f"recorded:{name}": None for name in names}
    return shown(app.run())


def test_what_is_recorded_is_listed_found_and_told_apart_from_the_rest(recording):
    app = screen(PAGE)
    assert titles(app) == ["A birthday by the sea", "Are there bicycles?", "When does the ferry leave?"]
    assert figures(app, 1)[:4] == ["Recorded: desk", "3", "1", "17"]
    assert listed(app)[1]["cells"][0]["hover"] == "gpt-4o"
    assert titles(searched(app, "bicycles"))[0] == "Are there bicycles?"
    shown(app.selectbox(key="library-source").set_value("recorded").run())
    assert titles(app) == ["Are there bicycles?"]


def test_tags_of_a_recorded_one_are_kept_in_the_recording(recording):
    app = ticked_recorded(screen(PAGE), "a")
    field = next(field for field in app.multiselect if field.label == "Their tags")
    app = shown(field.set_value(["late"]).run())
    assert listed(app)[2]["tags"] == ["late"]
    assert [line["tags"] for line in lines_in(recording) if line["historylab"] == "tags"] == [["late"]]


def test_deleting_a_recorded_one_takes_all_its_lines_out_of_the_recording(recording, tmp_path):
    app = ticked_recorded(screen(PAGE), "a")
    app = shown(app.button(key="delete-conversations").click().run())
    assert "1 recorded conversation with 1 line in all: deleted from the recording at" in text(app)
    app = shown(app.button(key="delete-really").click().run())
    assert titles(app) == ["A birthday by the sea", "Are there bicycles?"]
    assert {line["conversation"] for line in lines_in(recording)} == {"b"}


def test_an_export_offers_the_recordings_own_lines(recording):
    app = ticked_recorded(screen(PAGE), "a", "b")
    app = shown(app.button(key="export-conversations").click().run())
    assert "As they were recorded" in text(app)
    assert "2 lines with every request" in text(app)


@pytest.mark.parametrize("method", ["refresh", "read"])
def test_a_recording_that_fails_later_is_named(recording, monkeypatch, method):
    def fails(*_):
        raise StoreError("the disk is gone")

    app = ticked_recorded(screen(PAGE), "a")
    monkeypatch.setattr(RecordedShelf, method, fails)
    st.cache_resource.clear()
    app = searched(app, "ferry")
    assert "can&#x27;t be read: the disk is gone." in text(app)
    assert titles(app) == (["A birthday by the sea"] if method == "refresh" else [])
