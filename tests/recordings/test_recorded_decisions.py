"""The decisions of a recording are drawn from its lines: letters, reasons with numbers, shorter texts, summaries."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from recorded_app import MODELS, RecordedApp
from recorded_chats import Chat

from historylab import Settings, Trimmer, load
from historylab.planning.pipeline import Pipeline
from historylab.recordings.exchange import plan_fields
from historylab.recordings.recorder import Recorder
from historylab.recordings.sent_plans import decided_otherwise, sent_plans
from historylab.stores.memory import InMemoryStore

COUNTED = {"counter": "chars/4"}
UNDER = {
    "fifo": Settings(policy="all", pruner="fifo", budget=160, **COUNTED),
    "summarize": Settings(policy="all", pruner="summarize", budget=220, **COUNTED),
    "truncate": Settings(
        policy="all",
        tool_output="truncate+collapse",
        options={"tool_output.truncate.limit": 20, "tool_output.collapse.turns": 1},
        budget=400,
        **COUNTED,
    ),
    "pins": Settings(policy="lastN", length=2, pin="/question/|pier", **COUNTED),
    "tagged": Settings(policy="lastN", length=3, layout="tagged_prompt", **COUNTED),
    "tools as text": Settings(policy="lastN", length=3, projection="collapsed_tools", **COUNTED),
}


def recorded(steps, under: Settings, api: str = "chat_completions"):
    """The app after these steps, and its recording's lines."""
    store = InMemoryStore()
    with pytest.MonkeyPatch.context() as patched:
        app = RecordedApp(store, api, under, patched)
        for step, words in steps:
            getattr(app, step)(*([] if step == "restart" else [words]))
        app.close()
    return app, [json.loads(record.text) for record in store.read_records()]


def opened(lines):
    (conversation,) = load("".join(json.dumps(line) + "\n" for line in lines).encode(), name="app.jsonl")
    return conversation


def decided(plan):
    """What a plan says: what is sent, how much of it, and why."""
    sent = [message.content for message in plan.render()]
    return plan.sketch(), plan.tokens, plan.budget, [plan.reason(i).sentence for i in range(plan.size)], sent


TALK = [("ask", 20), ("use_tool", 30), ("ask", 5), ("use_tool", 12), ("ask", 40), ("use_tool", 31)]


@pytest.mark.parametrize("api", MODELS)
@pytest.mark.parametrize("under", UNDER.values(), ids=UNDER)
def test_every_request_is_drawn_as_it_was_decided_and_no_stage_is_asked(api, under, monkeypatch):
    app, lines = recorded(TALK, under, api)
    conversation = opened(lines)
    assert decided_otherwise(conversation) == ()
    with monkeypatch.context() as patched:
        patched.setattr(Pipeline, "plan", lambda *_: pytest.fail("a request is planned again"))
        found = sent_plans(conversation)
        assert [decided(plan) for plan in found.timeline.plans] == [decided(plan) for plan in app.plans]


@settings(max_examples=30)
@given(
    steps=st.lists(
        st.tuples(st.sampled_from(["ask", "use_tool", "edit", "fail", "regenerate", "restart"]), st.integers(0, 30)),
        min_size=1,
        max_size=12,
    ),
    first=st.sampled_from(list(UNDER)),
)
def test_whatever_an_app_does_the_newest_request_is_drawn_as_it_was_decided(steps, first):
    app, lines = recorded([*steps, ("ask", 3)], UNDER[first])
    (conversation,) = [opened(lines)]
    plan, drawn = app.plans[-1], sent_plans(conversation).timeline.plans[-1]
    assert decided(drawn) == decided(plan)


def test_a_text_that_was_new_with_an_answer_is_said_again_with_the_one_in_its_place():
    steps = [("use_tool", 30), ("regenerate", 6), ("ask", 7)]
    app, lines = recorded(steps, UNDER["truncate"])
    *_, newest = sent_plans(opened(lines)).timeline.plans
    assert "T" in newest.sketch()
    assert decided(newest) == decided(app.plans[-1])


def test_a_line_without_reasons_is_planned_again():
    _, lines = recorded(TALK, UNDER["truncate"])
    whole = sent_plans(opened(lines)).timeline
    for line in lines:
        for name in ("reasons", "runs", "shortened", "summary"):
            line["plan"].pop(name, None)
    again = sent_plans(opened(lines)).timeline
    assert [decided(plan) for plan in again.plans] == [decided(plan) for plan in whole.plans]
    assert again.decided_by == "" != whole.decided_by


def test_only_the_lines_without_reasons_are_planned_again(monkeypatch):
    _, lines = recorded([("ask", 20)] * 8, UNDER["fifo"])
    whole = [decided(plan) for plan in sent_plans(opened(lines)).timeline.plans]
    del lines[3]["plan"]["reasons"]
    planned, plan = [], Pipeline.plan
    seen = lambda self, history, *more: planned.append(history.size) or plan(self, history, *more)  # noqa: E731
    monkeypatch.setattr(Pipeline, "plan", seen)
    again = sent_plans(opened(lines)).timeline
    assert [decided(plan) for plan in again.plans] == whole
    assert planned == [again.plans[3].size]


