"""The exact counter: the model's own encoding and OpenAI's framing; an estimate where no encoding is public."""

from __future__ import annotations

import numpy as np
import pytest

from historylab.conversation.conversation import Conversation
from historylab.conversation.message import Message, ToolCall
from historylab.counters.base import MEDIA_TOKENS, count_text, open_counter, token_column
from historylab.counters.exact import ExactCounter, encoding_of
from historylab.errors import InstrumentError

COOKBOOK = [  # "How to count tokens with tiktoken": 129 prompt tokens by gpt-4, 124 by gpt-4o, as the API counted them
    (
        "system",
        None,
        "You are a helpful, pattern-following assistant that translates corporate jargon into plain English.",
    ),
    ("system", "example_user", "New synergies will help drive top-line growth."),
    ("system", "example_assistant", "Things working well together will increase revenue."),
    (
        "system",
        "example_user",
        "Let's circle back when we have more bandwidth to touch base on opportunities for increased leverage.",
    ),
    ("system", "example_assistant", "Let's talk later when we're less busy about how to do better."),
    ("user", None, "This late pivot means we don't have time to boil the ocean for the client deliverable."),
]


def count(message: Message, model: str = "gpt-4o") -> int:
    return int(open_counter("exact", model).count([message])[0])


@pytest.mark.parametrize(("model", "tokens"), [("gpt-4", 129), ("gpt-4o", 124), ("gpt-3.5-turbo", 129)])
def test_the_cookbooks_example_takes_what_the_api_counted(model, tokens):
    counter = open_counter("exact", model)
    messages = [Message(role, text, name=name) for role, name, text in COOKBOOK]
    assert int(counter.count(messages).sum()) + counter.per_request == tokens


@pytest.mark.parametrize(
    ("text", "cl100k", "o200k"),
    [
        ("", 0, 0),
        ("hello world", 2, 2),
        ("tiktoken is great!", 6, 6),
        ("antidisestablishmentarianism", 6, 6),
        ("2 + 2 = 4", 7, 7),
        ("お誕生日おめでとう", 9, 8),
    ],
)
def test_texts_take_what_tiktoken_says(text, cl100k, o200k):
    assert ExactCounter("gpt-4").count_texts([text]) == [cl100k]
    assert ExactCounter("gpt-4o").count_texts([text]) == [o200k]


def test_a_message_takes_three_tokens_its_role_and_its_text():
    assert count(Message("user", "hello world")) == 3 + 1 + 2
    assert count(Message("user", "")) == 3 + 1
    assert open_counter("exact", "gpt-4o").per_request == 3


def test_a_name_takes_itself_and_one_more():
    assert count(Message("user", "hello world", name="hello world")) == 3 + 1 + 2 + 2 + 1


def test_a_tools_name_is_not_sent():
    assert count(Message("tool", "hello world", name="look_up", tool_call_id="x")) == 3 + 1 + 2


def test_calls_count_their_names_and_arguments_but_no_ids():
    plain = count(Message("assistant", "hello world"))
    calls = (ToolCall("call_with_a_very_long_id", "hello world", "2 + 2 = 4"),) * 2
    assert count(Message("assistant", "hello world", tool_calls=calls)) == plain + 2 * (2 + 7)


def test_an_unknown_role_takes_its_own_tokens():
    assert count(Message("hello world", "")) == 3 + 2


@pytest.mark.parametrize("kind", [*MEDIA_TOKENS, "hologram"])
def test_media_take_a_fixed_estimate(kind):
    expected = 4 + 2 + MEDIA_TOKENS.get(kind, MEDIA_TOKENS["file"])
    assert count(Message("user", "hello world", media=(kind,))) == expected


def test_base64_is_never_counted():
    from historylab.formats.messages.chat_messages import to_message

    url = "data:image/png;base64," + "A" * 100_000
    parts = [{"type": "text", "text": "hello world"}, {"type": "image_url", "image_url": {"url": url}}]
    assert count(to_message({"role": "user", "content": parts})) == 4 + 2 + MEDIA_TOKENS["image"]


