"""One badge for every count: how it was made, whether it is exact, and for which model."""

from __future__ import annotations

import re

import pytest
from sketches import conv

from historylab import Settings, replay
from historylab.conversation.conversation import Conversation
from historylab.conversation.message import Message
from historylab.costs.proposal import settings_for
from historylab.counters.badge import count_badge
from historylab.counters.base import counter_for, open_counter
from historylab.exporters.base import heading
from historylab.formats.samples import load_sample, samples
from historylab.registry import members
from historylab.reports.report import report
from historylab.reports.shown import Shown
from historylab.wording.context import counted_by
from historylab.wording.findings import token_finding
from historylab.wording.system_line import system_line

OURS = open_counter("exact", "gpt-5.5")


def recorded_with(*models: str, **more) -> Conversation:
    said = [Message("assistant", "hello", metadata={"model": name}) for name in models]
    return Conversation([Message("user", "hi", **more), *said])


@pytest.mark.parametrize(
    ("conversation", "badge"),
    [
        (conv("u a u"), "o200k_base, exact for gpt-5.5"),
        (recorded_with("gpt-4o", "gpt-5.5"), "o200k_base, exact for gpt-5.5"),
        (recorded_with("gpt-4"), "o200k_base, an estimate: recorded with gpt-4"),
        (recorded_with("claude-opus-4-5"), "o200k_base, an estimate: recorded with claude-opus-4-5"),
        (Conversation([], "", {"model": "gemini-3-pro"}), "o200k_base, an estimate: recorded with gemini-3-pro"),
        (
            Conversation([], "", {"provider": "anthropic"}),
            "o200k_base, an estimate: recorded with a model of anthropic",
        ),
        (Conversation([], "", {"provider": "azure_openai"}), "o200k_base, exact for gpt-5.5"),
        (recorded_with("<synthetic>"), "o200k_base, exact for gpt-5.5"),
        (recorded_with(media=("image",)), "o200k_base, exact for gpt-5.5 but for images and other media"),
        (
            recorded_with(metadata={"item_references": ["rs_1"]}),
            "o200k_base, exact for gpt-5.5 but for items that only the provider has, counted as nothing",
        ),
    ],
)
def test_exact_is_for_a_model_and_not_for_a_transcript_of_another(conversation, badge):
    assert count_badge(OURS, "gpt-5.5", [conversation]) == badge


def test_many_conversations_are_as_exact_as_the_least_exact():
    together = [conv("u a u"), recorded_with("claude-opus-4-5")]
    assert count_badge(OURS, "gpt-5.5", together).endswith("an estimate: recorded with claude-opus-4-5")


def test_every_other_counter_and_every_other_model_is_an_estimate():
    for name in members("counter"):
        for model in ("gpt-5.5", "claude-opus-4-5"):
            counter = open_counter(name, model)
            assert count_badge(counter, model).endswith("exact for gpt-5.5" if counter.exact else "an estimate")
    assert count_badge(open_counter("exact", "claude-opus-4-5"), "claude-opus-4-5") == (
        "o200k_base in place of claude-opus-4-5's own tokenizer, an estimate"
    )


@pytest.mark.parametrize("name", samples())
def test_all_that_is_said_of_one_timeline_carries_one_badge(name):
    for conversation in load_sample(name):
        timeline = replay(conversation, Settings())
        badge = count_badge(OURS, "gpt-5.5", [conversation])
        said = [token_finding(timeline), system_line("Ours", "", timeline, 9)]
        said.append(re.sub(r"<style>.*?</style>", "", report([Shown(timeline)], len(timeline.plans) - 1)))
        for text in said:
            assert set(re.findall(r"o200k_base, [^.)<]*", text.replace("gpt-5.5", "gpt-5~5"))) == {
                badge.replace("gpt-5.5", "gpt-5~5")
            }


def test_an_export_says_for_which_model_it_is_exact():
    assert "Tokens by o200k_base, exact for gpt-5.5." in heading(Settings(), "dotenv")
    assert "Tokens by characters, not tokens, an estimate." in heading(Settings(counter="characters"), "dotenv")


def in_session(overhead: int, factor: float, model: str = "claude-opus-4-5") -> Conversation:
    """Eight requests whose provider counts so."""
    messages, counter = [], OURS
    for i in range(8):
        messages.append(Message("user", f"question {i} " * (5 * i + 3)))
        context = overhead + round(factor * (int(counter.count(messages).sum()) + counter.per_request))
        usage = {"input": context, "output": 10}
        messages.append(Message("assistant", f"answer {i}", metadata={"model": model, "usage": usage}))
    return Conversation(messages)


def test_counts_under_the_settings_measured_on_a_conversation_are_calibrated():
    session = in_session(5000, 1.3)
    settings = settings_for(session)
    assert (settings.overhead, settings.counter_factor) == (pytest.approx(5000, abs=5), pytest.approx(1.3, abs=0.01))
    said = counted_by(replay(session, settings))
    assert said.startswith(f"{settings.counter_factor} × o200k_base in place of claude-opus-4-5's own tokenizer, ")
    assert said.endswith("calibrated from 8 requests, ±1%")


@pytest.mark.parametrize("changed", [{"overhead": 4000}, {"counter_factor": 1.5}, {"counter": "chars/4"}])
def test_counts_under_any_others_are_an_estimate(changed):
    session = in_session(5000, 1.3)
    assert counted_by(replay(session, settings_for(session).replace(**changed))).endswith("an estimate")


def test_what_one_conversation_measured_says_nothing_of_another():
    settings = settings_for(in_session(5000, 1.3))
    counter = counter_for(settings)
    for others in ([conv("u a u")], [in_session(5000, 1.3), in_session(6000, 1.3)], []):
        assert count_badge(counter, settings.model, others, settings.overhead).endswith("an estimate")
