"""Sentences with numbers hold: each is computed again from new plans, for every registered stage with its options."""

from __future__ import annotations

import pytest
from conversation_strategies import conversation_from, conversations, settings
from hypothesis import given
from hypothesis import settings as examples
from hypothesis import strategies as st
from sketches import load_sample
from true_sentences import (
    untrue_counts,
    untrue_over_budget,
    untrue_reason,
    untrue_refusals,
    untrue_since,
    untrue_undo,
)

from historylab import registry, replay
from historylab.planning.replay import Timeline
from historylab.settings.model import Settings

FAMILIES = (*registry.STAGE_FAMILIES, "layout", "projection")
MEMBERS = [(family, name) for family in FAMILIES for name in sorted(registry.members(family))]
LONG = ["system", *["user", "call-1+long results", "long assistant", "user", "assistant"] * 2, "user", "call-2+results"]


def faults(timeline: Timeline, messages: slice) -> list[str]:
    """What is untrue of the last request, and of some of its messages."""
    if not timeline.plans:
        return []
    request = len(timeline.plans) - 1
    found = [*untrue_refusals(timeline), *untrue_counts(timeline, request), *untrue_over_budget(timeline, request)]
    for message in range(timeline.plans[request].size)[messages]:
        answer = timeline.explain(request, message)
        found += untrue_since(timeline, request, message, answer)
        found += untrue_reason(timeline, request, message)
        found += untrue_undo(timeline, request, message, answer)
    return found


@pytest.mark.parametrize(("family", "name"), MEMBERS)
def test_every_sentence_said_of_a_stage_is_true(family, name):
    conversation = conversation_from(LONG)

    @examples(max_examples=3)
    @given(settings(**{family: name}), st.integers(40, 900))
    def is_true(chosen, budget):
        assert faults(replay(conversation, chosen.replace(budget=budget)), slice(1, None, 9)) == []

    is_true()


@pytest.mark.slow
@examples(max_examples=60)
@given(conversations(), settings(), st.sampled_from(sorted(registry.members("projection"))))
def test_every_sentence_is_true_of_odd_conversations_too(conversation, chosen, projection):
    assert faults(replay(conversation, chosen.replace(projection=projection)), slice(None, None, 3)) == []


def test_a_summary_that_moves_with_the_budget_is_no_lower_bound():
    """At 3,685 the message is sent, at some larger budgets it is summarised."""
    settings = Settings(policy="all", budget=2000, pruner="summarize")
    timeline = replay(load_sample("birthday-by-the-sea")[0], settings)
    answer = timeline.explain(67, 81)
    assert answer.undo_sentence.startswith("Sent if budget = ")
    assert "larger values tried, up to" in answer.undo_sentence
    assert list(untrue_undo(timeline, 67, 81, answer)) == []


def test_more_history_competes_for_the_same_room():
    settings = Settings(length=2, budget=700, pruner="relevance")
    timeline = replay(load_sample("birthday-by-the-sea")[0], settings)
    answers = {message: timeline.explain(60, message) for message in range(60, 119, 12)}
    assert any("but not if" in answer.undo_sentence for answer in answers.values())
    assert not any(list(untrue_undo(timeline, 60, message, answer)) for message, answer in answers.items())