@pytest.mark.parametrize(
    ("model", "encoding", "own"),
    [
        ("gpt-5.5", "o200k_base", True),
        ("gpt-5-2025-08-07", "o200k_base", True),
        ("gpt-4o-2024-05-13", "o200k_base", True),
        ("gpt-4.1-mini", "o200k_base", True),
        ("o3-mini", "o200k_base", True),
        ("openai/gpt-4o", "o200k_base", True),
        ("azure/gpt-4o", "o200k_base", True),
        ("ft:gpt-4o:acme::1", "o200k_base", True),
        ("gpt-4", "cl100k_base", True),
        ("gpt-4-0613", "cl100k_base", True),
        ("gpt-3.5-turbo-0125", "cl100k_base", True),
        ("ft:gpt-3.5-turbo:acme::1", "cl100k_base", True),
        ("gpt-oss-120b", "o200k_harmony", True),
        ("davinci", "o200k_base", False),  # its encoding isn't shipped
        ("claude-sonnet-4-5", "o200k_base", False),
        ("gemini-2.5-pro", "o200k_base", False),
        ("", "o200k_base", False),
        ("no such model", "o200k_base", False),
    ],
)
def test_a_model_is_counted_by_its_own_encoding_or_an_estimate_that_says_so(model, encoding, own):
    counter = open_counter("exact", model)
    assert (encoding_of(model), counter.exact) == ((encoding, own), own)
    assert encoding in counter.label
    assert own or model in counter.label


@pytest.mark.parametrize(
    "text",
    ["\ud800", "a\udfffb", "\0", "\x1b[31m\x07", "\u202eabc", "<|endoftext|>", "<|im_start|>", "a\ud83d", "\r\n"],
)
@pytest.mark.parametrize("model", ["gpt-4o", "gpt-4", "gpt-oss-20b"])
def test_no_text_crashes_a_count(text, model):
    assert count(Message("user", text), model) >= 5
    mixed = [Message("user", "hello world"), Message(text or "x", text, name=text)]
    assert open_counter("exact", model).count(mixed)[0] == 6


def test_a_lone_surrogate_counts_as_the_replacement_it_becomes():
    assert count(Message("user", "a\ud800")) == count(Message("user", "a?"))


@pytest.mark.parametrize("text", ["x" * 1_000_000, "word " * 200_000, "a1" * 500_000, " " * 1_000_000, "漢" * 300_000])
def test_a_megabyte_is_counted_without_hanging(text):
    assert count(Message("user", text)) > 4  # work that grew with the square of it would take hours


def test_a_batch_counts_like_its_messages_alone():
    messages = [
        Message("user", "hello world"),
        Message("assistant", "", tool_calls=(ToolCall("x", "f", "{}"), ToolCall("y", "g", '{"a": 1}'))),
        Message("tool", "2 + 2 = 4", tool_call_id="x"),
        Message("user", "", media=("image", "audio")),
        Message("user", "\ud800"),
        Message("narrator", "お誕生日おめでとう", name="ann"),
    ]
    together = open_counter("exact", "gpt-4o").count(messages)
    assert together.tolist() == [count(message) for message in messages]
    assert together.dtype == np.int64


def test_no_messages_take_nothing():
    assert open_counter("exact", "gpt-4o").count([]).tolist() == []


def test_a_text_costs_what_a_message_of_it_costs():
    assert count_text(open_counter("exact", "gpt-4o"), "hello world") == 6


def test_a_counter_that_miscounts_its_messages_is_named():
    class Short:
        key, label, exact, per_request = "short", "a test", False, 0

        def count(self, messages):
            return np.zeros(1, np.int64)

    with pytest.raises(InstrumentError, match="'short' gave 1 counts for 2 messages"):
        token_column(Conversation([Message("user", "a")] * 2), Short())


def test_a_column_is_counted_once_per_encoding_not_per_model():
    conversation = Conversation([Message("user", "hello world")])
    one = token_column(conversation, open_counter("exact", "gpt-4o"))
    assert token_column(conversation, open_counter("exact", "gpt-5")) is one
    assert token_column(conversation, open_counter("exact", "gpt-4")) is not one
