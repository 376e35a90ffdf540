"""The chat's state while an answer is being made in a thread, and what is done to it meanwhile."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from functools import partial

import pytest
from sketches import conv

from historylab.agent.events import Event
from historylab.agent.loop import run_agent
from historylab.chat_models.base import Reply
from historylab.conversation.message import Message
from historylab.errors import ModelError
from historylab.planning.pipeline import open_instruments
from historylab.settings.model import Settings
from historylab.ui.session.chat_answers import STOPPED
from historylab.ui.session.chat_session import ChatSession

SETTINGS = Settings(policy="all", pruner="off")


class HeldModel:
    """Streams its words one by one, each only when it is let; `closed` once its stream ended, `ended` once stopped."""

    name = key = "held"

    def __init__(self, *words: str | Exception):
        self.words, self.let = words, threading.Semaphore(0)
        self.closed, self.ended = threading.Event(), threading.Event()

    def stream(self, messages, *, max_tokens=None, temperature=None, tools=()) -> Iterator[str | Reply]:
        try:
            for word in self.words:
                assert self.let.acquire(timeout=20)
                if isinstance(word, Exception):
                    raise word
                if self.ended.is_set():
                    return
                yield word
            yield Reply("".join(map(str, self.words)))
        finally:
            self.closed.set()

    def stop(self) -> None:
        self.ended.set()
        self.let.release()


def ask(chat: ChatSession, model: HeldModel, text: str = "hello") -> None:
    instruments = open_instruments(SETTINGS, chat_model=model)
    chat.ask([Message("user", text)], model, SETTINGS, "held", partial(_events, instruments))


def _events(instruments, conversation) -> Iterator[Event]:
    yield from run_agent(conversation, SETTINGS, instruments=instruments)


def until(chat: ChatSession, holds) -> None:
    """Wait until that holds, as the page does."""
    for _ in range(400):
        if holds():
            return
        chat.run.wait(0.05)
    raise AssertionError("it never came")


@pytest.fixture
def model() -> HeldModel:
    return HeldModel("one ", "two ", "three")


def test_an_answer_comes_piece_by_piece_while_the_chat_can_be_read(model):
    chat = ChatSession()
    ask(chat, model)
    model.let.release()
    until(chat, lambda: chat.run.text == "one ")
    assert chat.running
    assert [m.content for m in chat.conversation] == ["hello"]
    model.let.release(2)
    until(chat, lambda: not chat.running)
    assert chat.conversation[-1].content == "one two three"
    assert chat.newest_answer().seen.line.startswith("saw 1 of 1 message")


def test_stop_keeps_what_there_is_marked_and_ends_the_stream(model):
    chat = ChatSession()
    ask(chat, model)
    model.let.release()
    until(chat, lambda: chat.run.text)
    chat.stop()
    assert not chat.running
    assert (chat.conversation[-1].content, chat.conversation[-1].metadata) == ("one ", {STOPPED: True})
    assert chat.answer_of(chat.conversation[-1])
    assert model.closed.wait(20)
    assert len(chat.conversation) == 2  # nothing comes after it


def test_stop_before_the_first_word_leaves_what_was_said(model):
    chat = ChatSession()
    ask(chat, model)
    until(chat, lambda: chat.run.plan)
    chat.stop()
    assert [m.content for m in chat.conversation] == ["hello"]
    assert chat.notes_on(chat.conversation[0]) == ["Stopped before an answer came."]


def test_a_second_question_waits_for_the_first_answer(model):
    chat = ChatSession()
    ask(chat, model)
    ask(chat, HeldModel("other"), "and this?")
    assert [m.content for m in chat.conversation] == ["hello"]
    chat.stop()


def test_another_conversation_ends_the_answer_and_nothing_of_it_arrives_there(model):
    chat, other = ChatSession(), conv("u a u a")
    ask(chat, model)
    model.let.release()
    until(chat, lambda: chat.run.text)
    chat.replace(other)
    assert model.closed.wait(20)
    assert chat.conversation is other
    ask(chat, again := HeldModel("yes"))
    again.let.release()
    until(chat, lambda: not chat.running)
    assert [m.content for m in chat.conversation][-2:] == ["hello", "yes"]


def test_an_error_on_the_way_keeps_what_came_apart_from_the_chat():
    chat, model = ChatSession(), HeldModel("half ", ModelError("no", "server", status=500))
    ask(chat, model)
    model.let.release(2)
    until(chat, lambda: not chat.running)
    assert (chat.failure.partial, chat.failure.problem.status) == ("half ", 500)
    assert [m.role for m in chat.conversation] == ["user"]


def test_a_bug_is_a_failure_that_quotes_nothing(caplog):
    chat, model = ChatSession(), HeldModel(RuntimeError("sk-secret"))
    ask(chat, model)
    model.let.release()
    until(chat, lambda: not chat.running)
    assert chat.failure.reason == "something went wrong here; the log has more"
    assert "RuntimeError" in caplog.text
    assert "sk-secret" not in caplog.text


def test_an_answer_knows_what_it_saw_as_long_as_it_is_part_of_the_chat(model):
    chat = ChatSession()
    ask(chat, model)
    model.let.release(3)
    until(chat, lambda: not chat.running)
    before, answer = chat.conversation, chat.newest_answer()
    chat.replace(conv("u a"))
    assert chat.newest_answer() is None
    chat.replace(before)  # a checkpoint, say
    assert chat.newest_answer() is answer


def test_texts_in_front_are_replaced_one_by_one():
    chat = ChatSession(conversation=conv("u a"))
    chat.stand({"prompt": "Be brief.", "memory": "They like tea."})
    chat.stand({"prompt": "Be long."})
    assert [m.content for m in chat.conversation][:2] == ["Be long.", "They like tea."]
    chat.stand({"prompt": " ", "memory": ""})
    assert list(chat.conversation) == list(conv("u a"))
