"""One badge for every count: how it was made, whether it is exact, and for which model."""

from __future__ import annotations

import re

import pytest
from sketches import conv

from historylab import Settings, replay
from historylab.conversation.conversation import Conversation
from historylab.conversation.message import Message
from historylab.counters.base import count_badge, open_counter
from historylab.exporters.base import heading
from historylab.formats.samples import load_sample, samples
from historylab.registry import members
from historylab.reports.report import report
from historylab.wording.findings import token_finding
from historylab.wording.system_line import system_line
from historylab.wording.verdict import verdict

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
        (recorded_with("<synthetic>"), "o200k_base, exact for gpt-5.5"),
        (recorded_with(media=("image",)), "o200k_base, exact for gpt-5.5 but for images and other media"),
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
        said = [verdict(timeline, 0).cost, token_finding(timeline), system_line("Ours", "", timeline, 9)]
        said.append(re.sub(r"<style>.*?</style>", "", report(timeline, len(timeline.plans) - 1)))
        for text in said:
            assert set(re.findall(r"o200k_base, [^.)<]*", text.replace("gpt-5.5", "gpt-5~5"))) == {
                badge.replace("gpt-5.5", "gpt-5~5")
            }


def test_an_export_says_for_which_model_it_is_exact():
    assert "Tokens by o200k_base, exact for gpt-5.5." in heading(Settings(), "dotenv")
    assert "Tokens by characters, not tokens, an estimate." in heading(Settings(counter="characters"), "dotenv")
