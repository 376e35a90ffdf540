"""Words are found in any form in which a message says them, and in no other."""

from __future__ import annotations

import json

import pytest

from historylab.conversation.conversation import Conversation
from historylab.conversation.message import Message, ToolCall
from historylab.recall.words import AskedWords, find_near_misses, find_words


def chat(*said: str | Message) -> Conversation:
    return Conversation(text if isinstance(text, Message) else Message("user", text) for text in said)


def found(conversation: Conversation, words: str) -> list[int]:
    return find_words(conversation, words)[1]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("The Night Ferry sails.", "night ferry"),
        ("The night\n  ferry sails.", "night ferry"),
        ("The night\u00a0ferry sails.", "the night ferry"),
        ("She said “never on a Sunday”.", 'said "never on a Sunday"'),
        ("Don’t call me.", "don't call"),
        ("It is **due on Friday**, not later.", "due on Friday, not"),
        ("from 9–17 daily", "9-17"),
        ("Use `ferry.py`.", "ferry.py"),
        ("Ｆｅｒｒｙ　12", "ferry 12"),
        ("夜のフェリーは満員です", "フェリー"),
        ("Booking ORD-77.", '"ORD-77"'),
    ],
)
def test_case_spaces_quotes_dashes_width_and_emphasis_are_spelling(text, words):
    assert AskedWords(words).are_in(text)


@pytest.mark.parametrize(
    ("text", "words"),
    [("ORD-123", "ORD-12"), ("at 12:30", "30"), ("4,000 of 14,000", "000"), ("deployed", "deploy"), ("2*3", "23")],
)
def test_whole_words_and_numbers_count(text, words):
    assert not AskedWords(words).are_in(text)


def test_arguments_and_results_are_read_without_the_escapes_of_json():
    inner = json.dumps({"at": "a/b\\c"})
    call = ToolCall("1", "note", json.dumps({"text": 'He said "no\nway", in Köln', "more": inner}))
    result = Message("tool", json.dumps({"rows": ["Köln\tcentral"]}), tool_call_id="1")
    conversation = chat("Write it down.", Message("assistant", "", tool_calls=(call,)), result)
    assert found(conversation, 'said "no way", in Köln') == [1]
    assert found(conversation, "a/b\\c") == [1]
    assert found(conversation, "Köln central") == [2]
    assert found(conversation, "note") == [1]


def test_several_places_are_found_in_order():
    assert found(chat("The pin is 4417.", "Thanks.", "Was it 4417?"), "4417") == [0, 2]


def test_a_frequent_word_with_a_capital_is_another_one_where_somebody_says_it_so():
    assert found(chat("Is it here?", "Ask the people in IT."), "IT") == [1]
    assert found(chat("Is it here?"), "IT") == [0]
    assert found(chat("tell Mara", "TELL MARA"), "Tell Mara") == [0, 1]


@pytest.mark.parametrize(
    ("words", "near"),
    [
        ("ORD", "ord-0917"),
        ("brandt marchetti", "brandt … marchetti"),
        ("is for Il", "is for ilse"),
        ("zzz", None),
    ],
)
def test_what_comes_near_is_named(words, near):
    misses = find_near_misses(chat("Hello.", "ORD-0917 of Marchetti is for Ilse Brandt."), words)
    assert misses == ([(near, 1)] if near else [])


@pytest.mark.parametrize(
    ("question", "near"),
    [
        ("Why did it forget the version in mix.exs?", [("mix.exs", 1), ("version", 0)]),
        ("Warum hat es die Datei mix.exs nicht geändert?", [("mix.exs", 1)]),
        ("the verison", [("version", 0)]),
        ("What is it that you did?", []),
    ],
)
def test_of_a_question_that_nobody_said_the_rarest_words_that_are_said_come_near(question, near):
    assert find_near_misses(chat("The version did it.", "It is in apps/mix.exs.", "The version."), question) == near
