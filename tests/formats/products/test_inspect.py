"""Inspect logs: epochs, calls with an object of arguments, usage and times of events, attachments, `.eval` archives."""

from __future__ import annotations

import io
import json
import zipfile

import pytest
from hypothesis import given
from hypothesis import settings as tried
from hypothesis import strategies as st

from historylab import as_sent, load
from historylab.conversation.message import ToolCall
from historylab.conversation.sent import SENT_HISTORIES, sent_histories

ASK = {"id": "m1", "role": "user", "content": "hi", "source": "input"}
YES = {"id": "m2", "role": "assistant", "content": "yes", "source": "generate", "model": "m-1"}


def sample(*messages: dict, **more: object) -> dict:
    return {"id": "s", "epoch": 1, "input": "hi", "target": "", "messages": list(messages), **more}


def read(*samples: dict, **evaluation: object):
    return load(json.dumps({"eval": {"task": "t", **evaluation}, "samples": samples}).encode())


def answer(usage: dict, **more: object) -> dict:
    output = {"choices": [{"message": {"id": "m2"}}], "usage": usage}
    return {"event": "model", "timestamp": "2026-01-01T00:00:00Z", "output": output, **more}


def test_every_epoch_of_a_sample_is_a_conversation():
    loaded = read(sample(ASK), sample(ASK, epoch=2), model="openai/m", config={"epochs": 2})
    assert [c.title for c in loaded] == ["t, sample s, epoch 1", "t, sample s, epoch 2"]
    assert (loaded[0].recorded.model, loaded[0].recorded.provider) == ("m", "openai")


def test_a_call_has_its_function_as_text_and_an_object_of_arguments():
    call = {"id": "c", "function": "f", "arguments": {"a": 1}, "type": "function"}
    result = {"role": "tool", "function": "f", "tool_call_id": "c", "content": "1"}
    (conversation,) = read(sample(ASK, YES | {"tool_calls": [call]}, result))
    assert conversation[1].tool_calls == (ToolCall("c", "f", '{"a": 1}'),)
    assert conversation.columns.clean


def test_the_error_of_a_tool_is_its_result():
    error = {"type": "timeout", "message": "no answer"}
    (conversation,) = read(sample(ASK, {"role": "tool", "tool_call_id": "c", "content": "", "error": error}))
    assert (conversation[1].content, conversation[1].metadata["is_error"]) == ("no answer", True)


@pytest.mark.parametrize(("total", "taken"), [(12, 6), (16, 10)], ids=["within", "beside"])
def test_cache_reads_are_within_the_input_if_the_total_adds_up_so(total, taken):
    usage = {"input_tokens": 10, "output_tokens": 2, "total_tokens": total, "input_tokens_cache_read": 4}
    (conversation,) = read(sample(ASK, YES, events=[answer(usage, completed="2026-01-01T00:00:05Z")]))
    assert [(u.input, u.cache_reads, u.output) for u in conversation.recorded.usage] == [(taken, 4, 2)]
    assert conversation[1].timestamp == "2026-01-01T00:00:05Z"


def test_tools_and_parameters_are_those_of_the_model_that_answered():
    grader = answer({}, tools=[{"name": "no"}]) | {"output": {"choices": [{"message": {"id": "other"}}]}}
    events = [answer({}, tools=[{"name": "f"}], config={"temperature": 0, "top_p": None}), grader]
    recorded = read(sample(ASK, YES, events=events))[0].recorded
    assert (recorded.tools.definitions, recorded.parameters) == (({"name": "f"},), {"temperature": 0})


def test_reasoning_is_kept_beside_and_attachments_are_put_in():
    content = [{"type": "reasoning", "reasoning": "hm"}, {"type": "text", "text": "attachment://x"}]
    (conversation,) = read(sample(ASK, YES | {"content": content}, attachments={"x": "long"}))
    assert (conversation[1].content, conversation[1].metadata["thinking"]) == ("long", "hm")


def test_an_eval_archive_has_a_header_and_a_file_per_sample():
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as archive:
        for number in (1, 2):
            archive.writestr(f"samples/s_epoch_{number}.json", json.dumps(sample(ASK, YES, epoch=number)))
        archive.writestr("summaries.json", "[]")
        archive.writestr("header.json", json.dumps({"eval": {"task": "t", "model": "openai/m"}}))
    loaded = load(data.getvalue(), name="run.eval")
    assert (loaded.report.member, loaded.report.skips, [len(c) for c in loaded]) == ("inspect", 0, [2, 2])
    assert all("t, sample s" in c.title for c in loaded)


