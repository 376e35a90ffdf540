"""OpenHands events: actions and observations joined, condensations, noise, usage from the statistics."""

from __future__ import annotations

import io
import json
import zipfile

import pytest

from historylab import load
from historylab.conversation.message import ToolCall


def event(kind: str, **fields: object) -> dict:
    return {"kind": kind, "source": "agent", **fields}


def said(text: str, role: str = "user", **fields: object) -> dict:
    return event("MessageEvent", llm_message={"role": role, "content": [{"type": "text", "text": text}]}, **fields)


def action(number: int, reply: str | None = None, **fields: object) -> dict:
    call = {"id": f"c{number}", "name": "f", "arguments": "{}"}
    given = {"id": f"e{number}", "tool_call_id": f"c{number}", "tool_call": call, "llm_response_id": reply}
    return event("ActionEvent", thought=[{"type": "text", "text": "so"}], tool_name="f", **(given | fields))


def seen(text: object, **fields: object) -> dict:
    return event("ObservationEvent", tool_name="f", observation={"content": text}, **fields)


def read(*events: object):
    return load("\n".join(map(json.dumps, events)).encode())


@pytest.mark.parametrize("joined", [{"tool_call_id": "c1"}, {"action_id": "e1"}], ids=["call", "action"])
def test_an_observation_answers_its_action(joined):
    (conversation,) = read(said("hi"), action(1), seen([{"type": "text", "text": "done"}], **joined))
    assert [(m.role, m.content) for m in conversation] == [("user", "hi"), ("assistant", "so"), ("tool", "done")]
    assert conversation.columns.clean


def test_actions_of_one_response_are_one_message():
    (conversation,) = read(
        said("hi"),
        action(1, "r"),
        action(2, "r"),
        seen("a", tool_call_id="c1"),
        seen("b", tool_call_id="c2"),
        action(3, "q"),
        seen("c", tool_call_id="c3"),
    )
    assert [len(m.tool_calls) for m in conversation] == [0, 2, 0, 0, 1, 0]
    assert conversation.columns.clean


def test_an_action_without_the_models_call_is_read_as_it_was_run():
    given = action(1, tool_call=None, action={"kind": "Run", "command": "ls"})
    assert read(said("hi"), given)[0][1].tool_calls == (ToolCall("c1", "f", '{"command": "ls"}'),)


@pytest.mark.parametrize(
    ("result", "text"),
    [
        (event("AgentErrorEvent", tool_name="f", tool_call_id="c1", error="broke"), "broke"),
        (event("UserRejectObservation", tool_call_id="c1", rejection_reason="no"), "Action rejected: no"),
        (event("ObservationEvent", tool_call_id="c1", observation={"output": "bad", "is_error": True}), "bad"),
    ],
)
def test_errors_and_refusals_are_results(result, text):
    (conversation,) = read(said("hi"), action(1), result)
    assert (conversation[2].content, conversation[2].metadata["is_error"]) == (text, True)


def test_noise_is_skipped_by_kind_and_a_condensation_keeps_the_history():
    noise = event("ConversationStateUpdateEvent", key="k", value="v")
    loaded = read(said("hi"), noise, noise, event("PauseEvent"), event("Condensation", summary="short"), {"a": 1}, 5)
    assert {why: tally.count for why, tally in loaded.report.skipped.items()} == {
        "a ConversationStateUpdateEvent, no message": 2,
        "a PauseEvent, no message": 1,
        "a condensation, whose history is kept and whose summary is metadata": 1,
        "an event without a kind": 1,
        "a number": 1,
    }
    assert loaded[0].metadata["condensations"] == ["short"]


def test_a_file_per_event_in_an_archive_is_one_conversation():
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as archive:
        for number, each in enumerate((said("hi"), action(1), seen("x", tool_call_id="c1"))):
            archive.writestr(f"events/event-{number:05}-a.json", json.dumps(each))
        archive.writestr("base_state.json", "{}")
    (conversation,) = load(data.getvalue(), name="session.zip")
    assert [m.role for m in conversation] == ["user", "assistant", "tool"]


def test_an_event_given_twice_is_read_once_but_not_one_said_twice():
    loaded = read(said("yes", id="1"), said("yes", id="1"), said("yes", id="2"), said("yes"))
    assert ([m.content for m in loaded[0]], loaded.report.skips) == (["yes"] * 3, 1)


def test_model_and_usage_come_from_the_statistics():
    usage = {"model": "anthropic/m", "prompt_tokens": 9, "completion_tokens": 2, "cache_read_tokens": 4}
    usages = {"usage_to_metrics": {"agent": {"token_usages": [usage | {"response_id": "r"}]}}}
    stats = event("ConversationStateUpdateEvent", key="stats", value=usages)
    (conversation,) = read(said("hi"), said("yes", "assistant", llm_response_id="r"), stats)
    assert conversation.recorded.model == "m"
    assert [(u.input, u.cache_reads, u.output) for u in conversation.recorded.usage] == [(5, 4, 2)]


def test_a_call_whose_function_is_no_object_is_named():
    call = {"id": "c1", "type": "function", "function": [{"name": "f", "arguments": "{}"}]}
    loaded = read(said("hi"), action(1, tool_call=call))
    assert list(loaded.report.warnings) == ["a function that is a list, not an object"]
