"""One chat message in, one Message out, and back: what trim() relies on."""

from __future__ import annotations

from enum import Enum

import pytest
from openai.types.chat import ChatCompletionAudio, ChatCompletionMessage

from historylab.conversation.conversation import Conversation
from historylab.conversation.message import Message, ToolCall
from historylab.errors import LoadError
from historylab.formats.messages.chat_messages import iso_time, to_message, to_messages, to_record


def call(id, name="look_up", arguments="{}"):
    return {"id": id, "type": "function", "function": {"name": name, "arguments": arguments}}


def test_the_callers_own_dict_is_the_source():
    records = [{"role": "user", "content": "hi"}, {"role": "assistant", "content": None, "tool_calls": [call("a")]}]
    assert all(message.source is record for message, record in zip(to_messages(records), records, strict=True))


def test_null_content_and_missing_content_are_empty_text():
    assert to_message({"role": "assistant", "content": None}).content == ""
    assert to_message({"role": "assistant"}).content == ""


def test_text_parts_join_and_media_leave_only_their_names():
    parts = [
        {"type": "text", "text": "one"},
        {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}},
        {"type": "input_audio", "input_audio": {"data": "BBBB", "format": "wav"}},
        {"type": "file", "file": {"file_data": "CCCC"}},
        {"type": "text", "text": "two"},
    ]
    message = to_message({"role": "user", "content": parts})
    assert message.content == "one\ntwo"
    assert message.media == ("image", "audio", "file")
    assert not any(data in repr(message) for data in ("AAAA", "BBBB", "CCCC"))


def test_what_a_model_said_aloud_is_read_as_its_text():
    spoken = to_message({"role": "assistant", "content": None, "audio": {"id": "a1", "transcript": "late"}})
    assert (spoken.content, spoken.media) == ("late", ("audio",))
    assert to_message({"role": "assistant", "content": None, "audio": {"id": "a1"}}).content == ""
    own = ChatCompletionAudio(id="a1", data="AAAA", expires_at=1, transcript="it is late")
    assert to_message({"role": "assistant", "content": "Hm.", "audio": own}).content == "Hm.\nit is late"
    assert to_message({"role": "user", "content": "Hm.", "audio": "late.wav"}).media == ("audio",)
    with pytest.raises(LoadError, match="transcript is a list, not text"):
        to_message({"role": "assistant", "content": None, "audio": {"id": "a1", "transcript": ["late"]}})


def test_a_part_of_unknown_type_is_named_not_lost():
    given = {"role": "user", "content": [{"type": "hologram"}, "plain"]}
    message = to_message(given, partly=True)
    assert (message.content, message.metadata["unread_parts"]) == ("plain", ["a part of type 'hologram'"])
    with pytest.raises(LoadError, match="a part of type 'hologram' can't be read"):
        to_message(given)


def test_developer_is_system_and_goes_back_as_developer():
    message = to_message({"role": "developer", "content": "be kind"})
    assert message.role == "system"
    assert to_record(message) == {"role": "developer", "content": "be kind"}


def test_role_names_are_case_sensitive_and_unknown_ones_stay():
    assert to_message({"role": "User", "content": "x"}).role == "User"


def test_roles_given_as_string_enums_become_plain_text():
    role = Enum("Role", {"USER": "user"}, type=str).USER
    assert type(to_message({"role": role, "content": "x"}).role) is str


def test_parallel_calls_keep_their_order_and_broken_arguments_stay_raw():
    calls = to_message({"role": "assistant", "tool_calls": [call("a"), call("b", arguments='{"x": ')]}).tool_calls
    assert calls == (ToolCall("a", "look_up", "{}"), ToolCall("b", "look_up", '{"x": '))


def test_arguments_given_as_an_object_become_json_text():
    message = to_message({"role": "assistant", "tool_calls": [call("a", arguments={"город": 1})]})
    assert message.tool_calls[0].arguments == '{"город": 1}'


def test_a_custom_tool_call_keeps_its_input():
    custom = {"id": "a", "type": "custom", "custom": {"name": "shell", "input": "ls -l"}}
    assert to_message({"role": "assistant", "tool_calls": [custom]}).tool_calls == (ToolCall("a", "shell", "ls -l"),)


