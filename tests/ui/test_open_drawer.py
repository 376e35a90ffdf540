"""The drawer that opens conversations: several files, sessions of this machine, and files that are not read at once."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest
import streamlit as st
from app_pages import next_conversation, opening, rows, screen, shown, text, uploaded, verdict
from streamlit.testing.v1 import AppTest

from historylab.formats.sessions.find import FoundSessions, Session
from historylab.formats.shapes.shape import Shape

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
    next_conversation(app)
    assert "4 messages, 2 turns" in text(app)


def told_twice() -> None:
    """A page on which a busy browser tells of an upload, of it again once it was opened, and of it beside the next."""
    import streamlit as st

    from historylab.ui.session import drawers, opening, session
    from historylab.ui.session.tab import GivenFile

    state = session.tab()
    drawers.stands(opening.KEY)
    for told in ("a", "a", "ab", "ab"):
        opening.ask_for_upload({name: GivenFile(name, b"[]") for name in told})
        st.text(f"{state.wanted or 'nothing'} {[file.name for file in state.to_open.files] if state.to_open else []}")
        state.to_open, state.wanted = None, ""


def test_a_drawer_that_was_closed_stays_closed_whatever_its_fields_tell_late():
    app = opening(screen(), "Paste")
    late = app.text_area(key="pasted").set_value("[]")
    app.session_state["historylab"].drawer = ""  # as a page without it leaves it
    late.run()
    assert "pasted" not in {field.key for field in app.text_area}


def test_an_upload_is_opened_once_and_not_again_beside_the_next():
    app = AppTest.from_function(told_twice).run()
    assert [shown.value for shown in app.text] == ["open ['a']", "nothing []", "open ['b']", "nothing []"]


def interrupted() -> None:
    """A page on which a click elsewhere begins the page anew while files are read."""
    import streamlit as st
    from streamlit.runtime.scriptrunner import RerunData, RerunException

    from historylab.ui.session import opening
    from historylab.ui.session.tab import GivenFile, ToOpen

    def click(_share: float, _words: str) -> None:
        raise RerunException(RerunData())

    chat = GivenFile("a.json", b'[{"role": "user", "content": "Where is my order?"}]')
    opening.note_to_open(ToOpen((chat, chat)))
    try:
        opening.open_asked(click)
    except RerunException:
        st.text(opening.open_asked(lambda _share, _words: None))


def test_files_are_opened_although_a_click_interrupts_their_reading():
    app = AppTest.from_function(interrupted).run()
    assert [shown.value for shown in app.text] == ["True"]


@pytest.mark.slow
def test_while_a_file_is_read_there_is_no_field_to_give_another_to(monkeypatch):
    app = opening(screen(), "Upload")
    drawer = app.get("dialog")[0]
    assert list(drawer.children) == [0]  # where the reading is shown
    assert drawer.get("file_uploader")
    monkeypatch.setattr("historylab.ui.session.opening.open_asked", lambda show: st.stop())
    drawer = uploaded(app, ("a.json", bytes_of(CHAT))).get("dialog")[0]
    assert list(drawer.children) == [0]
    assert not drawer.get("file_uploader")


@pytest.mark.slow
def test_unknown_json_is_offered_as_the_list_it_holds():
    app = uploaded(screen(), ("foreign.json", bytes_of(FOREIGN)))
    before = verdict(app)
    proposal = app.button(key="proposal 0 0")
    assert proposal.label == "Read `log.history` (4 items: `by`, `words`)"
    shown(proposal.click().run())
    assert verdict(app) != before
    assert "Read by your shape: 4 messages" in text(app)


@pytest.mark.slow
def test_a_shape_written_on_screen_reads_the_file_and_a_mistake_in_it_is_said():
    app = uploaded(screen(), ("foreign.json", bytes_of(FOREIGN)))
    app.session_state["by hand"] = True
    written = opening(app, "Upload").text_area(key="shape of foreign.json")
    assert '"items": "log.history"' in written.value
    app = shown(written.set_value('{"items": "log", "speaker": "by"}').run())
    assert "known are role, text, items" in text(app)
    shape = Shape("by", "words", "log.history", roles={"assistant": "user"}).as_json
    shown(app.text_area(key="shape of foreign.json").set_value(shape).run())
    shown(app.button(key="read-shaped").click().run())
    assert "Read by your shape: 4 messages" in text(app)


@pytest.mark.slow
def test_what_was_just_written_is_read_and_no_shape_leaves_the_file_refused():
    app = uploaded(screen(), ("foreign.json", bytes_of(FOREIGN)))
    app.session_state["by hand"] = True
    opening(app, "Upload").text_area(key="shape of foreign.json").set_value("no JSON")
    shown(app.button(key="read-shaped").click().run())  # both in one message
    assert "“foreign.json”: found" in text(app)
    assert "be read: it is no JSON" in text(app)
    assert app.text_area(key="shape of foreign.json").value == "no JSON"
    swapped = Shape("by", "words", "log.history", roles={"user": "assistant", "assistant": "user"}).as_json
    app.text_area(key="shape of foreign.json").set_value(swapped)
    shown(app.button(key="read-shaped").click().run())
    (read,) = app.session_state["historylab"].opened.files
    assert read.shape.roles == {"user": "assistant", "assistant": "user"}


@pytest.mark.slow
def test_what_was_offered_stands_when_a_shape_was_tried_that_reads_nothing():
    app = uploaded(screen(), ("foreign.json", bytes_of(FOREIGN)))
    offered = [button.label for button in app.button if button.label.startswith("Read `")]
    app.session_state["by hand"] = True
    nowhere = Shape("by", "words", "log.nowhere").as_json
    opening(app, "Upload").text_area(key="shape of foreign.json").set_value(nowhere)
    for _ in range(2):
        shown(app.button(key="read-shaped").click().run())
        assert "no list `log.nowhere`" in text(app)
        assert offered == [button.label for button in app.button if button.label.startswith("Read `")] != []
    shown(app.button(key="proposal 0 0").click().run())
    assert "Read by your shape: 4 messages" in text(app)


@pytest.mark.slow
def test_what_was_written_for_one_file_is_not_offered_for_the_next():
    app = uploaded(screen(), ("foreign.json", bytes_of(FOREIGN)))
    app.session_state["by hand"] = True
    shown(opening(app, "Upload").text_area(key="shape of foreign.json").set_value("no JSON").run())
    app = uploaded(app, ("other.json", bytes_of(FOREIGN)))
    assert '"items": "log.history"' in app.text_area(key="shape of other.json").value


@pytest.mark.slow
def test_a_shape_that_reads_nothing_stays_to_be_mended():
    app = uploaded(screen(), ("foreign.json", bytes_of(FOREIGN)))
    app.session_state["by hand"] = True
    wrong = '{"role": "by", "text": "words", "items": "logs"}'
    opening(app, "Upload").text_area(key="shape of foreign.json").set_value(wrong)
    shown(app.button(key="read-shaped").click().run())
    assert "no list `logs` is in this file; it has `log.history`" in text(app)
    assert app.text_area(key="shape of foreign.json").value == wrong


@pytest.mark.slow
def test_where_nothing_is_offered_the_lists_of_the_file_are_named():
    app = uploaded(screen(), ("orders.json", bytes_of({"orders": [{"no": 1, "*sum*": 2}] * 3})))
    app.session_state["by hand"] = True
    named = [caption.value for caption in opening(app, "Upload").caption]
    assert "In this file: `orders` with `no`, `*sum*`" in named


@pytest.mark.slow
def test_a_saved_shape_reads_the_file_it_is_given_for():
    app = uploaded(screen(), ("foreign.json", bytes_of(FOREIGN)))
    app.session_state["by hand"] = True
    given = opening(app, "Upload").file_uploader(key="saved-shape")
    shown(given.set_value(("shape.json", b'{"role": "by"}', "application/json")).run())
    assert "used: it names no field for text" in text(app)
    shape = Shape("by", "words", "log.history").as_json.encode()
    shown(app.file_uploader(key="saved-shape").set_value(("shape.json", shape, "application/json")).run())
    assert "Read by your shape: 4 messages" in text(app)


@pytest.fixture
def here(monkeypatch, tmp_path):
    """A machine with one session, at which the reader sits; its path."""
    path = tmp_path / "session.json"
    path.write_bytes(bytes_of(CHAT))
    found = Session("Codex", path, datetime.now(UTC), 120, said=("Where is my order?", "/home/ada/garden"))
    sit_at(monkeypatch, [found])
    return path


PLANTS = ("beans", "peas", "thyme")


@pytest.fixture
def several(here, monkeypatch):
    """The same with three, of two projects."""
    said = ((f"Plant {what}", f"/home/ada/garden{i % 2}") for i, what in enumerate(PLANTS))
    found = [Session("Codex", here.with_name(f"{i}.json"), datetime.now(UTC), 120, said=s) for i, s in enumerate(said)]
    for one in found:
        one.path.write_bytes(bytes_of(CHAT))
    sit_at(monkeypatch, found)


def sit_at(monkeypatch, found: list[Session]) -> None:
    """Have the reader sit at a machine with these sessions."""
    monkeypatch.setattr(
        "historylab.ui.session.machine_sessions.find_sessions",
        lambda: FoundSessions(found, [(Path("/s.db"), "locked")]),
    )
    for room in ("toolbar.open_drawer", "library.conversations_page", "session.machine_sessions"):
        monkeypatch.setattr(f"historylab.ui.{room}.on_this_machine", lambda: True)


@pytest.mark.slow
@pytest.mark.parametrize("where", ["drawer", "page"])
def test_sessions_of_this_machine_are_listed_when_asked_for(here, where):
    app = opening(screen(), "This machine") if where == "drawer" else screen("pages/conversations.py")
    assert "garden" not in str(app.get("bidi_component"))
    shown(app.button(key=f"seek {where}").click().run())
    assert rows(app, f"sessions {where}")[0][:3] == ["Where is my order?", "Codex", "garden"]
    assert "Sessions may be missing: /s.db: locked" in text(app)


@pytest.mark.slow
def test_a_search_and_a_project_leave_those_that_match(several):
    app = opening(screen(), "This machine")
    shown(app.button(key="seek drawer").click().run())
    assert [row[0] for row in rows(app, "sessions drawer")] == ["Plant beans", "Plant peas", "Plant thyme"]
    assert rows(app, "sessions drawer")[0][5:] == ["0", ""]
    shown(app.text_input(key="search drawer").set_value("THYME plant").run())
    assert [row[0] for row in rows(app, "sessions drawer")] == ["Plant thyme"]
    assert "1 of 3." in text(app)
    shown(app.selectbox(key="project drawer").set_value("/home/ada/garden1").run())
    assert "None of 3 matches." in text(app)


@pytest.mark.slow
def test_of_very_many_sessions_the_page_says_how_many_are_not_listed(several, monkeypatch):
    monkeypatch.setattr("historylab.ui.toolbar.found_sessions.MOST_SHOWN", 2)
    app = opening(screen(), "This machine")
    shown(app.button(key="seek drawer").click().run())
    assert len(rows(app, "sessions drawer")) == 2
    assert "The newest 2 of 3: a search or a project lists others." in text(app)


def opened_by_its_place() -> None:
    """A page on which the first session of the list is opened."""
    import streamlit as st

    from historylab.ui.session import machine_sessions, session

    machine_sessions.find_on_machine()
    machine_sessions.open_session(7)
    assert session.tab().to_open is None
    machine_sessions.open_session(0)
    st.text(session.tab().to_open.files[0].data)


def test_a_session_is_opened_by_its_place_in_the_list(here):
    assert AppTest.from_function(opened_by_its_place).run().text[0].value == str(here)


@pytest.mark.slow
def test_a_path_of_this_machine_is_opened_where_it_is(here):
    app = opening(screen(), "This machine")
    shown(app.text_input(key="path").set_value(str(here)).run())
    assert "2 messages, 1 turn" in text(app)


@pytest.mark.slow
def test_a_large_file_is_a_row_for_each_and_steps_from_one_to_the_next(here, monkeypatch):
    monkeypatch.setattr("historylab.ui.session.large_files.LARGE", 10)
    here.write_text("\n".join(json.dumps({"title": name, "messages": CHAT}) for name in ("Lamps", "Ferns")), "utf-8")
    app = opening(screen("app.py"), "This machine")
    next_conversation(shown(app.text_input(key="path").set_value(str(here)).run()))
    assert app.session_state["historylab"].opened.listed == 1
    app = shown(app.switch_page("pages/conversations.py").run())
    assert [row[0] for row in rows(app, "listed")] == ["1. Lamps", "2. Ferns"]


@pytest.mark.slow
def test_nobody_else_is_offered_the_machines_sessions():
    drawer = opening(screen(), "Upload")
    assert "This machine" not in drawer.segmented_control(key="way").options
