"""The page Chat: who answers, what each answer saw, the tools, and what to do about an error."""

from __future__ import annotations

import json
import logging
import threading

import chat_server
import hostile
import pytest
from app_pages import screen, shown, text, unfolded
from chat_server import ChatServer, says, status
from sketches import conv

from historylab.conversation.conversation import Conversation
from historylab.conversation.message import Message
from historylab.ui.session.tab import Opened

pytestmark = pytest.mark.slow  # whole screens, drawn again at every click

PAGE = "pages/talk.py"
SECRET = "sk-nobody-sees-this-4711"


@pytest.fixture
def server(monkeypatch):
    with ChatServer(says("Good evening.")) as found:
        monkeypatch.setenv("OPENAI_BASE_URL", found.url)
        monkeypatch.setenv("OPENAI_API_KEY", SECRET)
        yield found


def page(**link: str):
    return screen(PAGE, **link)


def chat(app):
    return app.session_state["historylab"].chat


def say(app, words: str):
    """The same after these words were answered."""
    return finished(app.chat_input(key="say").set_value(words).run())


def finished(app):
    """The same once no answer is being made any more."""
    assert not chat(app).running
    return shown(app)


def press(app, key: str):
    return finished(app.button(key=key).click().run())


def choose(app, who: str):
    return shown(next(c for c in app.get("button_group") if c.label == "Who answers").set_value(who).run())


def plain(app) -> str:
    return text(app).replace("&#x27;", "'").replace("&quot;", '"')


def saw(app) -> list[str]:
    """The lines about what each answer saw."""
    return [button.label for button in app.button if button.label.startswith("saw ")]


def everything(app) -> str:
    return f"{app.main} {app.sidebar} {dict(app.query_params.items())}"


def open_file(app, conversation: Conversation):
    app.session_state["historylab"].opened = Opened([conversation], spec="")
    return shown(app.run())


# -- the scripted model, with tools


def test_the_first_message_works_without_a_key_calls_a_tool_and_says_what_each_answer_saw():
    app = press(page(), "example-0")
    assert "Calls ferry_timetable" in plain(app)
    assert "To Dursey on Friday: 08:10, 12:40, 16:20." in plain(app)
    assert saw(app) == ["saw 1 of 1 message · 18 of 8,000 tokens", "saw 3 of 3 messages · 85 of 8,000 tokens"]
    assert "At turn 1, request 2 of 2, the model sees all 3 messages." in plain(app)


def test_what_the_settings_leave_out_is_forgotten_and_the_search_finds_it_again():
    app = say(page(historyPolicy="lastN", historyLength="1"), "My booking is FR-7731.")
    app = say(app, "What is my booking?")
    assert "Calls conversation_search" in plain(app)
    assert "Earlier it was said: “" in plain(app)
    assert "My booking is FR-7731" in plain(app).split("Earlier it was said")[1]
    assert "2 dropped" in saw(app)[-1]


def test_a_line_leads_to_what_that_answer_saw():
    app = say(say(say(page(), "hello"), "and"), "so")
    assert "At turn 3," in plain(app)
    assert "At turn 1," in plain(shown(app.button(key="look-1").click().run()))


def test_settings_of_the_sidebar_hold_for_the_next_answer_and_an_older_one_keeps_its_own():
    app = say(say(page(), "hello"), "again")
    shown(app.number_input(key="set length").set_value(1).run())
    assert "The settings changed since" in plain(app)
    assert "the model sees all 3 messages" in plain(app)
    app = say(app, "once more")
    assert "the model sees 1 of 5 messages" in plain(app)


def test_a_compaction_by_the_settings_is_shown_when_it_happens_from_how_many_tokens_to_how_many():
    app = page(historyPolicy="all", pruner="summarize", budget="500")
    for number in range(8):
        app = say(app, f"My box {number} is {'brown paper ' * 30}and nothing else in it at all.")
    assert "Compacted by extractive: " in plain(app)
    assert " became a summary, from " in plain(app)
    assert any("summarised" in line for line in saw(app))


def test_only_the_newest_messages_are_drawn():
    app = page()
    chat(app).replace(conv("u a " * 40))
    app = shown(app.run())
    assert "30 earlier messages not drawn here" in plain(app)
    assert plain(app).count(" You ") == 25


