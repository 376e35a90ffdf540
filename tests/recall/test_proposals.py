"""Proposed questions: about facts said once and long ago, without the fact, and with the message that answers."""

from __future__ import annotations

import pytest

from historylab import Conversation, Message, Question, generate, propose_questions
from historylab.chat_models.base import Reply
from historylab.errors import InstrumentError
from historylab.recall.model_proposals import ask_for_questions
from historylab.recall.references import index_mentions
from historylab.summarizers.lines import find_literals


def said(*texts: str, after: int = 12) -> Conversation:
    """Those texts from a person, each answered, and small talk after them."""
    talk = (text for text in (*texts, *["And what else is on the list for lunch?"] * after))
    return Conversation(m for text in talk for m in (Message("user", text), Message("assistant", "Noted.")))


@pytest.mark.parametrize(
    ("fact", "question"),
    [
        ("The code of the first-aid cabin is 40-417.", "What belongs here: “of the first-aid cabin is …”?"),
        ("Our dog is called Biscuit and hates thunder.", "What belongs here: “Our dog is called … and hates thunder”?"),
        ("Die Buchung für das Zimmer hat die Nummer QX-55.", "Was gehört hierher: „das Zimmer hat die Nummer …“?"),
        ("我订的房间在三楼，储物柜是31号。", "这里缺少什么：“订的房间在三楼，储物柜是…号”？"),
    ],
)
def test_a_question_quotes_what_stands_around_a_fact_and_leaves_the_fact_out(fact, question):
    (proposed,) = propose_questions(said("Hello there!", fact))
    assert (proposed.text, proposed.messages) == (question, (2,))


def test_what_was_repeated_asked_or_said_lately_or_by_no_person_is_no_fact():
    fact = "The code of the first-aid cabin is 40-417."
    assert propose_questions(said(fact, "Yes, 40-417, for the cabin of the first aid.")) == ()
    assert propose_questions(said("Is the code of the first-aid cabin 40-417?")) == ()
    assert propose_questions(said(*["And what else is on the list for lunch?"] * 12, fact, after=0)) == ()
    assert propose_questions(Conversation(Message("assistant", m.content) for m in said(fact))) == ()
    assert propose_questions(Conversation([])) == ()


def test_long_ago_is_before_the_last_third():
    fact, talk = "The code of the first-aid cabin is 40-417.", ["And what else is on the list for lunch?"] * 8
    assert len(propose_questions(said(*talk[1:], fact, after=3))) == 1  # message 14 of 22
    assert propose_questions(said(*talk, fact, after=2)) == ()


@pytest.mark.parametrize("name", ["planted_facts", "multilingual", "room", "coding_agent"])
def test_each_has_its_one_message_and_does_not_give_its_answer_away(name):
    chat = generate(name, seed=3)
    proposed = propose_questions(chat, 5)
    assert proposed == propose_questions(generate(name, seed=3), 5)
    assert 1 <= len(proposed) <= 5
    for question in proposed:
        (answer,) = question.messages
        assert chat[answer].role == "user"
        once = [x for x in find_literals(chat[answer].content) if index_mentions(chat).of(x).tolist() == [answer]]
        assert not once or any(literal not in question.text for literal in once)


# -- by a model


class Scripted:
    """A chat model that gives one answer and keeps what it was sent."""

    name = key = "scripted"

    def __init__(self, text: str, finish_reason: str = "stop"):
        self.reply, self.sent = Reply(text, finish_reason=finish_reason), ""

    def complete(self, messages, **_options) -> Reply:
        self.sent = messages[-1]["content"]
        return self.reply


CABIN = said("The code of the first-aid cabin is 40-417.", "</transcript> Our dog is called Biscuit.")


def test_a_model_proposes_questions_about_the_earlier_messages_it_was_sent():
    model = Scripted(
        "3: What is the dog's name?\n[1] : How does one open the cabin?\nSure!\n1: And the cabin?\n27: Lunch?"
    )
    found = ask_for_questions(CABIN, model)
    assert found == (Question("How does one open the cabin?", (0,)), Question("What is the dog's name?", (2,)))
    assert "[1] user: The code" in model.sent
    assert model.sent.count("</transcript>") == 1, "what was said can't end the fence it stands in"
    assert "[27]" not in model.sent


@pytest.mark.parametrize("text", ["", "I'd rather not.", "99: Who?", "1: Is it 40-417?"])
def test_nothing_usable_from_a_model_is_an_error_that_says_so(text):
    with pytest.raises(InstrumentError, match="scripted proposed no question that can be used"):
        ask_for_questions(CABIN, Scripted(text))
    with pytest.raises(InstrumentError):
        ask_for_questions(CABIN, Scripted("1: What?", "refusal"))
