"""A session with a sub-agent on screen: the choice, the way to its conversation and back, and what both came to."""

from __future__ import annotations

from app_pages import on_tab, screen, shown, text, uploaded
from claude_sessions import Session, call, result, usage
from claude_sessions import text as said

MODEL = {"model": "claude-opus-4-5"}


def session_with_an_agent() -> bytes:
    session = Session()
    session.put("user", "How many lamps?")
    session.put("assistant", [call("Task", "t1", prompt="Count.")], reply="m1", usage=usage(5000), **MODEL)
    session.put("user", [result("t1", "Seven.")])
    session.put("assistant", [said("Seven.")], reply="m2", usage=usage(5000), **MODEL)
    session.put("user", "Count.", parent=None, isSidechain=True)
    session.put("assistant", [said("Seven.")], reply="m3", usage=usage(9000), isSidechain=True, **MODEL)
    return session.lines.encode()


def test_the_sub_agents_conversation_is_opened_from_its_call_and_left_for_it():
    app = uploaded(screen(), ("s1.jsonl", session_with_an_agent()))
    assert "With 1 sub-agent the session came to $" in text(on_tab(app, "Cost"))
    assert "sub-agent-0" not in [button.key for button in app.button]
    app.session_state["historylab"].message = 1
    app = shown(app.run())
    app = shown(app.button(key="sub-agent-0").click().run())
    assert "Subagent: Count." in text(app)
    app = shown(app.button(key="caller").click().run())
    assert app.session_state["historylab"].message == 1
    assert "How many lamps?" in text(app)
    assert "caller" not in [button.key for button in app.button]