def test_a_long_conversation_that_is_open_can_be_gone_on_from():
    app = press(page(), "go-on")
    app = say(app, "What did I say earlier?")
    assert saw(app)[0].startswith("saw 39 of 167 messages")


def test_a_system_prompt_stands_in_front_and_can_be_changed():
    app = page()
    chat(app).stand({"prompt": "You are brief."})
    app = say(app, "hello")
    chat(app).stand({"prompt": "You are long."})
    assert [m.content for m in chat(app).conversation][:2] == ["You are long.", "hello"]


# -- systems


def test_mycoders_status_updates_are_shown_as_they_are_sent_and_its_tool_compacts():
    app = page(system="mycoder", window="900")
    for number in range(3):
        app = say(app, f"When does a ferry go to Dursey? {'It is for a large party of us. ' * 12}{number}")
    assert "--- STATUS UPDATE ---" in plain(app)
    assert "Compacted by compactHistory: " in plain(app)
    assert "The summary has taken their place for good." in plain(app)


def test_mycoders_updates_and_costs_are_of_the_whole_chat_also_where_it_is_chosen_in_the_middle(server, monkeypatch):
    monkeypatch.setitem(chat_server.USAGE, "completion_tokens", 10_000)  # 15 cents an answer
    app = agreed()
    for number in range(6):
        app = say(app, f"Question {number}?")
        if number == 2:
            app = shown(app.selectbox(key="system").set_value("mycoder").run())
    costs = [line for m in chat(app).conversation for line in m.content.splitlines() if line.startswith("Cost So Far")]
    assert costs == ["Cost So Far: $0.75"]
    press(app, "new-chat")
    assert chat(app).spent.get_total_cost() == "$0.00"


def test_octopus_cuts_a_tool_result_over_its_limit():
    app = page(system="octopus")
    transcript = Conversation(
        [
            Message("user", "read it"),
            *conv("a(read)")[:1],
            Message("tool", "x" * 9_000, tool_call_id=conv("a(read)")[0].tool_calls[0].id),
            Message("assistant", "done"),
        ],
        "A long read",
    )
    app = choose(open_file(app, transcript), "replayed")
    app = press(app, "next-message")
    assert "... truncated 250 tokens ..." in chat(app).conversation[2].content
    assert chat(app).conversation[-1].content == "done"


# -- the open conversation answers


def test_the_open_conversation_answers_message_by_message_with_its_own_tools():
    app = choose(page(conv="sample:tide-tables-agent"), "replayed")
    transcript = chat(app).transcript
    for _ in range(len(transcript)):
        if app.button(key="next-message").disabled:
            break
        app = press(app, "next-message")
    assert transcript[-1].role == "user"  # and has no answer
    said = [(m.role, m.content) for m in chat(app).conversation]
    assert said == [(m.role, m.content) for m in transcript[:-1]]
    app = say(app, transcript[-1].content)
    assert "The conversation that is replayed has no further answer." in plain(app)


# -- other pages


def test_the_chat_opens_elsewhere_is_what_they_see_and_goes_on():
    app = say(screen("app.py").switch_page(PAGE).run(), "My booking is FR-7731.")
    app.button(key="open-in-playground").click().run()
    assert "2 messages" in plain(shown(app.switch_page("pages/playground.py").run()))
    app = say(shown(app.switch_page(PAGE).run()), "What is my booking?")
    assert "Your booking is FR-7731." in plain(app)
    assert "of 4 messages" in plain(shown(app.switch_page("pages/playground.py").run())) or "4 messages" in plain(app)
    assert app.session_state["historylab"].opened.conversation == chat(app).conversation
    assert "calibrated" not in plain(app)  # nobody reported what it used


def test_a_new_chat_begins_without_the_old_one():
    app = press(say(page(), "My booking is FR-7731."), "new-chat")
    assert "Nothing has been asked yet." in plain(app)
    assert "FR-7731" not in everything(say(app, "hello"))


def test_a_recording_that_cannot_be_opened_is_said_where_the_chat_is_drawn(monkeypatch, tmp_path):
    (tmp_path / "chats.db").write_text("no database")
    monkeypatch.setenv("HISTORYLAB_RECORD", str(tmp_path / "chats.db"))
    app = page()
    assert not app.exception
    assert "The recording can't be used" in plain(app)


