"""A conversation and a link whose every text is hostile: nothing a page hands to the browser is more than text."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import hostile
import pytest
from app_pages import screen, shown, unfolded
from chat_server import ChatServer, says
from listed import listed

from historylab.formats.load import load
from historylab.formats.sessions.find import Session
from historylab.recordings import open_recording
from historylab.recordings.exchange import make_line
from historylab.stores.base import Record
from historylab.summarizers.reply_cache import REPLIES
from historylab.ui.session.given_files import read_files
from historylab.ui.session.tab import GivenFile, Opened, ToOpen

pytestmark = pytest.mark.slow  # whole screens

PAGES = ("playground", "compare", "tune", "corpus", "talk", "live", "conversations", "settings")
PLAYGROUND = "pages/playground.py"
TABS = ("Lost facts", "Cost", "Asked later", "Payload", "Stages", "Sources", "Debug")


@pytest.fixture
def server(monkeypatch):
    """A model whose replies are hostile too."""
    REPLIES.forget()
    with ChatServer(says(hostile.TEXT)) as found:
        monkeypatch.setenv("OPENAI_BASE_URL", found.url)
        monkeypatch.setenv("OPENAI_API_KEY", "sk-of-nobody")
        yield found
    REPLIES.forget()


def opened(page: str = PLAYGROUND, **link: str):
    """The page by the hostile link, with the hostile conversation open."""
    app = screen(page, **hostile.PARAMETERS, **link)
    state = app.session_state["historylab"]
    state.opened = Opened(load(hostile.conversation(), name=f"{hostile.TAG}.json"), spec="")
    state.stars, state.questions, state.request = (1, 4), (hostile.TEXT, "what of ORD-0917?"), None
    return shown(app.run())


def refused():
    """Files whose names and texts are hostile, and which are not read."""
    given = GivenFile(
        f"{hostile.TEXT}.json",
        json.dumps(
            {
                hostile.TEXT: [
                    {hostile.LINK: who, hostile.TEXT: f"{who} {hostile.TEXT}"} for who in ("user", "assistant")
                ]
            }
        ).encode(),
    )
    return tuple(read_files(ToOpen((given,)), lambda *_: None)[1])


def found():
    """A session of this machine whose texts are hostile."""
    return (Session("Codex", Path(hostile.TAG), datetime.now(UTC), 1, said=(hostile.TEXT, hostile.TEXT)),)


def harms(app) -> list[tuple[str, ...]]:
    return [(what, *found) for found in hostile.texts(app) if (what := hostile.harm(*found))]


@pytest.mark.parametrize("page", PAGES)
def test_no_page_makes_more_of_it_than_text(page, server):
    app = opened(f"pages/{page}.py")
    assert len(list(hostile.texts(app))) > 30
    assert harms(app) == []
    assert server.requests == []


def state(app, **values):
    for name, value in values.items():
        setattr(app.session_state["historylab"], name, value)
    return shown(app.run())


STATES: dict[str, Callable] = {
    "a message explained": lambda app: state(app, message=2),
    "a call explained": lambda app: state(app, message=3),
    "the chat": lambda app: state(app, view="chat"),
    "a search": lambda app: state(app, search=hostile.TAG),
    "a search in vain": lambda app: state(app, search=hostile.TEXT + "no", show="lost"),
    "must remember": lambda app: state(app, show="starred"),
    "a problem": lambda app: state(app, problem=hostile.TEXT),
    "the template": lambda app: unfolded(
        state(app, template={"model": hostile.TEXT}, template_name=hostile.TEXT), "Model"
    ),
    "share": lambda app: shown(app.button(key="share").click().run()),
    "export": lambda app: shown(app.button(key="export").click().run()),
    "edit": lambda app: shown(state(app, message=2).button(key="edit-message").click().run()),
    "insert": lambda app: shown(state(app, message=2).button(key="insert-message").click().run()),
    "open": lambda app: state(app, wanted="open", refused=refused(), sessions=found()),
    "sessions": lambda app: with_session(app, way="This machine", historylab=wanting(app)),
    "not read": lambda app: state(app, refused=refused()),
    **{tab: lambda app, tab=tab: with_session(app, side=tab) for tab in TABS},
    "all settings": unfolded,
}


def wanting(app):
    """The tab's state with the drawer asked for, and sessions found."""
    state = app.session_state["historylab"]
    state.wanted, state.sessions = "open", found()
    return state


