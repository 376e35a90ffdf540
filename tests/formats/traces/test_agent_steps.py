"""Traces whose model calls hold less than was sent: what their neighbours know of it."""

from __future__ import annotations

import json

from historylab.formats.load import load
from historylab.formats.traces.agent_steps import NEW_ONLY

CALL = {"type": "GENERATION", "parentObservationId": "agent"}
ASK, DONE = {"role": "user", "content": "hi"}, {"role": "assistant", "content": "done"}
CALLED = {"role": "assistant", "tool_calls": [{"id": "c1", "function": {"name": "look", "arguments": '{"at":"sea"}'}}]}
RESULT = {"role": "tool", "tool_call_id": "c1", "content": "sunny"}
PROMPT = {"role": "system", "content": "be kind"}
RUN = {"type": "TOOL", "name": "look", "input": {"input": {"at": "sea"}}, "output": {"content": [{"text": "sunny"}]}}


def loaded(*observations: dict[str, object]):
    rows = [
        {
            "type": "GENERATION",
            "parentObservationId": "agent",
            "id": f"o{n}",
            "startTime": f"2026-01-01T00:00:0{n}Z",
            **o,
        }
        for n, o in enumerate(observations)
    ]
    return load(json.dumps({"id": "t", "observations": rows}).encode())


def told(*observations: dict[str, object]) -> list[str]:
    return [" ".join(f"{m.role[0]}:{m.content}" for m in c) for c in loaded(*observations)]


def test_the_halves_of_a_call_are_one():
    assert told({"input": [ASK]}, {"output": DONE}) == ["u:hi a:done"]


def test_a_call_that_begins_with_results_goes_on_from_the_one_that_asked_for_them():
    found = loaded({"input": [ASK], "output": CALLED}, {"input": [RESULT], "output": DONE})
    assert [[m.content for m in c] for c in found] == [["hi", "", "sunny", "done"]]
    assert found.report.warnings[NEW_ONLY].count == 1


def test_a_call_that_repeats_the_question_after_the_tools_ran_goes_on():
    first, second = {"input": [ASK], "output": CALLED}, {"input": [ASK], "output": DONE}
    assert told(first, RUN, second) == ["u:hi a: t:sunny a:done"]


def test_a_question_asked_anew_is_another_answer():
    (conversation,) = loaded({"input": [ASK], "output": CALLED}, {"input": [ASK], "output": DONE})
    assert ([m.content for m in conversation], len(conversation.branches)) == (["hi", "done"], 1)


def test_a_call_without_an_input_goes_on_from_the_one_before_it():
    without = {"input": {"content": "role"}, "output": DONE}
    assert told({"input": [ASK], "output": CALLED}, RUN, without) == ["u:hi a: t:sunny a:done"]


def test_histories_that_are_whole_stay_as_they_are():
    second = {"input": [ASK, CALLED, {**RESULT, "content": "rain"}], "output": DONE}
    found = loaded({"input": [ASK], "output": CALLED}, RUN, second)
    assert [m.content for m in found[0]] == ["hi", "", "rain", "done"]
    assert NEW_ONLY not in found.report.warnings


def test_the_prompt_of_an_agent_is_that_of_its_calls():
    agent = {"id": "agent", "type": "AGENT", "input": [PROMPT, ASK], "parentObservationId": None}
    assert told(agent, {"input": [ASK], "output": DONE}) == ["s:be kind u:hi a:done"]
    assert told(agent, {"input": "else", "output": DONE}) == ["u:else a:done"]


def test_instructions_in_the_attributes_are_the_prompt():
    said = json.dumps([{"type": "text", "content": "be kind"}])
    metadata = {"attributes": {"gen_ai.system_instructions": said}}
    given = {"input": [ASK], "output": DONE}
    assert told({**given, "metadata": metadata}) == ["s:be kind u:hi a:done"]
    assert told({**given, "metadata": json.dumps(metadata)}) == ["s:be kind u:hi a:done"]


def test_observations_above_each_other_are_looked_at_once():
    round_ = {"id": "agent", "type": "AGENT", "parentObservationId": "agent", "input": "system"}
    assert told(round_, {"input": [ASK], "output": DONE}) == ["u:hi a:done"]


def test_an_answer_that_only_the_agent_holds_is_that_of_its_last_call():
    agent = {
        "id": "agent",
        "type": "SPAN",
        "parentObservationId": None,
        "output": "{'role': 'assistant', 'text': 'so'}",
    }
    assert told(agent, {"input": [ASK]}, {"output": None}) == ["u:hi a:so"]
    assert told(agent, {"input": [ASK]}, {"output": DONE}) == ["u:hi a:done"]
    assert told(agent, {"input": [ASK], "level": "ERROR"}) == ["u:hi"]
