"""Whatever an app does, its recording has it: the same messages, tools, usage and decisions come back."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from recorded_app import MODELS, TOOL, RecordedApp, gist_of

from historylab import Settings, load, replay
from historylab.conversation.usage import usage_of
from historylab.recordings.sent_plans import sent_plans
from historylab.stores.memory import InMemoryStore

COUNTED = {"counter": "chars/4"}
UNDER = [
    Settings(policy="all", pruner="summarize", budget=220, **COUNTED),
    Settings(policy="all", pruner="fifo", budget=160, **COUNTED),
    Settings(policy="lastN", length=4, **COUNTED),
    Settings(policy="all", filter="time_window", options={"filter.time_window.minutes": 2}, **COUNTED),
    Settings(policy="all", compaction="rolling", pruner="fifo", budget=300, **COUNTED),
    Settings(policy="all", tool_output="collapse", pruner="relevance", budget=200, **COUNTED),
]
STEPS = ["ask", "ask", "use_tool", "edit", "fail", "restart", "switch", "settings", "prompt"]
steps = st.lists(st.tuples(st.sampled_from(STEPS), st.integers(0, 30)), min_size=1, max_size=14)


def done(app: RecordedApp, step: str, words: int) -> None:
    match step:
        case "restart" | "switch":
            getattr(app, step)()
        case "settings":
            app.restart(UNDER[words % len(UNDER)])
        case "prompt":
            app.system = f"You look after the ferries of pier {words % 10}."
        case _:
            getattr(app, step)(words)


@pytest.mark.parametrize("api", MODELS)
@settings(max_examples=40)
@given(steps=steps, first=st.integers(0, len(UNDER) - 1), respells=st.booleans())
def test_what_was_recorded_comes_back_with_the_same_decisions(api, steps, first, respells):
    store = InMemoryStore()
    with pytest.MonkeyPatch.context() as patched:
        app = RecordedApp(store, api, UNDER[first], patched, respells=respells)
        for step, words in steps:
            done(app, step, words)
        app.ask(3)
        app.close()
    lines = "".join(f"{record.text}\n" for record in store.read_records())
    loaded = load(lines.encode(), name="app.jsonl")
    assert not loaded.report.skipped
    (conversation,) = loaded
    assert len(store.recorded_conversations()) == 1
    assert [gist_of(message) for message in conversation][1:] == app.messages()[1:]  # of prompts the first is read
    assert conversation.recorded.tools.count == 1
    assert TOOL in str(conversation.recorded.tools.definitions)
    assert conversation.recorded.model == MODELS[api]
    for message in conversation:
        if message.role == "assistant":
            assert usage_of(message).input == app.usage[message.content]
    found = sent_plans(conversation)
    assert (found.otherwise, found.unrecorded) == ((), ())


@pytest.mark.parametrize("api", MODELS)
def test_what_the_client_sent_comes_back_though_it_writes_arguments_in_its_own_way(api, monkeypatch):
    store = InMemoryStore()
    app = RecordedApp(store, api, UNDER[1], monkeypatch, respells=True)
    for turn in range(12):
        app.use_tool(turn)
    app.close()
    (conversation,) = load("".join(f"{record.text}\n" for record in store.read_records()).encode(), name="app.jsonl")
    assert [gist_of(message) for message in conversation] == app.messages()
    replayed = replay(conversation, UNDER[1])
    assert [step.plan.tokens for step in replayed.steps] == [plan.tokens for plan in app.plans]
    assert [step.plan.sketch() for step in replayed.steps] == [plan.sketch() for plan in app.plans]