def with_session(app, **values):
    for key, value in values.items():
        app.session_state[key] = value
    return shown(app.run())


@pytest.mark.parametrize("name", STATES)
def test_no_state_of_the_playground_does(name, monkeypatch):
    monkeypatch.setattr("historylab.ui.toolbar.open_drawer.on_this_machine", lambda: True)
    app = opened()
    before = {text for _, _, text in hostile.texts(app)}
    app = STATES[name](app)
    assert {text for _, _, text in hostile.texts(app)} - before, "nothing changed"
    assert harms(app) == []


def test_no_chat_does_that_is_gone_on_from_and_answered_by_it(server):
    app = opened("pages/talk.py")
    chat = app.session_state["historylab"].chat
    chat.replace(app.session_state["historylab"].opened.conversation)
    chat.choose_answerer("model")
    chat.agree(app.session_state["historylab"].link.get("model", "gpt-5.5"), yes=True)
    app = shown(app.run())
    app = shown(app.chat_input(key="say").set_value(hostile.TEXT).run())
    assert harms(app) == []
    shown(app.button(key="new-chat").click().run())
    chat.choose_answerer("replayed")
    chat.replay_this(app.session_state["historylab"].opened.conversation)
    app = shown(app.run())
    assert harms(shown(app.button(key="next-message").click().run())) == []


def test_no_recorded_conversation_nor_what_is_found_in_it_does(server, monkeypatch, tmp_path):
    monkeypatch.setenv("HISTORYLAB_RECORD", str(tmp_path))
    request = {"model": hostile.TEXT, "messages": [{"role": "user", "content": hostile.TEXT}]}
    response = {"choices": [{"message": {"role": "assistant", "content": hostile.TEXT}}]}
    said = {"conversation": hostile.TEXT, "app": hostile.TEXT, "request": request, "response": response}
    lines = [make_line("request", version=1, id="r", api="chat_completions", status=200, same=0, **said)]
    lines += [make_line("title", title=hostile.TEXT), make_line("tags", tags=[hostile.TAG, hostile.LINK])]
    lines += [make_line("checkpoint", id="k", label=hostile.TEXT, messages=1, saved_at=1.0, saved=request["messages"])]
    with closing(open_recording(tmp_path)) as store:
        store.append_records([Record(hostile.TEXT, 1.0, line) for line in lines])
        proxy = make_line("proxy", mode="trim", upstream=hostile.TEXT, settings_file=f"/{hostile.TEXT}", settings={})
        store.append_records([Record("", 1.0, proxy)])
    app = opened("pages/live.py")
    assert harms(app) == []
    monkeypatch.setattr("historylab.ui.session.settings_file.on_this_machine", lambda: True)
    assert harms(shown(app.run())) == []
    assert harms(shown(app.button(key="live-open").click().run())) == []
    app = opened("pages/conversations.py")
    library = app.session_state["historylab"].library
    library.search, library.question = "evil click", "evil click"
    library.ticked = {f"recorded:{hostile.TEXT}": None}
    app = shown(app.run())
    assert harms(app) == []
    for drawer in ("delete-conversations", "export-conversations"):
        assert harms(shown(app.button(key=drawer).click().run())) == []
    app = opened("pages/talk.py")
    app.session_state["checkpoints-panel"] = True
    chat = app.session_state["historylab"].chat
    chat.switch_memory(on=True)
    chat.look_at_checkpoint("k")
    app = shown(app.chat_input(key="say").set_value(hostile.TEXT).run())
    assert chat.remembered is not None
    assert harms(shown(app.run())) == []


def test_a_hostile_model_name_is_asked_for_by_its_name_and_its_replies_are_text(server):
    app = opened()
    assert f"`{hostile.LINK}" in app.checkbox(key="agreed").label
    shown(app.checkbox(key="agreed").check().run())
    assert server.requests
    assert harms(app) == []
    assert listed(app)["summary"]["text"]
    server.behaviours = []
    shown(app.text_input(key="set budget").set_value("650").run())
    assert "`" in app.button(key="ask").help
    assert harms(app) == []