def test_what_cannot_be_read_of_a_sample_is_named():
    report = read(sample(ASK, 5, {"role": "user"}), {"id": 2}, "x").report  # type: ignore[arg-type]
    assert list(report.skipped) == [
        "a number, not an object",
        "a sample that is an object, or without messages",
        "a sample that is text, or without messages",
    ]


@pytest.mark.parametrize(
    ("content", "kept"), [("half of it", {"is_error": True, "error": "late"}), ("", {"is_error": True})]
)
def test_what_an_error_says_is_kept_beside_the_content_or_is_the_content(content, kept):
    result = {"role": "tool", "tool_call_id": "c", "content": content, "error": {"type": "timeout", "message": "late"}}
    found = read(sample(ASK, result))[0][1]
    assert (found.content, dict(found.metadata)) == (content or "late", kept)


def turn(number: int) -> list[dict]:
    asked = {"id": f"q{number}", "role": "user", "content": f"ask {number}"}
    return [asked, {"id": f"a{number}", "role": "assistant", "content": f"answer {number}"}]


def model(number: int, *given: dict) -> dict:
    output = {"choices": [{"message": {"id": f"a{number}"}}], "usage": {"input_tokens": 100 * number}}
    return {"event": "model", "input": list(given), "output": output}


def compaction(**told: object) -> dict:
    return {"event": "compaction", "type": "summary", "tokens_before": 9_000, "tokens_after": 80, **told}


SUMMARY = {"id": "s", "role": "user", "content": "In short.", "metadata": {"summary": True}}


def sent(conversation, request: int = -1) -> list[str]:
    return [m.content for m in as_sent(conversation).plans[request].render()]


def test_what_a_model_event_was_given_is_what_was_sent():
    one, two, three = turn(1), turn(2), turn(3)
    events = [
        *(model(1, one[0]), model(2, *one, two[0]), compaction(metadata={"trigger": "threshold"})),
        *(model(9, SUMMARY), model(3, SUMMARY, two[0], two[1], three[0])),
    ]
    (conversation,) = read(sample(*one, *two, *three, events=events))
    assert [sent(conversation, k) for k in (1, 2)] == [
        ["ask 1", "answer 1", "ask 2"],
        ["In short.", "ask 2", "answer 2", "ask 3"],
    ]
    (cut,) = conversation.recorded.compactions
    assert (cut.request, cut.trigger, cut.tokens_before, cut.tokens_after, cut.told_after) == (
        2, "threshold", 9_000, 300, 80,
    )  # fmt: skip
    assert (cut.dropped, cut.by) == ((0, 1), "Inspect")


def test_a_result_that_is_edited_was_sent_otherwise():
    result = {"id": "r", "role": "tool", "tool_call_id": "c", "content": "long"}
    said = [*turn(1), result, *turn(2)]
    (conversation,) = read(sample(*said, events=[model(2, *turn(1), result | {"content": "(cleared)"}, turn(2)[0])]))
    assert sent(conversation) == ["ask 1", "answer 1", "(cleared)", "ask 2"]


def test_where_all_was_sent_nothing_is_said():
    said = [*turn(1), *turn(2)]
    (conversation,) = read(sample(*said, events=[model(1, *said[:1]), compaction(), model(2, *said[:3])]))
    assert "sent_histories" not in conversation.metadata


GIVEN = st.lists(st.sampled_from([*turn(1), *turn(2), SUMMARY, 5, None, {}, {"role": "user"}]), max_size=5)
EVENTS = st.one_of(
    st.builds(lambda n, given: model(n, *given), st.integers(0, 3), GIVEN),
    st.sampled_from([compaction(), compaction(metadata=5, tokens_before="x", type=[]), {"event": "compaction"}, 5]),
)


@tried(deadline=None, max_examples=80)
@given(st.lists(EVENTS, max_size=6))
def test_whatever_events_say_every_history_fits(events):
    (conversation,) = read(sample(*turn(1), *turn(2), *turn(3), events=events))
    assert len(sent_histories(conversation) or ()) == len(conversation.metadata.get(SENT_HISTORIES, ()))
