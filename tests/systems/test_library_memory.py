"""Mentu's memory over a library: the quotes, and which conversations they are of."""

from __future__ import annotations

from historylab.conversation.conversation import Conversation
from historylab.conversation.message import Message
from historylab.recordings.entries import Held, HeldShelf
from historylab.recordings.library import Library
from historylab.systems.mentu.library_memory import remember
from historylab.systems.mentu.memory import HEADING

ALLERGY = Conversation(
    [
        Message("user", "I am allergic to walnuts.", timestamp="2026-11-02T10:00:00Z"),
        Message("assistant", "No walnuts, noted."),
        Message("tool", "walnuts walnuts walnuts"),
    ],
    "Cake for Ana",
)
FERRY = Conversation([Message("user", "When does the ferry leave?"), Message("assistant", "At nine.")], "Ferry")


def library(**conversations: Conversation) -> Library:
    return Library(HeldShelf(Held(key, "imported", "", 0, said) for key, said in conversations.items()))


def asked(question: str, known: Library, **options):
    return remember(question, known, known.index(), **options)


def test_quotes_name_their_conversation_by_its_title_and_say_when():
    found = asked("Which cake has no walnuts?", library(a=ALLERGY, f=FERRY))
    assert found.message.role == "system"
    assert found.message.content.split("\n") == [
        HEADING,
        "- 2026-11-02, “Cake for Ana”, user: I am allergic to walnuts.",
        "- 2026-11-02, “Cake for Ana”, assistant: No walnuts, noted.",
    ]
    assert [entry.key for entry in found.entries] == ["a"]


def test_the_conversation_that_is_open_is_left_out():
    known = library(a=ALLERGY, b=ALLERGY)
    assert [entry.key for entry in asked("walnuts", known, leave_out={"a"}).entries] == ["b"]
    assert asked("walnuts", known, leave_out={"a", "b"}) is None


def test_what_nothing_bears_on_is_remembered_by_nothing():
    assert asked("helicopters", library(a=ALLERGY)) is None
    assert asked("", library(a=ALLERGY)) is None


def test_without_a_time_a_quote_is_undated():
    assert "- undated, “Ferry”, user:" in asked("ferry", library(f=FERRY)).message.content


def test_a_conversation_that_is_gone_by_now_is_passed_over():
    known = library(a=ALLERGY, f=FERRY)
    index = known.index()
    index.put("gone", ALLERGY)
    assert [entry.key for entry in remember("walnuts", known, index).entries] == ["a"]
