"""OpenHands events: actions and observations joined, condensations, noise, usage from the statistics."""

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


def test_a_part_without_a_type_is_its_text_and_an_image_is_a_medium():
    content = [{"text": "hi"}, {"type": "image", "image_urls": ["data:image/png;base64,"]}, {"type": "hologram"}]
    loaded = read(event("MessageEvent", llm_message={"role": "user", "content": content}))
    assert [(m.content, m.media) for m in loaded[0]] == [("hi", ("image",))]
    assert list(loaded.report.warnings) == ["a part of type 'hologram' not read"]


def test_noise_is_skipped_by_kind():
    noise = event("ConversationStateUpdateEvent", key="k", value="v")
    loaded = read(said("hi"), noise, noise, event("PauseEvent"), {"a": 1}, 5)
    assert {why: tally.count for why, tally in loaded.report.skipped.items()} == {
        "a ConversationStateUpdateEvent, no message": 2,
        "a PauseEvent, no message": 1,
        "an event without a kind": 1,
        "a number": 1,
    }


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


def condensed(*forgotten: object, **fields: object) -> dict:
    return event("Condensation", forgotten_event_ids=list(forgotten), **fields)


def turn(number: int) -> list[dict]:
    return [said(f"ask {number}", id=f"q{number}"), said(f"answer {number}", "assistant", id=f"a{number}")]


def sent(conversation, request: int = -1) -> list[str]:
    return [m.content for m in as_sent(conversation).plans[request].render()]


def test_from_a_condensation_on_its_summary_is_sent_in_place_of_what_is_forgotten():
    cut = condensed("a1", "q2", "a2", summary="In short.", summary_offset=1, id="k")
    (conversation,) = loaded = read(*turn(1), *turn(2), cut, *turn(3))
    assert [m.content for m in conversation][:4] == ["ask 1", "answer 1", "ask 2", "answer 2"]
    assert [sent(conversation, k) for k in (1, 2)] == [
        ["ask 1", "answer 1", "ask 2"],
        ["ask 1", "In short.", "ask 3"],
    ]
    assert [(c.request, c.dropped, c.by) for c in conversation.recorded.compactions] == [(2, (1, 2, 3), "OpenHands")]
    assert as_sent(conversation).plans[2].sketch() == "KSSSK"
    assert (loaded.report.skips, list(loaded.report.kept)) == (0, ["compactions"])


def test_the_next_summary_takes_the_place_of_the_one_before():
    first = condensed("a1", summary="Short 1.", summary_offset=1, id="k1")
    second = condensed("k1-summary", "q2", "a2", summary="Short 2.", summary_offset=1, id="k2")
    (conversation,) = read(*turn(1), first, *turn(2), second, *turn(3))
    assert [sent(conversation, k) for k in (1, 2)] == [["ask 1", "Short 1.", "ask 2"], ["ask 1", "Short 2.", "ask 3"]]


def test_actions_of_one_response_count_each_and_go_together():
    events = [said("hi", id="q"), action(1, "r"), action(2, "r"), seen("x", tool_call_id="c1", id="o1"), *turn(3)]
    summary = {"summary": "In short.", "summary_offset": 3}
    (some,) = read(*events, condensed("e1", "o1", **summary), *turn(4))
    assert sent(some) == ["hi", "so\nso", "ask 3", "In short.", "answer 3", "ask 4"]
    (both,) = read(*events, condensed("e1", "e2", "o1", **summary), *turn(4))
    assert sent(both) == ["hi", "ask 3", "answer 3", "In short.", "ask 4"]


def test_without_a_place_a_summary_is_not_sent_and_who_asked_is_the_trigger():
    asked = event("CondensationRequest", reason="context_limit")
    (conversation,) = read(*turn(1), asked, condensed("q1", summary="In short."), *turn(2))
    assert sent(conversation) == ["answer 1", "ask 2"]
    assert [c.trigger for c in conversation.recorded.compactions] == ["context_limit"]


ODD = st.one_of(
    st.none(), st.integers(-2, 9), st.text(max_size=2), st.lists(st.sampled_from(["q1", "a1", "k", 5, None]))
)


@tried(deadline=None, max_examples=80)
@given(st.lists(st.one_of(st.just(None), st.tuples(ODD, ODD, ODD)), max_size=5))
def test_whatever_condensations_say_every_history_fits(steps):
    events = turn(1)
    for number, step in enumerate(steps, 2):
        names = ("forgotten_event_ids", "summary", "summary_offset")
        events += turn(number) if step is None else [event("Condensation", **dict(zip(names, step, strict=True)))]
    (conversation,) = read(*events)
    assert len(sent_histories(conversation) or ()) == len(conversation.metadata.get(SENT_HISTORIES, ()))
