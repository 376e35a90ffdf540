"""tau-bench and tau2-bench: a trial is a conversation; what the simulated user does alone is not the agent's."""

from __future__ import annotations

import json

import pytest

from historylab import load
from historylab.conversation.message import ToolCall
from historylab.errors import LoadError

HI, YES = {"role": "user", "content": "hi"}, {"role": "assistant", "content": "yes"}


def read(value: object):
    return load(json.dumps(value).encode())


def simulated(*messages: dict, **info: object):
    return {"info": info, "simulations": [{"task_id": "1", "trial": 0, "messages": list(messages)}]}


def test_trials_of_a_task_are_conversations_with_titles_and_rewards():
    loaded = read([{"traj": [HI], "task_id": 13, "trial": n, "reward": 0.5} for n in (0, 1)])
    assert loaded.report.member == "tau_bench"
    assert [c.title for c in loaded] == ["task 13, trial 0", "task 13, trial 1"]
    assert loaded[0].metadata == {"task_id": 13, "trial": 0, "reward": 0.5}


@pytest.mark.parametrize("lines", [False, True])
def test_one_run_or_a_run_per_line(lines):
    run = {"traj": [HI, YES], "task_id": 1}
    assert [len(c) for c in (load(f"{json.dumps(run)}\n{json.dumps(run)}".encode()) if lines else read(run))][-1] == 2


def test_a_file_with_messages_beside_is_left_to_chat_completions():
    assert read({"traj": [HI], "messages": [HI, YES]}).report.member == "chat_completions"


def test_calls_of_tau2_have_a_name_and_an_object_and_results_the_id_of_their_call():
    call = {"id": "a", "name": "f", "arguments": {"x": 1}, "requestor": "assistant"}
    result = {"role": "tool", "id": "a", "content": "1", "requestor": "assistant", "error": True}
    (conversation,) = read(simulated(HI, {"role": "assistant", "content": None, "tool_calls": [call]}, result))
    assert conversation[1].tool_calls == (ToolCall("a", "f", '{"x": 1}'),)
    assert (conversation[2].tool_call_id, conversation[2].metadata["is_error"]) == ("a", True)
    assert conversation.columns.clean


def test_several_results_in_one_record_are_messages_of_their_own():
    calls = [{"id": i, "name": "f", "arguments": {}} for i in "ab"]
    results = {"role": "tool", "tool_messages": [{"role": "tool", "id": i, "content": i} for i in "ab"]}
    (conversation,) = read(simulated(HI, {"role": "assistant", "tool_calls": calls}, results))
    assert [m.content for m in conversation][2:] == ["a", "b"]
    assert conversation.columns.clean


def test_tools_of_the_simulated_user_are_skipped_by_name():
    call = {"role": "user", "tool_calls": [{"id": "u", "name": "f", "arguments": {}}]}
    loaded = read(simulated(HI, YES, call, {"role": "tool", "id": "u", "content": "x", "requestor": "user"}, HI))
    assert [m.role for m in loaded[0]] == ["user", "assistant", "user"]
    assert loaded.report.skipped["a tool of the simulated user, which the agent doesn't see"].count == 2


def test_model_tools_usage_and_policy_are_read():
    usage = {"prompt_tokens": 9, "completion_tokens": 2}
    info = {
        "agent_info": {"llm": "m", "llm_args": {"temperature": 0}},
        "environment_info": {"policy": "be kind", "tool_defs": [{"name": "f"}]},
    }
    (conversation,) = read(simulated(HI | {"usage": usage}, YES | {"usage": usage}, **info))
    recorded = conversation.recorded
    assert (recorded.model, recorded.tools.count, recorded.parameters) == ("m", 1, {"temperature": 0})
    assert [u and (u.input, u.output) for u in recorded.usage] == [(9, 2)]
    assert recorded.system_prompt == "be kind"


def test_a_voice_run_of_ticks_is_refused_by_name():
    with pytest.raises(LoadError, match="a voice run of ticks"):
        read({"simulations": [{"task_id": "1", "ticks": [{}]}]})
