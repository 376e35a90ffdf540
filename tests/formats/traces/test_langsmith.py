"""LangSmith runs: which are model calls, and whose thread they belong to."""

from __future__ import annotations

import json

from historylab.formats.load import load

ASK, SAY = {"role": "user", "content": "hi"}, {"role": "assistant", "content": "hello"}


def run(number: int, **fields) -> dict:
    own = {"id": f"r{number}", "run_type": "llm", "trace_id": f"t{number}", "session_id": "project"}
    return {**own, "start_time": f"2026-01-05T08:0{number}:00", "inputs": {"messages": [ASK]}, "outputs": SAY, **fields}


def loaded(*runs: dict):
    return load("\n".join(map(json.dumps, runs)).encode(), name="runs.jsonl")


def test_a_thread_holds_several_traces_and_a_project_is_none():
    more = {"inputs": {"messages": [ASK, SAY, ASK]}, "outputs": {"role": "assistant", "content": "again"}}
    apart = loaded(run(1), run(2, **more))
    assert len(apart) == 2
    extra = {"extra": {"metadata": {"thread_id": "thread"}}}
    (conversation,) = loaded(run(1, **extra), run(2, **more, **extra))
    assert [m.content for m in conversation] == ["hi", "hello", "hi", "again"]


def test_runs_inside_a_run_are_read_once_and_the_outer_one_stands_aside():
    chain = {**run(1, run_type="chain", inputs={"question": "hi"}, outputs={"answer": "hello"}), "id": "outer"}
    (alone,) = loaded(chain)
    assert [m.content for m in alone] == ["hi", "hello"]
    child = run(1, parent_run_id="outer")
    found = loaded({**chain, "child_runs": [child]}, child)
    assert (len(found), len(found[0])) == (1, 2)
    assert set(found.report.skipped) == {"a run of type chain, no model call", "a run that is in the file twice"}


def test_usage_stands_in_the_message_in_the_answer_or_in_the_run():
    counts = {"input_tokens": 10, "output_tokens": 2, "input_token_details": {"cache_read": 4}}
    places = [
        run(1, outputs={**SAY, "usage_metadata": counts}),
        run(1, outputs={"generations": [[{"message": {**SAY, "usage_metadata": counts}}]]}),
        run(1, prompt_tokens=10, completion_tokens=2, prompt_token_details={"cache_read": 4}),
    ]
    for given in places:
        (usage,) = loaded(given)[0].recorded.usage
        assert (usage.input, usage.output, usage.cache_reads) == (6, 2, 4)


def test_runs_inside_a_run_that_are_no_list_are_named():
    found = loaded(run(1, child_runs="[{'run_type': 'llm'}]"))
    assert list(found.report.warnings) == ["child_runs that are text, not a list"]
