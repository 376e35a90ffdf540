"""toolpack's preset: its stages decide as the assembler does."""

from __future__ import annotations

from dataclasses import replace

import pytest
from agent_rooms import long_room, store_of, summarizer
from sketches import load_sample
from stored_messages import fill, posted

from historylab.conversation.conversation import Conversation
from historylab.counters.toolpack import ToolpackCounter
from historylab.formats.frameworks.toolpack import read_stored_message
from historylab.planning.pipeline import plan_history
from historylab.planning.replay import replay
from historylab.systems.presets.base import presets
from historylab.systems.toolpack import (
    PRESET,
    AssemblerOptions,
    InMemoryConversationStore,
    StoredMessage,
    assemble_prompt,
)


@pytest.mark.feature("T16", "T19")
@pytest.mark.parametrize("agent", ["skipper", "purser"])
@pytest.mark.parametrize("budget", [3000, 400, 60])
@pytest.mark.parametrize("loaded", [100, 20])
def test_the_preset_sends_what_the_assembler_sends(agent, budget, loaded):
    (conversation, *_) = load_sample("ferry-desk")
    store = fill(InMemoryConversationStore(), *(StoredMessage.from_dict(m.source) for m in conversation))
    options = AssemblerOptions(token_budget=budget, max_turns_to_load=loaded, agent_aliases=["U0PURSER"])
    assembled = assemble_prompt(store, conversation.metadata["conversationId"], agent, agent, options)
    settings = PRESET.replace(
        budget=budget,
        **{
            "projection.point_of_view.agent": agent,
            "filter.newest.messages": loaded,
            "filter.addressed_only.aliases": "U0PURSER",
        },
    )
    plan = plan_history(conversation, settings)
    assert [{"role": m.role, "content": m.content} for m in plan.render()] == assembled.messages
    assert plan.tokens == assembled.estimated_tokens


@pytest.mark.feature("T18")
def test_the_preset_folds_the_turns_the_assembler_summarises():
    store, calls = long_room(41), []
    settings, messages = PRESET.replace(**{"projection.point_of_view.agent": "kael"}), store.get("room")
    assemble_prompt(store, "room", "kael", "kael", None, summarizer(calls=calls))
    told = [replace(m, content="x" * 40 + m.content) for m in messages]  # long enough that a summary is shorter
    plan = plan_history(Conversation(read_stored_message(m.to_dict()) for m in told), settings)
    assert plan.sketch() == "S" * len(calls[0][0]) + "K" * 21


@pytest.mark.feature("T18")
@pytest.mark.parametrize("agent", ["skipper", "purser"])
@pytest.mark.parametrize("threshold", [1, 5, 20, 40])
def test_the_variant_without_summaries_sends_what_run_does(agent, threshold):
    (conversation, *_) = load_sample("ferry-desk")
    store = fill(InMemoryConversationStore(), *(StoredMessage.from_dict(m.source) for m in conversation))
    options = AssemblerOptions(rolling_summary_threshold=threshold, agent_aliases=["U0PURSER"])
    assembled = assemble_prompt(store, conversation.metadata["conversationId"], agent, agent, options)
    chosen = {"projection.point_of_view.agent": agent, "filter.addressed_only.aliases": "U0PURSER"}
    variant = presets()["toolpack"].variants["As run() does it: no summary"]
    plan = plan_history(conversation, variant.replace(**chosen, **{"compaction.rolling.messages": threshold}))
    assert [{"role": m.role, "content": m.content} for m in plan.render()] == assembled.messages
    assert "S" not in plan.sketch()


@pytest.mark.feature("T18")
def test_what_is_left_out_without_a_summary_names_the_setting_that_would_bring_it_back():
    variant = presets()["toolpack"].variants["As run() does it: no summary"]
    messages = [read_stored_message(m.to_dict()) for m in long_room(6).get("room")]
    settings = variant.replace(**{"projection.point_of_view.agent": "kael", "compaction.rolling.messages": 4})
    plan = replay(Conversation(messages[:5]), settings).plans[-1]
    assert plan.sketch() == "DKKKK"
    assert plan.reason(0).setting == "compaction.rolling.messages"


@pytest.mark.feature("T18", "T19")
@pytest.mark.parametrize(("turns", "budget", "sketch"), [(42, 3000, "S" * 21 + "K" * 21), (10, 60, "D" * 8 + "K" * 2)])
def test_to_the_preset_the_newest_question_is_a_turn_like_any_other(turns, budget, sketch):
    lines = ["09:00 alice: please", *(f"09:{k:02} (kael): {'word ' * 20}{k}" for k in range(1, turns))]
    conversation = Conversation(read_stored_message(m.to_dict()) for m in store_of(*lines).get("room"))
    settings = PRESET.replace(budget=budget, **{"projection.point_of_view.agent": "kael"})
    assert plan_history(conversation, settings).sketch() == sketch


@pytest.mark.feature("T16")
def test_the_preset_always_sends_the_instructions_of_an_ordinary_transcript():
    (conversation,) = load_sample("bike-rental-support")
    timeline = replay(conversation, PRESET)
    assert all(step.plan.sketch()[0] == "P" for step in timeline.steps)


def test_the_preset_counts_in_toolpacks_way():
    assert PRESET.counter == "toolpack"
    assert ToolpackCounter().count([read_stored_message(posted("09:00 a: abcde").to_dict())]).tolist() == [2]
