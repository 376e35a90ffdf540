"""SWE-agent: results named in a list, thoughts and trajectory that repeat, old files without tools."""

from __future__ import annotations

import json

import pytest

from historylab import load
from historylab.errors import UnknownFormat

ASK = {"role": "user", "content": "mend it", "agent": "main"}
CALL = {
    "role": "assistant",
    "content": "look",
    "thought": "look",
    "action": "ls",
    "tool_calls": [{"id": "a", "type": "function", "function": {"name": "ls", "arguments": "{}"}}],
}
RESULT = {"role": "tool", "content": "x", "tool_call_ids": ["a"]}


def read(**run: object):
    return load(json.dumps(run).encode())


def test_a_result_names_its_call_in_a_list_and_what_repeats_is_not_read_twice():
    loaded = read(history=[ASK, CALL, RESULT], trajectory=[{"action": "ls", "observation": "x"}])
    (conversation,) = loaded
    assert [m.content for m in conversation] == ["mend it", "look", "x"]
    assert conversation.columns.clean
    assert list(loaded.report.warnings) == ["a trajectory left out, as it repeats the history"]


def test_a_result_of_several_calls_is_given_to_the_first():
    loaded = read(history=[ASK, CALL, RESULT | {"tool_call_ids": ["a", "b"]}])
    assert loaded[0][2].tool_call_id == "a"
    assert list(loaded.report.warnings) == ["a result of several calls, given to the first"]


def test_an_observation_of_an_old_file_is_a_user_message_and_a_demonstration_is_marked():
    demo = ASK | {"is_demo": True}
    (conversation,) = read(history=[demo, ASK, {"role": "assistant", "content": "ls", "action": "ls"}, ASK])
    assert [m.role for m in conversation] == ["user", "user", "assistant", "user"]
    assert [bool(m.metadata.get("is_demo")) for m in conversation] == [True, False, False, False]
    assert [m.injected for m in conversation] == [True, False, False, True]


@pytest.mark.parametrize("as_text", [False, True])
def test_the_model_is_that_of_the_replay_configuration(as_text):
    config = {"agent": {"model": {"name": "m", "temperature": 0.5}}}
    (conversation,) = read(history=[ASK], replay_config=json.dumps(config) if as_text else config)
    assert (conversation.recorded.model, conversation.recorded.parameters) == ("m", {"temperature": 0.5})


def test_what_cannot_be_read_of_a_history_is_named():
    report = read(history=[ASK, 5, {"role": "user", "content": {"a": 1}}, ASK | {"mood": "fine"}]).report
    assert list(report.skipped) == [
        "a number, not an object",
        "content is an object, not text, a list of parts or null",
    ]
    assert list(report.warnings) == ["a field 'mood' not read"]


def test_a_history_of_plain_chat_messages_is_not_claimed():
    with pytest.raises(UnknownFormat):
        read(history=[{"role": "user", "content": "hi"}])