NONSENSE = [
    {"decisions": "K1"},
    {"decisions": "D999999999"},
    {"decisions": "X3K2"},
    {"decisions": ""},
    {"reasons": []},
    {"reasons": [["D"], "no", 7, None]},
    {"reasons": [["D", "last_n", {"n": "many"}], ["K", "from_the_future", {"keep": 3}]]},
    {"reasons": [["D", "last_n", {}]], "runs": [0, 2, 9, 9, -4, "x", 1, 1e9]},
    {"runs": "none"},
    {"shortened": {"1": [999, "", 999], "-1": [0, "", 0], "99": [0, "", 0], "x": [0, "", 0], "2": ["a", 1, None]}},
    {"shortened": []},
    {"summary": {"text": 7, "tokens": "many", "kept": []}},
    {"summary": "all"},
    {"tokens": -1, "budget": None},
    {"decisions": "D2K9", "reasons": [["D", "replaced", {}], ["K", "fits", {}]]},
    {"reasons": [["K", "fits", json.loads("[" * 90 + "]" * 90)], [["K"], {"rule": 1}, 7]]},
    {"reasons": [["D", "budget", {"tokens": json.loads('{"a":' * 90 + "1" + "}" * 90), "budget": "x"}]]},
    {"tokens": True, "budget": 10**30},
]


@pytest.mark.parametrize("nonsense", NONSENSE, ids=str)
def test_a_damaged_line_is_shown_as_recorded(nonsense):
    _, lines = recorded(TALK, UNDER["truncate"])
    lines[-2]["plan"] |= nonsense
    timeline = sent_plans(opened(lines)).timeline
    for plan in timeline.plans:
        assert len(plan.sketch()) == plan.size
        assert all(plan.reason(i).sentence for i in range(plan.size))
        plan.render()
    assert [step.changed for step in timeline.steps]
    assert timeline.explain(-1, 0).explanation.sentence
    assert timeline.tokens_by_kind and len(timeline.actions())


def test_no_part_of_a_key_that_a_cut_left_over_is_on_record():
    key = "sk-proj-" + "a1B2c3D4" * 6
    store, settings = InMemoryStore(), UNDER["truncate"]
    trimmer, recorder = Trimmer(settings), Recorder(store, keep_days=None)
    called = {"id": "c", "type": "function", "function": {"name": "f", "arguments": "{}"}}
    messages = [
        {"role": "user", "content": "Look it up."},
        {"role": "assistant", "content": "", "tool_calls": [called]},
        {
            "role": "tool",
            "tool_call_id": "c",
            "content": f"The key of the service is now this: {key}. {'Ferry. ' * 90}",
        },
    ]
    decision = trimmer.decide({"model": "gpt-5.5", "messages": messages})
    assert key[:20] in decision.sent["messages"][2]["content"]  # cut within the key
    made = Chat(messages=messages).exchange(live_plan=decision.plan, plan=plan_fields(decision.plan))
    assert recorder.record(replace(made, chat=decision.chat), 30)
    recorder.close()
    (record,) = store.read_records()
    assert key[:12] not in record.text
    assert json.loads(record.text)["plan"]["shortened"] == {"2": [36, "[redacted]", 0]}


def test_a_cut_text_that_is_not_on_record_leaves_the_call_of_its_result_alone():
    _, lines = recorded([("use_tool", 30)], UNDER["truncate"])
    del lines[-1]["plan"]["shortened"]
    assert sent_plans(opened(lines)).timeline.plans[-1].sketch() == "PKKT"


def test_a_reason_that_is_not_known_is_said_as_it_was_recorded():
    _, lines = recorded([("ask", 3), ("ask", 3)], UNDER["fifo"])
    lines[-1]["plan"] |= {"decisions": "K4", "reasons": [["K", "from_the_future", {"keep": 3}]]}
    plan = sent_plans(opened(lines)).timeline.plans[-1]
    assert plan.reason(1).sentence == "On record as from the future (keep 3)."


def test_a_line_that_parts_a_call_from_its_result_is_shown_so():
    _, lines = recorded([("use_tool", 4), ("ask", 3)], UNDER["fifo"])
    size = sum(
        count for count in map(int, "".join(c if c.isdigit() else " " for c in lines[-1]["plan"]["decisions"]).split())
    )
    lines[-1]["plan"] |= {"decisions": f"K2D1K{size - 3}", "reasons": [["K", "fits", {}], ["D", "fifo", {}]]}
    timeline = sent_plans(opened(lines)).timeline
    assert timeline.plans[-1].sketch() == "KKD" + "K" * (size - 3)
