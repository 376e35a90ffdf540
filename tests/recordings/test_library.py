"""The library: one list of what a session holds and what is recorded, by what it is and by what it says."""

from __future__ import annotations

import pytest

from historylab.conversation.conversation import Conversation
from historylab.conversation.message import Message
from historylab.recordings.entries import Held, HeldShelf, clean_tags, entry_of
from historylab.recordings.library import Library


def talk(*said: str, title: str = "", time: str | None = None) -> Conversation:
    messages = [Message(("user", "assistant")[i % 2], text, timestamp=time) for i, text in enumerate(said)]
    return Conversation(messages, title)


FERRY = Held("held:1:0", "imported", "desk.json", 1.0, talk("When does the ferry leave?", "At nine."), ("boats",))
HOTEL = Held("held:2:0", "generated", "Support desk", 3.0, talk("A room, please. By the ferry.", "One is free."))
BIKES = Held("held:1:1", "imported", "desk.json", 2.0, talk("Are there bicycles?", "Seven."), ("Boats", "wheels"))


@pytest.fixture
def library() -> Library:
    return Library(HeldShelf([FERRY, HOTEL, BIKES]))


def found(library: Library, words: str = "", **choice) -> list[str]:
    return [library.entry(match.key).title for match in library.find(words, library.index, **choice)]


def test_without_words_the_newest_come_first(library):
    assert found(library) == ["A room, please. By the ferry.", "Are there bicycles?", "When does the ferry leave?"]


def test_with_words_the_best_come_first_and_the_others_not_at_all(library):
    assert found(library, "ferry") == ["When does the ferry leave?", "A room, please. By the ferry."]


def test_source_and_tags_leave_out_what_has_them_not(library):
    assert found(library, source="imported") == ["Are there bicycles?", "When does the ferry leave?"]
    assert found(library, tags=["BOATS"]) == ["Are there bicycles?", "When does the ferry leave?"]
    assert found(library, tags=["boats", "wheels"]) == ["Are there bicycles?"]
    assert found(library, "ferry", source="generated") == ["A room, please. By the ferry."]
    assert found(library, tags=["nobody"]) == []


def test_an_entry_says_what_a_list_shows():
    asked = talk("Hi", "Hello.", "And now?", title="A chat", time="2026-11-23T07:30:00+00:00")
    entry = entry_of(asked, "k", "imported", "chat.json", ("a",))
    assert (entry.title, entry.origin, entry.messages, entry.requests, entry.tags) == (
        "A chat",
        "chat.json",
        3,
        2,
        ("a",),
    )
    assert entry.changed == 1795419000.0
    assert entry_of(talk("Hi"), "k", "imported", "").changed == 0


@pytest.mark.parametrize(
    ("conversation", "title"),
    [
        (talk("What\nnow,  then?"), "What now, then?"),
        (talk("x", title="a\u202eb\nc"), "a b c"),
        (Conversation([Message("system", "Be brief.")]), "Untitled"),
    ],
)
def test_a_title_is_one_line_whatever_it_is_made_of(conversation, title):
    assert entry_of(conversation, "k", "imported", "").title == title


def test_tags_are_short_texts_each_once_whatever_its_case():
    assert clean_tags([" late \n fee ", "Late fee", "", 7, "b" * 99, "\u202e"]) == ("late fee", "b" * 40)
    assert len(clean_tags(map(str, range(99)))) == 20