def test_legacy_function_calls_pair_with_their_results_in_order():
    records = [
        {"role": "assistant", "content": None, "function_call": {"name": "f", "arguments": "{}"}},
        {"role": "function", "name": "f", "content": "1"},
        {"role": "assistant", "content": None, "function_call": {"name": "f", "arguments": "{}"}},
        {"role": "function", "name": "f", "content": "2"},
        {"role": "function", "name": "g", "content": "nobody asked"},
    ]
    messages = to_messages(records)
    assert [m.role for m in messages] == ["assistant", "tool", "assistant", "tool", "tool"]
    columns = Conversation(messages).columns
    assert columns.block.tolist() == [0, 0, 1, 1, 2]
    assert columns.orphan.tolist() == [False, False, True]


def test_parallel_calls_without_ids_pair_by_name():
    nameless = [{"function": {"name": n, "arguments": {}}} for n in "fg"]
    records = [
        {"role": "assistant", "tool_calls": nameless},
        {"role": "tool", "name": "g", "content": "2"},
        {"role": "tool", "content": "1"},
    ]
    conversation = Conversation(to_messages(records))
    assert conversation.columns.clean
    assert conversation[1].tool_call_id == conversation[0].tool_calls[1].id


def test_ids_of_paired_calls_stay_the_same_as_the_history_grows():
    records = [{"role": "assistant", "function_call": {"name": "f"}}, {"role": "function", "name": "f", "content": ""}]
    assert to_messages(records) == to_messages([*records, {"role": "user", "content": "more"}])[:2]


def test_a_refusal_stands_in_for_empty_content():
    assert to_message({"role": "assistant", "content": None, "refusal": "no"}).content == "no"
    assert to_message({"role": "assistant", "content": [{"type": "refusal", "refusal": "no"}]}).content == "no"


def test_sdk_objects_are_read_and_kept_as_they_are():
    given = ChatCompletionMessage.model_validate({"role": "assistant", "content": None, "tool_calls": [call("a")]})
    whole, inside = to_messages([given, {"role": "assistant", "tool_calls": given.tool_calls}])
    assert whole.source is given
    assert whole.tool_calls == inside.tool_calls == (ToolCall("a", "look_up", "{}"),)


@pytest.mark.parametrize(
    ("raw", "iso"),
    [
        ("2024-05-01T10:00:00Z", "2024-05-01T10:00:00Z"),
        (1714557600, "2024-05-01T10:00:00+00:00"),
        (1714557600.5, "2024-05-01T10:00:00.500000+00:00"),
        (1714557600000, "2024-05-01T10:00:00+00:00"),
        ("1714557600.000100", "2024-05-01T10:00:00.000100+00:00"),
        ("yesterday", None),
        (float("inf"), None),
        (1e300, None),
        (True, None),
        ([], None),
        ("20260101", "2026-01-01T00:00:00"),
        ("20269999", None),
    ],
)
def test_timestamps_become_iso_text_or_nothing(raw, iso):
    assert iso_time(raw) == iso
    assert to_message({"role": "user", "content": "", "created_at": raw}).timestamp == iso


@pytest.mark.parametrize(
    ("records", "complaint"),
    [
        ([{"role": "user", "content": "x"}, 5], "message 1 of those given: a number, not an object"),
        ([{"content": "x"}], "message 0 of those given: no role"),
        ([{"role": None}], "message 0 of those given: no role"),
        ([{"role": ["user"], "content": "x"}], "role is a list, not text"),
        ([{"role": "user", "content": {"a": 1}}], "content is an object, not text, a list of parts or null"),
        ([{"role": "user", "content": [7]}], "a number, not an object"),
        ([{"role": "assistant", "tool_calls": "look_up"}], "tool_calls is text, not a list"),
        ([{"role": "assistant", "tool_calls": [{"id": "a"}]}], "a tool call without a function"),
        ("hello", "text was given where a list of messages is meant"),
        ({"role": "user"}, "an object was given where a list of messages is meant"),
        (None, "null was given where a list of messages is meant"),
    ],
)
def test_what_is_no_message_is_refused_by_place_and_kind(records, complaint):
    with pytest.raises(LoadError) as refused:
        to_messages(records)
    assert complaint in str(refused.value)


@pytest.mark.parametrize(
    "message",
    [
        Message("system", "a summary"),
        Message("user", "hi", name="ada"),
        Message("assistant", tool_calls=(ToolCall("a", "f", "{}"), ToolCall("b", "g", ""))),
        Message("tool", "result", name="f", tool_call_id="a"),
    ],
)
def test_a_record_reads_back_as_the_same_message(message):
    assert to_message(to_record(message)) == message


def test_media_without_a_source_become_words():
    assert to_record(Message("user", "look", media=("image",)))["content"] == "look\n[image]"
