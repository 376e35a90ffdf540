"""Tune beside a trimmer: it is the base, its refusals are said, and what is better is refused nothing."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from historylab import Settings, generate, nearest_settings, replay, tune
from historylab.errors import SettingsError
from historylab.tuning.advice_words import CLAIMS
from historylab.tuning.base_lane import search_start
from historylab.tuning.replayed import TrimmerLane, open_lane
from historylab.wording.advice import advice_sentence, refused_base

LOOP = generate("tool_loop", turns=2, rounds=14, seed=7)


def newest_eight(messages):
    return messages[-8:]


def newest_two(messages):
    return messages[-2:]


def always_fails(messages):
    raise ValueError(len(messages))


@cache
def beside_the_newest_eight():
    return tune(LOOP, base=newest_eight, tries=12)


def test_the_base_is_what_the_trimmer_sends():
    base, sent = beside_the_newest_eight().trials[0], replay(LOOP, trimmer=newest_eight)
    assert not base.is_ours
    assert base.rejected == sent.refused.sum() > 0
    assert base.figures["requests"] == len(sent.plans)


def test_its_refusals_are_said_by_its_name():
    advice = beside_the_newest_eight()
    wanted = f"An API would refuse {advice.trials[0].rejected} of the {len(LOOP.columns.requests)} requests"
    assert any(said.startswith(f"{wanted} that newest_eight makes") for said in advice.why)
    assert advice.points[0].label == "newest_eight"


def test_refusals_come_before_cost():
    advice = tune(LOOP, base=newest_two, tries=3)
    base = advice.trials[0]
    assert base.rejected == replay(LOOP, trimmer=newest_two).refused.sum() > 0
    assert advice.verdict in CLAIMS
    assert advice.beside_base(advice.chosen).cost.value > 1
    assert advice.why[0].startswith(f"An API would refuse {base.rejected} of the ")
    assert f"no request refused instead of {base.rejected}, " in advice_sentence(advice)


def test_where_nothing_is_tried_its_refusals_are_still_said():
    advice = tune(LOOP, base=newest_two, tries=0)
    assert advice.trials == (advice.chosen,)
    assert refused_base(advice) == advice.why[1]


def test_what_is_advised_is_refused_nothing():
    advice = beside_the_newest_eight()
    assert advice.chosen.is_ours
    assert advice.chosen.rejected == 0


def test_the_nearest_settings_are_among_the_candidates():
    near = beside_the_newest_eight().trials[1].settings
    last = replay(LOOP, near).plans[-1].sketch()
    assert 1 <= len(last) - last.count("D") <= 12


def test_nothing_is_compared_at_requests_it_failed_at():
    def fails_early(messages):
        if len(messages) < 12:
            raise ValueError("too few")
        return newest_eight(messages)

    advice = tune(LOOP, base=TrimmerLane(fails_early), tries=2)
    failed = np.flatnonzero(LOOP.columns.requests < 12)
    assert len(failed)
    assert all(trial.outcomes[0].cost[failed].sum() == 0 for trial in advice.trials)


def test_a_trimmer_that_fails_at_every_request_is_no_base():
    with pytest.raises(SettingsError, match="always_fails fails at every request"):
        tune(LOOP, base=always_fails)
    assert np.isnan(nearest_settings(replay(LOOP, trimmer=always_fails)).agreement)


def test_a_search_counts_as_the_trimmer_is_counted():
    base = TrimmerLane(newest_eight, counting={"model": "gpt-4o"})
    assert search_start([LOOP], base).model == base.open(LOOP).settings.model == "gpt-4o"
    assert open_lane(LOOP, Settings(model="gpt-5.5"), base).settings.model == "gpt-4o"
