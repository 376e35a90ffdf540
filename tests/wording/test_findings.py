"""Alternative texts of the charts: what is drawn, in numbers, and never a message's text."""

from __future__ import annotations

import pytest
from sketches import load_sample

from historylab import Conversation, Message, Settings, generate, replay, tune
from historylab.tuning.constraints import PHRASES, read_constraints
from historylab.wording.cuts import changes_in_words
from historylab.wording.findings import (
    compare_finding,
    constraint_in_words,
    frontier_finding,
    token_finding,
)


def test_the_token_chart_names_the_counter_and_the_requests_over_the_budget():
    timeline = replay(generate("support_desk", turns=4), Settings(budget=60, model="an-unknown-model"))
    assert "an estimate" in token_finding(timeline)
    assert "Over the budget at 5 of 5 requests, most at request 2: 114 in" in token_finding(timeline)


def test_the_token_chart_quotes_no_message():
    hostile = "<img src=x onerror=alert(1)>"
    timeline = replay(Conversation([Message("user", hostile, name=hostile)], title=hostile), Settings(budget=1))
    assert "<img" not in token_finding(timeline)


def test_the_compare_chart_gives_each_configuration_its_total():
    conversation = generate("support_desk", turns=4)
    timelines = [replay(conversation, Settings(budget=budget)) for budget in (60, 8000)]
    finding = compare_finding(timelines, "AB")
    assert all(
        f"{letter} sends {t.tokens.sum():,} tokens" in finding for letter, t in zip("AB", timelines, strict=True)
    )


@pytest.mark.parametrize("phrase", PHRASES)
def test_a_constraint_is_understood_in_the_words_of_the_screens_and_told_in_them(phrase):
    phrase = phrase.partition(" (")[0]
    said = constraint_in_words(phrase)
    assert "reference" not in said
    assert read_constraints(said) == read_constraints(phrase)


def test_the_frontier_names_its_two_ends():
    finding = frontier_finding(tune(generate("tool_loop", seed=2), tries=6, name=changes_in_words))
    assert "settings, facts in tool calls kept over cost. At the cheap end of the frontier, " in finding
    assert finding.count("×") == 2


def test_a_frontier_of_one_point_names_it_once():
    finding = frontier_finding(tune(load_sample("tide-tables-agent")[0], tries=1, varied=(), name=changes_in_words))
    assert finding.count("×") == 1
