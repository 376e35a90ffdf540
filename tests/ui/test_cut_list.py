"""The post-mortem on screen: a sentence on all cuts, and a list that leads to each message."""

from __future__ import annotations

import hostile
import pytest
from app_pages import on_tab, pasted, rows, screen, shown, text

from historylab import Conversation, Message, ToolCall
from historylab.conversation.sent import RecordedCut, SentHistory, sent_metadata
from historylab.formats.convert import write
from historylab.ui.request.cut_list import CUTS, EDITED

CUT = {"conv": "sample:held-for-the-auditors"}
SENTENCE = "Claude Code compacted this session before request 12 (manual, 23,484 → 16,181 tokens)"
pytestmark = pytest.mark.slow  # whole screens, drawn again at every click


def twice_cut() -> str:
    """A conversation that was cut twice, by somebody with a hostile name."""
    said = [Message("user", "It lies at B-27."), Message("assistant", "Noted."), Message("user", "And C-31.")]
    used = Message("assistant", tool_calls=(ToolCall("1", "move", '{"to": "B-27"}'),))
    messages = [*said, Message("assistant", "Noted."), Message("user", "Go on."), used]
    cut = RecordedCut(hostile.TEXT, 9_000, 4_000, hostile.TEXT)
    told = [SentHistory(3, ((2, 3),), cut=cut), SentHistory(5, ((4, 5),), cut=cut)]
    return write(Conversation(messages, metadata=sent_metadata(told)), "historylab").text


def test_the_list_begins_with_a_sentence_whatever_settings_are_shown():
    assert SENTENCE in text(on_tab(screen(**CUT), CUTS))
    assert SENTENCE in text(on_tab(screen(**CUT, system="own"), CUTS))


def test_where_nothing_was_cut_there_is_none_of_it():
    app = screen(conv="sample:agatha-the-fern")
    assert CUTS not in [tab.label for tab in app.tabs]
    assert "compacted" not in text(app)


def test_it_leads_to_the_list_of_what_the_cut_took():
    app = on_tab(screen(**CUT), CUTS)
    assert ["/srv/ferry/schema.sql", "↻ lost; a tool would find it again"] in [
        row[:2] for row in rows(app, "post-mortem-facts")
    ]
    assert [row[0] for row in rows(app, "post-mortem-again")] == ["/srv/ferry/schema.sql", "/srv/ferry/refunds.py"]
    assert "Cut there to the same size, settings of ours would have held" in text(app)


def test_the_cut_itself_can_be_gone_to():
    app = on_tab(screen(**CUT), CUTS)
    shown(app.button(key="post-mortem-go").click().run())
    state = app.session_state["historylab"]
    assert (state.request, state.message) == (11, 26)


def test_of_a_window_that_moves_the_first_message_that_went_is_gone_to():
    messages = [Message("system", "Be brief."), *(Message(role, "Noted.") for role in ("user", "assistant") * 4)]
    told = sent_metadata([SentHistory(size, ((0, 1), (size - 3, size))) for size in (6, 8)])
    app = on_tab(pasted(screen(), write(Conversation(messages, metadata=told), "historylab").text), CUTS)
    shown(app.button(key="post-mortem-go").click().run())
    state = app.session_state["historylab"]
    assert (state.request, state.message) == (2, 1)


def test_of_several_cuts_one_is_looked_at_and_names_are_only_text():
    app = on_tab(pasted(screen(), twice_cut()), CUTS)
    assert "compacted this session twice, first before request 2" in text(app)
    (chosen,) = [field for field in app.selectbox if field.label == "Cut"]
    assert [option.split(" (")[0] for option in chosen.options] == ["Before request 2", "Before request 3"]
    assert [row[0] for row in rows(app, "post-mortem-facts")] == ["B-27"]
    shown(chosen.set_value(chosen.options[1]).run())
    assert not [e for e in app.get("bidi_component") if e.proto.id.endswith("-post-mortem-facts")]
    assert [(what, *found) for found in hostile.texts(app) if (what := hostile.harm(*found))] == []


def test_an_edit_leaves_the_list_which_says_that_it_was_never_sent():
    app = screen(**CUT)
    app.session_state["historylab"].message = 3
    shown(shown(app.run()).button(key="delete-message").click().run())
    assert CUTS in [tab.label for tab in app.tabs]
    assert EDITED in text(on_tab(app, CUTS))
