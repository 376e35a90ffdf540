"""Advice in words: the headline is what to do and what that brings, and what it isn't where nothing is advised."""

from __future__ import annotations

from dataclasses import replace

import pytest

from historylab import generate, tune
from historylab.formats.samples import load_sample
from historylab.tuning.tune import Advice
from historylab.wording.advice import (
    action_in_words,
    advice_sentence,
    short_name,
    sureness,
    why_not_whole,
)
from historylab.wording.costs import cost_in_words
from historylab.wording.cuts import changes_in_words

pytestmark = pytest.mark.xdist_group("advice")  # one process has it


@pytest.fixture(scope="module")
def party() -> Advice:
    return tune(load_sample()[0], name=changes_in_words)


@pytest.fixture(scope="module")
def loop() -> Advice:
    return tune(generate("tool_loop", seed=2, rounds=14), name=changes_in_words)


def named(advice: Advice, name: str):
    return next(trial for trial in advice.trials if short_name(advice, trial) == name)


def test_the_headline_is_what_to_do_and_what_it_brings(party):
    assert advice_sentence(party) == "Summarise when 8k is full: 47% cheaper, no fact lost."
    assert sureness(party) == f"Likely to hold (88%): 141 facts, {len(party.trials)} settings tried"


def test_what_is_not_proven_is_promising(party):
    unproven = replace(party, verdict="promising")
    assert advice_sentence(unproven) == "Promising: summarise when 8k is full, 47% cheaper, no fact lost."
    assert sureness(unproven).startswith("Not proven (88%): ")


def test_too_little_is_said_with_how_little(party):
    assert advice_sentence(replace(party, verdict="too little to tell", evidence=1)) == (
        "Too little to tell: 1 fact to judge by."
    )


def test_not_trimming_is_advice_too(party):
    whole = named(party, "not trimming")
    assert advice_sentence(replace(party, chosen=whole)) == "Don’t trim this one: 47% cheaper, no fact lost."


def test_of_two_names_the_points_bear_the_one_that_is_theirs(party):
    assert short_name(party, party.trials[0]) == "yours"
    assert short_name(party, party.chosen) == "summarise at 8k"


def test_only_what_is_new_is_named(loop):
    base = loop.trials[0].settings
    cleared = base.replace(**{"tool_output": "clear"})
    trial = replace(loop.trials[0], settings=cleared)
    advice = replace(loop, trials=(*loop.trials, trial), points=(*loop.points, loop.points[0]))
    assert action_in_words(advice, trial) == "Clear old tool results"


def test_a_cheaper_point_that_keeps_as_much_is_explained(party):
    assert why_not_whole(party).startswith("Not trimming costs no more yet, but ")
    assert why_not_whole(replace(party, chosen=named(party, "not trimming"))) == ""


@pytest.mark.parametrize(
    ("ratio", "words"),
    [(0.61, "39% cheaper"), (1.12, "12% dearer"), (1.001, "the same cost"), (0.999, "the same cost")],
)
def test_a_ratio_of_costs_is_a_percentage(ratio, words):
    assert cost_in_words(ratio, priced=True) == words


def test_without_prices_it_is_tokens():
    assert cost_in_words(0.5, priced=False) == "50% fewer tokens"
