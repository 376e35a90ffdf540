"""Planted facts: each is said once, needed much later, and found or lost by retention."""

from __future__ import annotations

import pytest

from historylab import Settings, replay
from historylab.generators.base import generate
from historylab.recall.references import contains_value, searchable_text
from historylab.recall.retention import retention

ALL = Settings(policy="all", pruner="off")
LAST_3 = Settings(policy="lastN", length=3, pruner="off")


def evidence_kept(settings, **options):
    kept = retention(replay(generate("planted_facts", **options), settings)).kept["evidence"]
    return kept.kept, kept.total


@pytest.mark.parametrize("seed", range(5))
def test_the_facts_are_lost_among_the_last_three_turns_and_kept_among_all(seed):
    assert evidence_kept(LAST_3, turns=60, seed=seed) == (0, 8)
    assert evidence_kept(ALL, turns=60, seed=seed) == (8, 8)


def test_clearing_tool_results_loses_only_the_facts_that_stood_in_them():
    conversation = generate("planted_facts", turns=120, facts=24)
    cleared = Settings(policy="all", pruner="off", tool_output="clear", options={"tool_output.clear.keep": 0})
    lost = [x for x in retention(replay(conversation, cleared)).losses if x.kind == "evidence"]
    in_results = [e for e in conversation.metadata["evidence"] if conversation[e["messages"][0]].role == "tool"]
    assert 0 < len(lost) == len(in_results) < 24
    assert {conversation[x.message].role for x in lost} == {"tool"}


@pytest.mark.parametrize("seed", range(5))
def test_before_a_question_only_the_planted_message_says_its_answer(seed):
    conversation = generate("planted_facts", turns=200, facts=24, seed=seed)
    texts = [searchable_text(message) for message in conversation]
    for gold in conversation.metadata["evidence"]:
        said = [i for i in range(gold["at"] + 1) if contains_value(texts[i], gold["answer"])]
        assert said == gold["messages"]
        assert gold["question"] in texts[gold["at"]]


def test_what_follows_a_question_is_its_answer():
    conversation = generate("planted_facts", turns=80, facts=12)
    *asked, last = conversation.metadata["evidence"]
    assert len(asked) == 11
    assert all(gold["answer"] in conversation[gold["at"] + 1].content for gold in asked)
    assert last["at"] == len(conversation) - 1


def test_look_alikes_ask_for_care():
    """Per fact there is one about another subject, in the same words."""
    conversation = generate("planted_facts", turns=60, facts=7)
    codes = [m for m in conversation if "The code of the " in m.content]
    assert len(codes) == 2


@pytest.mark.parametrize(("turns", "facts", "asked"), [(1, 8, 0), (2, 8, 1), (7, 8, 1), (8, 8, 2), (200, 24, 24)])
def test_few_turns_hold_few_facts(turns, facts, asked):
    assert len(generate("planted_facts", turns=turns, facts=facts).metadata["evidence"]) == asked
