"""Searching many conversations: which are found, in which order, and what is quoted of them."""

from __future__ import annotations

import pytest

from historylab.conversation.conversation import Conversation
from historylab.conversation.message import Message, ToolCall
from historylab.recordings.search import MessageIndex, Quote, quote_words


def talk(*said: str) -> Conversation:
    return Conversation([Message(("user", "assistant")[i % 2], text) for i, text in enumerate(said)])


def index(**conversations: Conversation) -> MessageIndex:
    found = MessageIndex()
    for key, conversation in conversations.items():
        found.put(key, conversation)
    return found


FERRY = talk("When does the ferry to Norderney leave?", "At nine.", "And the ferry back?", "The last ferry is at six.")
HOTEL = talk("I need a room with a view of the harbour.", "There is one, and the ferry leaves next door.")
BIKES = talk("Are there bicycles?", "Seven.")


def keys(found) -> list[str]:
    return [match.key for match in found]


def marked(quote: Quote) -> list[str]:
    return [quote.text[start:end] for start, end in quote.marks]


def test_the_conversation_with_the_best_message_comes_first_and_each_has_its_best_hits():
    found = index(bikes=BIKES, hotel=HOTEL, ferry=FERRY).search("ferries back")
    assert keys(found) == ["ferry", "hotel"]
    assert (found[0].messages[0], found[0].found) == (2, 3)
    assert found[1].messages == (1,)


def test_of_two_with_equally_good_messages_the_one_with_more_of_them_comes_first():
    once, twice = talk("the ferry"), talk("the ferry", "the ferry")
    assert keys(index(once=once, twice=twice).search("ferry")) == ["twice", "once"]


@pytest.mark.parametrize("words", ["", "   ", "the", "?!", "helicopter"])
def test_words_that_nothing_is_found_by_find_nothing(words):
    assert index(ferry=FERRY).search(words) == []


def test_an_empty_library_finds_nothing():
    assert MessageIndex().search("ferry") == []


def test_calls_are_searched_by_name_and_arguments():
    call = Message("assistant", tool_calls=(ToolCall("c1", "timetable", '{"harbour": "Norddeich"}'),))
    found = index(asked=Conversation([Message("user", "when?"), call]))
    assert found.search("norddeich")[0].messages == (1,)
    assert marked(quote_words(call, "norddeich")) == ["Norddeich"]


def test_what_a_conversation_goes_on_with_is_found_as_if_it_had_been_there_at_once():
    grown = index(ferry=FERRY[:2], hotel=HOTEL)
    grown.put("ferry", FERRY)
    whole = index(ferry=FERRY, hotel=HOTEL)
    assert [(m.key, sorted(m.messages)) for m in grown.search("ferry")] == [
        (m.key, sorted(m.messages)) for m in whole.search("ferry")
    ]


def test_a_conversation_that_is_told_anew_is_found_by_its_new_words_alone():
    found = index(ferry=FERRY, bikes=BIKES)
    found.put("ferry", talk("A kayak, then."))
    assert keys(found.search("kayak")) == ["ferry"]
    assert found.search("ferry") == []


def test_what_was_dropped_is_not_found_and_once_that_is_most_of_it_the_index_says_so():
    found = index(ferry=FERRY, hotel=HOTEL, bikes=BIKES)
    assert not found.is_mostly_stale
    found.drop(["ferry", "nobody", "hotel"])
    assert keys(found.search("ferry bicycles")) == ["bikes"]
    assert found.is_mostly_stale
    assert "ferry" not in found


def test_what_is_put_into_a_copy_stays_there():
    shared = index(ferry=FERRY)
    mine = shared.apart()
    mine.put("private", talk("my ferry diary"))
    shared.put("later", talk("a ferry that came later"))
    assert sorted(keys(mine.search("ferry"))) == ["ferry", "private"]
    assert sorted(keys(shared.search("ferry"))) == ["ferry", "later"]
    assert shared.search("diary") == []


def test_the_words_are_marked_in_every_form_and_nothing_else():
    quote = quote_words(Message("user", "Two FERRIES, one ferry; a ferryman <b>ferry</b>."), "ferry")
    assert quote.text == "Two FERRIES, one ferry; a ferryman <b>ferry</b>."
    assert marked(quote) == ["FERRIES", "ferry", "ferry"]


@pytest.mark.parametrize(
    ("text", "words", "shown"),
    [
        ("Wann gehen die Fähren nach Juist?", "Fähre", ["Fähren"]),
        ("東京の天気を教えてください", "天気", ["天気"]),
        ("ＯＲＤ-0917 is late", "ord-0917", ["ＯＲＤ", "0917"]),
        ("the cafe\u0301 is shut", "café", ["cafe\u0301"]),
    ],
)
def test_words_of_other_scripts_are_marked_where_they_stand(text, words, shown):
    assert marked(quote_words(Message("user", text), words)) == shown


def test_of_a_long_message_the_passage_with_most_of_the_words_is_quoted_on_one_line():
    text = "ferry " + "and so on " * 100 + "the last\n\n ferry  to Juist " + "and so forth " * 100
    quote = quote_words(Message("user", text), "ferry to Juist")
    assert quote.text.startswith("…") and quote.text.endswith("…")
    assert "the last ferry to Juist and" in quote.text
    assert marked(quote) == ["ferry", "Juist"]
    assert len(quote.text) < 260


def test_a_message_without_the_words_is_quoted_from_its_beginning():
    assert quote_words(Message("user", "a " * 500), "ferry").text.startswith("a a a")
    assert quote_words(Message("user", ""), "ferry") == Quote("")
