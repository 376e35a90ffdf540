"""The drawer that opens conversations: several files, sessions of this machine, and files that are not read at once."""

from __future__ import annotations

import json
from datetime import UTC, datetime

import pytest
from app_pages import conversation_picker, opening, screen, shown, text, uploaded, verdict
from streamlit.testing.v1 import AppTest

from historylab.formats.mapping import FieldMapping
from historylab.formats.sessions import Session

CHAT = [{"role": "user", "content": "Where is my order?"}, {"role": "assistant", "content": "On its way."}]
FOREIGN = {"log": {"history": [{"by": m["role"], "words": m["content"]} for m in [*CHAT, *CHAT]]}}


def bytes_of(value: object) -> bytes:
    return json.dumps(value).encode()


@pytest.mark.slow
def test_several_files_are_one_choice_and_each_says_what_became_of_it():
    app = uploaded(
        screen(), ("a.json", bytes_of(CHAT)), ("b.json", bytes_of([*CHAT, *CHAT])), ("c.png", b"\x89PNG\r\n\x1a\n0000")
    )
    said = text(app)
    assert "2 files." in said
    assert "b.json: Read as OpenAI Chat Completions: 4 messages; nothing was left out." in said
    assert "“c.png”: this is a PNG image" in said
    assert "2 messages, 1 turn" in said
    shown(conversation_picker(app).set_value(1).run())
    assert "4 messages, 2 turns" in text(app)


def told_twice() -> None:
    """A page on which the browser tells of one upload before and after it was opened, and then of another."""
    import streamlit as st

    from historylab.ui.session import opening, session
    from historylab.ui.session.tab import GivenFile

    for told in (("1",), ("1",), ("2",)):
        opening.ask_for_upload((GivenFile("a.json", b"[]"),), told)
        st.write("asked" if session.tab().to_open else "not asked")
        session.tab().to_open = None


def test_an_upload_is_opened_once_however_often_the_browser_tells_of_it():
    app = AppTest.from_function(told_twice).run()
    assert [shown.value for shown in app.markdown] == ["asked", "not asked", "asked"]


@pytest.mark.slow
def test_unknown_json_is_offered_as_the_list_it_holds():
    app = uploaded(screen(), ("foreign.json", bytes_of(FOREIGN)))
    before = verdict(app)
    proposal = app.button(key="proposal 0 0")
    assert proposal.label == "Read `log.history` (4 items: `by`, `words`)"
    shown(proposal.click().run())
    assert verdict(app) != before
    assert "Read by your field mapping: 4 messages" in text(app)


@pytest.mark.slow
def test_a_saved_mapping_reads_the_file_it_is_given_for():
    app = uploaded(screen(), ("foreign.json", bytes_of(FOREIGN)))
    app.session_state["by hand"] = True
    given = opening(app, "Upload").file_uploader(key="saved-mapping")
    shown(given.set_value(("mapping.json", b'{"role": "by"}', "application/json")).run())
    assert "used: it names no field for text" in text(app)
    mapping = FieldMapping("by", "words", "log.history").as_json.encode()
    shown(app.file_uploader(key="saved-mapping").set_value(("mapping.json", mapping, "application/json")).run())
    assert "Read by your field mapping: 4 messages" in text(app)


@pytest.mark.slow
def test_sessions_are_listed_when_asked_for_and_opened_by_their_place(monkeypatch, tmp_path):
    path = tmp_path / "session.json"
    path.write_bytes(bytes_of(CHAT))
    found = Session("Codex", path, "/home/ada/garden", "Where is my order?", datetime.now(UTC), 120)
    monkeypatch.setattr("historylab.ui.session.machine_sessions.find_sessions", lambda: [found])
    for room in ("toolbar.open_drawer", "session.machine_sessions"):
        monkeypatch.setattr(f"historylab.ui.{room}.on_this_machine", lambda: True)
    app = opening(screen(), "This machine")
    assert "garden" not in text(app)
    shown(app.button(key="find").click().run())
    assert "Codex · /home/ada/garden" in text(app)
    shown(app.button(key="open session 0").click().run())
    assert "2 messages, 1 turn" in text(app)


@pytest.mark.slow
def test_nobody_else_is_offered_the_machines_sessions():
    drawer = opening(screen(), "Upload")
    assert "This machine" not in drawer.segmented_control(key="way").options
