"""SWE-agent: results named in a list, thoughts and trajectory that repeat, old files without tools."""

from __future__ import annotations

import json

import pytest

from historylab import as_sent, load
from historylab.conversation.sent import SENT_HISTORIES, sent_histories
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


def query(*said: dict) -> dict:
    return {"action": "ls", "observation": "x", "query": list(said)}


def sent(conversation, request: int) -> list[str]:
    return [m.content for m in as_sent(conversation).plans[request].render()]


def test_an_older_observation_was_sent_as_the_query_has_it():
    elided = RESULT | {"content": "Old environment output: (1 lines omitted)"}
    history = [ASK, CALL, RESULT, CALL, RESULT, CALL]
    steps = [query(ASK), query(ASK, CALL, RESULT), query(ASK, CALL, elided, CALL, RESULT)]
    (conversation,) = read(history=history, trajectory=steps)
    assert [sent(conversation, k)[2:] for k in (1, 2)] == [["x"], [elided["content"], "look", "x"]]


def test_a_query_that_lacks_messages_says_which_were_sent():
    history = [ASK, CALL, RESULT, CALL | {"content": "on"}, RESULT, CALL]
    (conversation,) = read(history=history, trajectory=[query(ASK), {}, query(ASK, history[3], RESULT)])
    assert sent(conversation, 2) == ["mend it", "on", "x"]


@pytest.mark.parametrize("steps", [None, 5, [5, None], [{"query": 5}], [{"query": [5, {}, {"role": "user"}]}] * 3])
def test_queries_that_say_nothing_change_nothing_or_fit(steps):
    (conversation,) = read(history=[ASK, CALL, RESULT, CALL], trajectory=steps or [])
    assert len(sent_histories(conversation) or ()) == len(conversation.metadata.get(SENT_HISTORIES, ()))
