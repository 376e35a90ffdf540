"""The texts of the list: a line of each message, the beginning of a long one, and what is sent in place of it."""

from __future__ import annotations

import numpy as np
from listed import inflated
from sketches import conv

from historylab import Conversation, Message, Settings, ToolCall, replay
from historylab.figures.message_texts import pack_bubbles, pack_lines
from historylab.figures.sent_otherwise import pack_otherwise, summary_at


def test_a_line_of_each_message_says_who_speaks_what_and_how_long_it_is():
    call = ToolCall("1", "read_file", '{"path": "Notes.md"}')
    said = [Message("user", "Hi\nthere\u202e", name="Ilse"), Message("bot", "", tool_calls=(call,), media=("image",))]
    told = inflated(pack_lines(Conversation(said), np.array([3, 4])))
    assert told["kinds"] == ["user", "other"]
    assert (told["roles"], told["names"]) == (["user", "bot"], ["Ilse", ""])
    assert told["texts"] == ["Hi there�", '→ read_file({"path": "Notes.md"}) [image]']
    assert (told["tokens"], told["media"]) == ([3, 4], [1])


def test_long_text_is_clipped_with_a_count_and_calls_are_parts():
    call = ToolCall("1", "read_file", '{"path": "' + "x" * 500 + '"}')
    result = Message("tool", "1\n" * 200, tool_call_id="1")
    said = Conversation([Message("user", "y" * 1000), Message("assistant", "", tool_calls=(call,)), result])
    (long,), (asked,), (answer,) = inflated(pack_bubbles(said))
    assert (long[0], len(long[1].split("\n")[0]), long[2]) == ("text", 700, 300)
    assert asked[0] == "call"
    assert asked[1].startswith("→ read_file({")
    assert asked[2] == 352
    assert answer[2] == 393


def test_thinking_is_a_part_of_its_own_and_a_text_that_the_file_left_out_is_said_to_be():
    thought = Message("assistant", "4", metadata={"thinking": "<b>2 + 2"})
    said = Conversation([Message("user", metadata={"tokens": 1234}), thought])
    assert inflated(pack_bubbles(said)) == [
        [["note", "(text not in the file: 1,234 tokens)", 0]],
        [["thought", "<b>2 + 2", 0], ["text", "4", 0]],
    ]


def test_what_is_sent_in_part_says_from_which_request_on_it_takes_how_much():
    keep = {"tool_output.clear.keep": 1, "tool_output.clear.batch": 1}
    timeline = replay(conv("s u a(t:99) a u a(t:99) a u a"), Settings(policy="all", tool_output="clear", options=keep))
    told = inflated(pack_otherwise(timeline))
    sent = {message: runs[-1] for message, runs in told["shorter"]}
    last = timeline.plans[-1]
    assert "T" in last.sketch()
    assert sorted(sent) == [i for i, letter in enumerate(last.sketch()) if letter == "T"]
    for i, (_, tokens, text) in sent.items():
        assert tokens == last.sent_tokens[i]
        assert text[0] == last.shortened[-1].texts[i]
    assert told["summaries"] == []


def test_a_summary_is_told_once_from_the_first_request_that_sends_it():
    talk = Conversation([Message(("user", "assistant")[i % 2], f"message {i} " + "word " * 60) for i in range(15)])
    timeline = replay(talk, Settings(policy="all", pruner="summarize", budget=300, min_turns=0))
    told = inflated(pack_otherwise(timeline))["summaries"]
    for number, plan in enumerate(timeline.plans):
        at = summary_at(timeline, number)
        assert at["text"].startswith(plan.summary.text[:100]) if plan.summary else at["text"] == ""
        known = [one for one in told if one["from"] <= number]
        assert (known[-1]["covers"] if known else 0) == (plan.summary.covers if plan.summary else 0)
        assert not known or known[-1]["from"] == at["from"]
