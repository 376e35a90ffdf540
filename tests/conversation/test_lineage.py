"""How much of a list is known, and the digests by which stores and recordings find it."""

from __future__ import annotations

import pytest

from historylab.conversation.lineage import Numbers, chain, digest_of, same_beginning, time_keys, words_of_message
from historylab.conversation.message import Message, ToolCall
from historylab.formats.requests.items import words_of_item

MESSAGES = [
    Message("user", "Grüße", name="Ada"),
    Message("assistant", tool_calls=(ToolCall("c1", "f", '{"a": 1}'),)),
    Message("tool", "42", tool_call_id="c1", media=("image",)),
]
FUNCTION = {"name": "f", "arguments": "{}"}
ITEMS = [
    {"role": "user", "content": "Grüße"},
    {"role": "assistant", "content": None, "tool_calls": [{"id": "c1", "type": "function", "function": FUNCTION}]},
    {"type": "reasoning", "summary": []},
    {"type": "function_call", **FUNCTION, "call_id": "x"},
    {"type": "function_call_output", "call_id": "x", "output": "42"},
    {
        "role": "assistant",
        "content": [
            {"type": "thinking", "thinking": "x"},
            {"type": "text", "text": " ok"},
            {"type": "tool_use", "id": "t", "name": "g", "input": {"b": 1, "a": 2}},
        ],
    },
]


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [("", "", 0), ("", "a", 0), ("abc", "abc", 3), ("abc", "abcd", 3), ("abcd", "abc", 3), ("abc", "xbc", 0)],
)
def test_a_beginning_is_as_long_as_both_are_equal(one, other, same):
    assert same_beginning(list(one), tuple(other)) == same


def test_the_first_item_that_differs_is_found_wherever_it_is():
    for size in range(1, 40):
        for at in range(size):
            other = [*range(at), -1, *range(at + 1, size)]
            assert same_beginning(range(size), other) == at


class Incomparable:
    def __eq__(self, other):
        raise RuntimeError

    __hash__ = None


def test_what_cannot_be_compared_is_equal_to_itself_alone():
    one, other = Incomparable(), Incomparable()
    assert same_beginning([1, one, 2], [1, one, 2]) == 3
    assert same_beginning([1, one, 2], [1, other, 2]) == 1


class SameHash(str):
    def __hash__(self):
        return 7


def test_values_with_one_hash_have_numbers_of_their_own():
    numbers = Numbers()
    assert numbers.of_beginnings([SameHash("a"), SameHash("b")]) == numbers.of_beginnings(
        [SameHash("a"), SameHash("b")]
    )
    assert numbers.of_beginnings([SameHash("a"), SameHash("c")])[0] == numbers.of_beginnings([SameHash("a")])[0]
    assert len({*numbers.of(map(SameHash, "abc"))}) == 3


def test_the_same_items_after_another_beginning_are_another_one():
    numbers = Numbers()
    assert numbers.of_beginnings("ab")[-1] != numbers.of_beginnings("b")[-1]
    assert numbers.of_beginnings("b", before=numbers.of_beginnings("a")[-1]) == numbers.of_beginnings("ab")[1:]


def test_times_are_found_that_stores_keep_since_the_first_version():
    keys = [
        "52ee786dea146870e9c1edd4ec4f426d4b062c77",
        "d702de99ab21ca89db3ac2699a2decf4679485ea",
        "90ff0d34c3dcee7998801d2dadcaa3dde5fda8a1",
    ]
    assert list(time_keys(MESSAGES)) == keys
    assert list(time_keys(MESSAGES[1:], keys[0])) == keys[1:]


def test_summaries_are_found_that_stores_keep_since_the_first_version():
    about = [words_of_message(message) for message in MESSAGES]
    key = digest_of("summary", "truncate", "chars/4", "Earlier:", 200, None, about)
    assert key == "2a5fd41299c8accaaace1615f9fe2ce5737538cf"


def test_answers_are_found_by_the_digests_that_recordings_have():
    assert list(chain(map(words_of_item, ITEMS), "ferry-bot")) == [
        "2e82cf1108bb296a9d500d60b69c105bc97f763f",
        "df7e8d0107924df47f22a8f238a875c8ca566998",
        "df7e8d0107924df47f22a8f238a875c8ca566998",  # a thought adds nothing
        "f9251afe1b5851afc7213f33d277a9c350789962",
        "dff89df59cdbd9bcdcccf199079dd4cbf20dcfea",
        "1e35373dbff3914955f45610c26dffd880c78425",
    ]
