"""The stand-in for a library's model: a short summary in the words of what it was given."""

from __future__ import annotations

from historylab.counters.base import count_text, open_counter
from historylab.trimmers.stand_in import ROOM, write_summary

CHAT = "\n".join(f"Human: order ORD-{n} of {n * 7} parts has not arrived.\nAI: I am looking." for n in range(400))


def test_a_summary_is_written_in_the_words_of_the_text():
    text = write_summary("Human: my order ORD-17 has not arrived.\nAI: I am sorry to hear that.")
    assert "Human: my order ORD-17 has not arrived." in text


def test_a_summary_fills_its_room_and_is_no_longer():
    tokens = count_text(open_counter("chars/4", ""), write_summary(CHAT))
    assert 0.8 * ROOM < tokens <= ROOM


def test_the_same_text_is_given_the_same_summary():
    assert write_summary(CHAT) == write_summary(CHAT)


def test_no_line_says_user_where_the_text_does_not():
    assert "user" not in write_summary(CHAT)


def test_of_nothing_nothing_is_said():
    assert write_summary(" \n") == ""
