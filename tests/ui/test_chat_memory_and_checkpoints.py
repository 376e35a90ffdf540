"""The chat's checkpoints, and what it remembers of other conversations."""

from __future__ import annotations

import pytest
import streamlit as st
from app_pages import rows, screen, shown, text

from historylab.conversation.conversation import Conversation
from historylab.conversation.message import Message
from historylab.formats.base import Report
from historylab.formats.load import Conversations
from historylab.ui.session.tab import HeldFile, Opened

pytestmark = pytest.mark.slow  # whole screens, drawn again at every click
PAGE = "pages/talk.py"
CAKE = Conversation(
    [Message("user", "I am allergic to walnuts, said Ana."), Message("assistant", "No walnuts, noted.")], "Cake for Ana"
)


@pytest.fixture(autouse=True)
def _no_recording_of_an_earlier_test():
    st.cache_resource.clear()
    yield
    st.cache_resource.clear()


def page(**link: str):
    """The page with the checkpoints unfolded."""
    app = screen(PAGE, **link)
    app.session_state["checkpoints-panel"] = True
    return shown(app.run())


def chat(app):
    return app.session_state["historylab"].chat


def say(app, words: str):
    """The same after these words were answered."""
    app.chat_input(key="say").set_value(words).run()
    assert not chat(app).running
    return shown(app)


def said(app) -> list[str]:
    return [message.content for message in chat(app).conversation if message.role == "user"]


def save(app, name: str = ""):
    app.text_input(key="checkpoint-label").set_value(name)
    return shown(next(b for b in app.button if b.label == "Save a checkpoint").click().run())


def look_at(app, row: int):
    """The same after a click on that row of the list."""
    from historylab.ui.session.chat_checkpoints import ChatCheckpoints

    assert isinstance(chat(app).checkpoints, ChatCheckpoints)
    chat(app).look_at_checkpoint(chat(app).checkpoints.list()[::-1][row].id)
    return shown(app.run())


def press(app, key: str):
    return shown(app.button(key=key).click().run())


def test_a_checkpoint_is_saved_compared_and_restored_and_that_can_be_undone():
    app = save(say(page(), "My booking is FR-7731."), "with booking")
    assert [(row[0], row[2]) for row in rows(app, "checkpoints")] == [("with booking", "2")]
    app = look_at(say(app, "And the sea?"), 0)
    assert "2 messages differ from then to now" in text(app)
    app = press(app, "restore-checkpoint")
    assert said(app) == ["My booking is FR-7731."]
    assert [row[0] for row in rows(app, "checkpoints")] == ["before going back", "with booking"]
    assert "The chat is as it was then." in text(app)
    app = press(look_at(app, 0), "restore-checkpoint")
    assert said(app) == ["My booking is FR-7731.", "And the sea?"]
    assert len([b for b in app.button if b.label.startswith("saw ")]) == 2, "what the answers saw is known still"


def test_a_fork_goes_on_by_itself_and_the_original_is_kept():
    app = save(say(page(), "First."))
    before = chat(app).id
    app = press(look_at(say(app, "Second."), 0), "fork-checkpoint")
    assert said(app) == ["First."]
    assert chat(app).conversation.title.endswith("(fork)")
    assert chat(app).id != before
    app = press(look_at(app, 0), "restore-checkpoint")
    assert said(app) == ["First.", "Second."]


def test_one_that_is_discarded_is_gone():
    app = look_at(save(say(page(), "First.")), 0)
    app = press(app, "discard-checkpoint")
    assert "None yet." in text(app)


def test_compact_history_saves_one_before_it_replaces_anything():
    app = page(system="mycoder", window="900")
    for number in range(3):
        app = say(app, f"When does a ferry go to Dursey? {'It is for a large party of us. ' * 12}{number}")
    listed = rows(app, "checkpoints")
    assert all("became a summary" in row[0] for row in listed)
    app = press(look_at(app, len(listed) - 1), "restore-checkpoint")
    assert len(said(app)) == 3, "all that was asked is there again"
    assert not chat(app).conversation[-1].tool_calls, "a call without a result is left out"


def test_checkpoints_of_a_recording_outlive_the_server(monkeypatch, tmp_path):
    monkeypatch.setenv("HISTORYLAB_RECORD", str(tmp_path))
    save(say(page(), "My booking is FR-7731."), "with booking")
    st.cache_resource.clear()  # as after a restart
    app = page()
    ((label, *_),) = rows(app, "checkpoints")
    assert label == "My booking is FR-7731.: with booking"
    chat(app).look_at_checkpoint(_ids_of_earlier(app, tmp_path)[0])
    app = press(shown(app.run()), "restore-checkpoint")
    assert said(app) == ["My booking is FR-7731."]
    app = say(app, "What is my booking?")
    assert "FR-7731" in chat(app).conversation[-1].content


def _ids_of_earlier(app, place) -> list[str]:
    from historylab.recordings import open_recording
    from historylab.systems.mycoder.checkpoint_places import InRecording

    store = open_recording(place)
    try:
        named = [one.conversation for one in store.recorded_conversations()]
        return [one.id for name in named for one in InRecording(store, name).read_all()]
    finally:
        store.close()


def remembering(**link: str):
    """The page, with another conversation in this tab and the switch on."""
    app = page(**link)
    state = app.session_state["historylab"]
    opened = Opened(Conversations([CAKE], Report(format="x")), spec="gen:planted_facts:")
    state.library.held.append(HeldFile(77, opened, 1.0))
    return shown(app.toggle(key="remembers").set_value(True).run())


def test_what_others_said_of_the_question_stands_in_front_of_its_request():
    app = say(remembering(), "Which cake has no walnuts?")
    memory = chat(app).conversation[0]
    assert memory.role == "system"
    assert "“Cake for Ana”, user: I am allergic to walnuts, said Ana." in memory.content
    assert "Remembered from “Cake for Ana”" in text(app)
    answer = chat(app).newest_answer()
    assert answer.conversation[0] is memory, "it is part of what the request saw"


def test_the_next_question_has_a_memory_of_its_own_and_none_where_nothing_bears_on_it():
    app = say(remembering(), "Which cake has no walnuts?")
    app = say(app, "zzyzx")
    assert [m.role for m in chat(app).conversation] == ["user", "assistant"] * 2
    assert "No other conversation says anything of the newest question." in text(app)
    app = say(app, "walnuts?")
    assert chat(app).conversation[0].role == "system"
    shown(app.toggle(key="remembers").set_value(False).run())
    assert chat(say(app, "walnuts?")).conversation[0].role == "user"


def test_the_chat_itself_is_no_other_conversation(monkeypatch, tmp_path):
    monkeypatch.setenv("HISTORYLAB_RECORD", str(tmp_path))
    app = remembering()
    app = say(say(app, "walnuts are nuts"), "are walnuts nuts?")
    assert "walnuts are nuts" not in chat(app).conversation[0].content


def test_mycoder_keeps_its_prompt_in_front_of_the_memory():
    app = say(say(remembering(system="mycoder"), "Which cake has no walnuts?"), "walnuts, again?")
    roles = [m.role for m in chat(app).conversation]
    assert roles[:3] == ["system", "system", "user"]
    assert "walnuts" not in chat(app).conversation[0].content
    assert roles.count("system") == 2
