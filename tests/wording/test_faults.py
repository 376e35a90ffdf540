"""The faults in what a trimmer sends, counted and in a sentence."""

from __future__ import annotations

import pytest
from sketches import conv

from historylab import Settings, replay
from historylab.planning.faults import count_faults
from historylab.wording.faults import faults_sentence

CHAT = conv("s u a(t) a u a(t) a u")


def said(trimmer):
    return faults_sentence(replay(CHAT, trimmer=trimmer))


@pytest.mark.parametrize(
    ("trimmer", "sentence"),
    [
        (lambda messages: messages, "No request would be refused."),
        (
            lambda messages: [m for m in messages if m["role"] != "assistant"],
            "4 of 5 requests would be refused: 6 tool results without their call.",
        ),
        (
            lambda messages: [m for m in messages if m["role"] != "tool"],
            "4 of 5 requests would be refused: 6 messages with calls that lack a result.",
        ),
        (
            lambda messages: messages[:1],
            "5 of 5 requests would be refused: 5 requests with no message of a user or tool. "
            "Without a user message: 5 requests.",
        ),
        (
            lambda messages: messages if len(messages) < 4 else messages[1:],
            "No request would be refused. Without the system prompt: 4 requests.",
        ),
        (
            lambda messages: messages if len(messages) != 4 else messages[-1:],
            "1 of 5 requests would be refused: 1 tool result without its call. Without the system prompt: 1 request. "
            "Without a user message: 1 request.",
        ),
        (lambda messages: None if len(messages) < 9 else 1 / 0, "No request would be refused."),
        (lambda messages: 1 / 0, ""),
    ],
)
def test_the_faults_are_counted_and_said(trimmer, sentence):
    assert said(trimmer) == sentence


def test_faults_of_the_file_are_said_apart():
    timeline = replay(conv("u t a u a(t,t) a u a"), trimmer=lambda messages: messages[-3:])
    assert faults_sentence(timeline) == (
        "1 of 4 requests would be refused: 1 tool result without its call. Already so in the file: 2 requests."
    )
    same = replay(timeline.original, trimmer=lambda messages: messages)
    assert faults_sentence(same) == "No request would be refused. Already so in the file: 4 requests."


def test_a_failed_request_is_in_no_count():
    found = count_faults(replay(CHAT, trimmer=lambda messages: messages if len(messages) < 4 else 1 / 0))
    assert (found.requests, found.refused) == (1, 0)


def test_a_request_may_be_over_the_window():
    small = replay(CHAT, Settings(window=40), trimmer=lambda messages: messages)
    over = count_faults(small).over_window
    assert over == (small.contexts > 40).sum() > 0
    assert faults_sentence(small).endswith(f"Over the window: {over} requests.")