def test_a_chat_that_is_recorded_is_in_the_recording_as_historylabs(monkeypatch, tmp_path):
    monkeypatch.setenv("HISTORYLAB_RECORD", str(tmp_path / "chats.db"))
    say(page(), "hello")
    from historylab.recordings.place import open_recording

    lines = [json.loads(record.text) for record in open_recording(str(tmp_path / "chats.db")).read_records()]
    assert [line["app"] for line in lines] == ["HistoryLab chat"]


# -- a model on a server


def asked_for_a_server(**link: str):
    app = choose(page(**link), "model")
    assert app.checkbox(key="chat-agreed").label == "Send this chat to `gpt-5.5` at `127.0.0.1`"
    return app


def agreed(**link: str):
    return shown(asked_for_a_server(**link).checkbox(key="chat-agreed").check().run())


def test_a_server_is_asked_only_after_a_yes_that_names_it(server):
    app = asked_for_a_server()
    assert app.chat_input(key="say").disabled
    assert app.button(key="example-0").disabled
    assert server.requests == []
    app = say(shown(app.checkbox(key="chat-agreed").check().run()), "hello")
    assert "Good evening." in plain(app)
    assert server.requests[0]["messages"] == [{"role": "user", "content": "hello"}]
    assert server.requests[0]["tools"][0]["function"]["name"] == "ferry_timetable"


def test_a_yes_to_one_model_is_none_to_another(server):
    app = unfolded(agreed(), "Model")
    shown(app.selectbox(key="set model").set_value("gpt-4o").run())
    assert not app.checkbox(key="chat-agreed").value
    assert app.chat_input(key="say").disabled


def test_no_link_chooses_who_answers_or_where(server):
    app = page(model="gpt-4o", answerer="model", server=server.url, OPENAI_BASE_URL="http://evil/v1")
    assert chat(app).answerer == "scripted"
    say(app, "hello")
    assert server.requests == []


def test_a_typed_key_and_address_are_used_and_are_nowhere_else(server, caplog, here, monkeypatch, tmp_path):
    monkeypatch.setenv("HISTORYLAB_RECORD", str(tmp_path / "chats.db"))
    caplog.set_level(logging.DEBUG)
    typed, unusual = "sk-typed-on-the-page-0815", "our-team/key+0815"
    app = choose(page(), "model")
    with ChatServer(says("From the typed one.")) as other:
        app = fields(app)
        app = shown(app.text_input(key="chat-url").set_value(other.url).run())
        app = shown(app.text_input(key="chat-key").set_value(typed).run())
        app = shown(app.checkbox(key="chat-agreed").check().run())
        app = say(app, "hello")
        assert "From the typed one." in plain(app)
        assert other.keys == [f"Bearer {typed}"]
        other.behaviours = [says(f"You typed {unusual}.")]
        app = shown(app.button(key="forget-key").click().run())
        app = shown(app.text_input(key="chat-key").set_value(unusual).run())
        app = say(shown(app.checkbox(key="chat-agreed").check().run()), "What did I type?")
        assert other.keys[-1] == f"Bearer {unusual}"
    assert server.requests == []
    recorded = b"".join(file.read_bytes() for file in tmp_path.iterdir())
    assert b"From the typed one." in recorded
    assert b"You typed [redacted]." in recorded
    assert typed.encode() not in recorded and unusual.encode() not in recorded
    assert other.url.encode() not in recorded
    assert typed not in everything(app) + caplog.text + repr(chat(app)) + str(app.session_state["historylab"])
    assert "chat-key" not in app.session_state or app.session_state["chat-key"] == ""
    assert shown(app.button(key="forget-key").click().run()).text_input(key="chat-key").value in ("", None)


@pytest.fixture
def here(monkeypatch):
    """The reader sits at the machine that serves the page."""
    monkeypatch.setattr("historylab.ui.chat.answerer.on_this_machine", lambda: True)


def test_served_to_others_it_asks_no_private_address_that_was_typed_unless_its_operator_allows_it(server, monkeypatch):
    with ChatServer(says("From inside.")) as inside:
        app = typed_address(inside.url)
        assert "a playground that is served to others doesn’t ask" in plain(say(app, "hello"))
        assert inside.requests == []
        monkeypatch.setenv("HISTORYLAB_CHAT_PRIVATE_SERVERS", "true")
        assert "From inside." in plain(say(typed_address(inside.url), "hello"))


