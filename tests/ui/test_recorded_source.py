"""What the open file was recorded with, as a source on screen: of your files alone, and of the one in view."""

from __future__ import annotations

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from historylab.conversation.conversation import Conversation
from historylab.formats.base import Report
from historylab.formats.load import Conversations
from historylab.ui.session import choices, session, viewing

OPUS, GPT = (Conversation(metadata={"model": model}) for model in ("claude-opus-4-5", "gpt-4o"))


@pytest.fixture(autouse=True)
def tab():
    """A tab of its own."""
    st.session_state.pop(session.KEY, None)
    yield session.tab()
    st.session_state.pop(session.KEY, None)


def opened(*conversations: Conversation, spec: str = "", which: int = 0) -> Conversations:
    file = Conversations(list(conversations), Report(format="rows"))
    viewing.open_conversations(file, spec, which)
    return file


def model(**how) -> str:
    return choices.resolution(**how).settings.model


def test_a_file_of_yours_decides_what_nothing_else_does():
    opened(OPUS)
    assert choices.resolution().provenance["model"].source == "recorded"
    choices.choose_setting("model", "gpt-4o")
    assert choices.resolution().provenance["model"].source == "you"


def test_of_several_conversations_the_one_in_view_does():
    file = opened(OPUS, GPT)
    assert model() == "claude-opus-4-5"
    viewing.open_conversations(file, "", 1)
    assert model() == "gpt-4o"
    assert model(recorded=False) == "gpt-5.5"


@pytest.mark.parametrize("spec", ["sample:lamp-through-the-night", "gen:support_desk:turns=4"])
def test_samples_and_generated_conversations_decide_nothing(spec):
    opened(OPUS, spec=spec)
    assert model() == "gpt-5.5"


@pytest.mark.parametrize(
    ("system", "named"), [("agentdock", "gpt-5.5"), ("agentdock:x", "gpt-5.5"), ("mentu", "claude-opus-4-5")]
)
def test_nor_does_any_file_as_agentdock_shows_it(tab, system, named):
    opened(OPUS)
    tab.system = system
    assert model() == named


def test_it_is_left_out_until_another_file_is_opened():
    file = opened(OPUS, GPT)
    choices.ignore_recorded()
    viewing.open_conversations(file, "", 1)
    assert model() == "gpt-5.5"
    choices.use_recorded()
    assert model() == "gpt-4o"
    choices.ignore_recorded()
    opened(OPUS)
    assert model() == "claude-opus-4-5"


def test_without_an_open_file_there_is_nothing():
    assert not choices.proposal().values


def test_what_fits_its_window_opens_uncut_and_a_smaller_budget_is_a_click_away():
    def page() -> None:
        import streamlit
        from reported_sessions import claude_session

        from historylab.formats.base import Report
        from historylab.formats.load import Conversations
        from historylab.ui.session import choices, session, viewing
        from historylab.ui.toolbar.notes import recorded_line

        if session.tab().opened is None:
            fitting = claude_session(20, lambda _, visible: 17_000 + visible, words=900)
            viewing.open_conversations(Conversations([fitting], Report(format="rows")), "", 0)
        recorded_line(choices.resolution())
        streamlit.text(f"{choices.resolution().settings.budget}")

    app = AppTest.from_function(page, default_timeout=30).run()
    assert not app.exception
    assert app.text[0].value == "200000"
    offered = next(b for b in app.button if b.key == "what-if-budget")
    offered.click().run()
    assert app.text[0].value == offered.label.removeprefix("What if ").rstrip("?").replace(",", "")
    assert "what-if-budget" not in [b.key for b in app.button]
