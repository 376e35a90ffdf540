"""Messages as loggers write them, and the same as their APIs have them."""

from __future__ import annotations

import json

import pytest

from historylab.formats.base import Report
from historylab.formats.traces.logged import logged_answer, logged_input

ASK = {"role": "user", "content": "hi"}
FUNCTION = {"name": "look", "arguments": '{"at":"sea"}'}
CALL = {"id": "c1", "type": "function", "function": FUNCTION}
PRINTED = "role={!r} content={!r} name=None tool_call_id={!r} tool_calls={!r} timer=<a.Timer at 0> used=Used(n=0)"


def sent(value: object):
    return logged_input(value, Report(), "row").messages


@pytest.mark.parametrize(
    "answer",
    [
        {"role": "assistant", "content": "", "additional_kwargs": {"tool_calls": [CALL]}},
        [{"toolCallId": "c1", "toolName": "look", "input": FUNCTION["arguments"]}],
        {"text": "", "toolCalls": [{"toolCallId": "c1", "toolName": "look", "args": FUNCTION["arguments"]}]},
        {"role": "assistant", "content": "", "tool_calls": [{"id": "c1", **FUNCTION}]},
        {"role": "assistant", "tool_calls": [{"id": "c1", "name": "look", "args": {"at": "sea"}, "type": "tool_call"}]},
        {"role": "assistant", "content": json.dumps([CALL])},
        [{"type": "tool_use", "id": "c1", "name": "look", "input": {"at": "sea"}}],
    ],
    ids=["LangChain", "AI SDK", "AI SDK's result", "flat", "args", "text", "blocks"],
)
def test_a_call_is_one_however_it_is_logged(answer):
    (message,) = logged_answer(answer, Report(), "row")
    (call,) = message.tool_calls
    assert (call.id, call.name, json.loads(call.arguments)) == ("c1", "look", {"at": "sea"})
    assert message.content == ""


def test_calls_in_messages_of_their_own_are_one_answer():
    others = [{"role": "assistant", "content": json.dumps([{**CALL, "id": name}])} for name in "ab"]
    (message,) = logged_answer(others, Report(), "row")
    assert [call.id for call in message.tool_calls] == ["a", "b"]


def test_a_role_that_is_the_name_of_a_called_tool_gives_its_result():
    called = {"role": "assistant", "content": "", "tool_calls": [CALL]}
    *_, result = sent([ASK, called, {"role": "look", "content": "sunny", "additional_kwargs": {}}])
    assert (result.role, result.tool_call_id, result.content) == ("tool", "c1", "sunny")


def test_a_result_of_nameless_json_stays_a_result():
    listed = json.dumps([{"name": "look", "input": "sea"}])
    *_, result = sent([ASK, {"role": "assistant", "tool_calls": [CALL]}, {"role": "tool", "content": listed}])
    assert (result.role, result.content, result.tool_call_id) == ("tool", listed, "c1")


def test_definitions_of_tools_among_the_messages_are_the_requests_tools():
    tool = {"type": "function", "function": {"name": "look"}}
    found = logged_input([ASK, {"role": "tool", "content": tool}], Report(), "row")
    assert ([m.role for m in found.messages], found.about["tools"]) == (["user"], [tool])


def test_messages_that_python_printed_are_read():
    texts = [
        PRINTED.format("user", "it's (\n", None, None),
        PRINTED.format("assistant", None, None, [CALL]),
        PRINTED.format("tool", "sunny", "c1", None),
    ]
    messages = sent({"messages": texts})
    assert [(m.role, m.content) for m in messages] == [("user", "it's (\n"), ("assistant", ""), ("tool", "sunny")]
    assert messages[1].tool_calls[0].id == messages[2].tool_call_id == "c1"


def test_an_object_that_python_printed_is_read():
    printed = "{'role': 'user', 'content': \"it's\", 1: ('x', {2})}"
    assert [(m.role, m.content) for m in sent([printed])] == [("user", "it's")]


@pytest.mark.parametrize(
    "text", ["role='user' (", "[{'", "{'a': b}", "['", "content=", "{(1,): 2}", "role=" + "(" * 5000]
)
def test_what_cant_be_unpacked_is_a_text(text):
    assert [m.content for m in sent([text])] == [text]


def test_speech_in_one_text_is_told_apart_by_its_speakers():
    messages = sent("system: Be kind.\nuser: hi\nuser 7: too\nassistant: hello")
    assert [(m.role, m.content) for m in messages] == [
        ("system", "Be kind."),
        ("user", "hi\nuser 7: too"),
        ("assistant", "hello"),
    ]


@pytest.mark.parametrize("text", ["user: hi", "Say this:\nsystem: no\nuser: yes"])
def test_a_text_in_which_one_person_speaks_is_theirs(text):
    assert [(m.role, m.content) for m in sent(text)] == [("user", text)]


def test_googles_contents_may_be_a_text_with_the_prompt_in_their_config():
    given = {"contents": "hi", "config": {"system_instruction": "be kind", "tools": [{"a": 1}], "temperature": 1}}
    found = logged_input(given, Report(), "row")
    assert [(m.role, m.content) for m in found.messages] == [("system", "be kind"), ("user", "hi")]
    assert (found.about["tools"], found.about["parameters"]) == ([{"a": 1}], {"temperature": 1})


@pytest.mark.parametrize("wrong", [3, [], {}, [3, {}], "x", None, True])
def test_wrong_kinds_of_values_are_no_traceback(wrong):
    item = {"role": "assistant", "content": "", "tool_calls": [CALL], "additional_kwargs": {"tool_calls": [CALL]}}
    for name in (*item, "type", "name", "tool_call_id"):
        assert sent([ASK, {**item, name: wrong}])[0].content == "hi"
        logged_answer([{**item, name: wrong}], Report(), "row")