def typed_address(url: str):
    app = shown(fields(choose(page(), "model")).text_input(key="chat-url").set_value(url).run())
    return shown(app.checkbox(key="chat-agreed").check().run())


def fields(app):
    """The same with the fields for server and key unfolded."""
    app.session_state["server"] = True
    return shown(app.run())


def test_an_address_with_a_key_in_it_is_refused_and_not_shown(server):
    app = fields(choose(page(), "model"))
    app = shown(app.text_input(key="chat-url").set_value("https://me:sk-in-the-url@host/v1").run())
    assert "The base URL is no address like https://host/v1" in plain(app)
    assert "sk-in-the-url" not in everything(app)


def test_after_an_address_that_is_refused_nobody_is_asked_without_another_yes(server):
    app = typed_address(server.url)
    app = shown(app.text_input(key="chat-url").set_value("htp://elsewhere/v1").run())
    assert not app.checkbox(key="chat-agreed").value and app.chat_input(key="say").disabled


@pytest.mark.parametrize(
    ("code", "words", "happened", "remedy"),
    [
        (401, "bad {key}", "127.0.0.1 refused the key (401).", "Check OPENAI_API_KEY"),
        (403, "", "The key may not ask gpt-5.5 there (403).", "the project, the region"),
        (404, "", "127.0.0.1 has no model gpt-5.5", "Check the model in the sidebar"),
        (503, "busy, {key}", "127.0.0.1 failed (503): “busy, …”", "Ask again in a moment"),
        (422, "no tools", "127.0.0.1 refused the request (422): “no tools”", "switch the tools off"),
    ],
)
def test_an_error_says_what_to_do(server, code, words, happened, remedy):
    server.behaviours = [status(code, words, retry_after="0.01" if code == 503 else "")]
    app = say(agreed(), "hello")
    assert happened in plain(app)
    assert remedy in plain(app)
    assert SECRET not in everything(app)
    server.behaviours = [says("Now it works.")]
    assert "Now it works." in plain(press(app, "ask-again"))


def test_a_429_says_how_long_to_wait(server):
    server.behaviours = [status(429, retry_after="0.4")]
    assert "Ask again in 0.4 s." in plain(say(agreed(), "hello"))


def test_a_request_that_is_too_long_gets_settings_that_fit_and_a_button_that_asks_again_under_them(server):
    app = agreed(historyPolicy="all", pruner="off")
    chat(app).replace(conv("u a " * 60))
    server.behaviours = [
        status(400, "This model's maximum context length is 500 tokens. However, your messages resulted in 900 tokens.")
    ]
    app = say(app, "and now?")
    assert "The request is longer than the model takes: 900 of 500 tokens." in plain(app)
    assert "planned again, and fits the window of 500." in plain(app)
    server.behaviours = [says("That fits.")]
    app = press(app, "fit")
    assert "That fits." in plain(app)
    assert "dropped" in saw(app)[-1]
    assert app.session_state["historylab"].you["pruner"] == "fifo"


def test_the_answer_of_a_server_is_only_text(server):
    server.behaviours = [says(hostile.TEXT)]
    app = say(agreed(), "hello")
    assert [found for found in map(lambda one: hostile.harm(*one), hostile.texts(app)) if found] == []


# -- stop


def test_stop_ends_the_request_and_keeps_what_there_is_of_the_answer(server):
    begun, gone = threading.Event(), threading.Event()

    def waits(handler):
        handler.start_events()
        handler.event({"choices": [{"index": 0, "delta": {"content": "Half an"}, "finish_reason": None}]})
        begun.set()
        handler.connection.settimeout(30)
        if not handler.connection.recv(1):
            gone.set()

    server.behaviours = [waits]
    app = agreed()
    session = chat(app)

    def stop_once_it_has_begun() -> None:
        assert begun.wait(20)
        while not (session.run and session.run.text):
            session.run.wait(0.05)
        session.stop()

    threading.Thread(target=stop_once_it_has_begun).start()
    app = say(app, "hello")
    assert gone.wait(20)
    assert "Half an" in plain(app)
    assert "Stopped here." in plain(app)
    server.behaviours = [says("And on.")]
    assert "And on." in plain(say(app, "go on"))
