"""Choosing: which of some settings is picked, by outcomes that are sketched request by request."""

from __future__ import annotations

from itertools import count

import numpy as np
from numpy.typing import ArrayLike
from sketches import conv

from historylab.settings.model import Settings
from historylab.tuning.choosing import Choosing
from historylab.tuning.constraints import BETTER, read_constraints
from historylab.tuning.lanes import effective_key
from historylab.tuning.outcome import USED, Outcome
from historylab.tuning.replayed import MeasureOptions
from historylab.tuning.trials import Known, Trial, Trials

SEEN = 10
"""Requests that the choice sees; as many follow once the history has grown."""
NEEDED, TOKENS = 10, 1_000
"""Values that each request needs, and tokens that it has in full."""
BUDGETS = count(10_000, 1_000)


def tried(
    kept: ArrayLike = NEEDED,
    *,
    noted: int = 0,
    cost: ArrayLike = 1.0,
    withheld: ArrayLike = 0,
    window: int | None = None,
    pruner: str = "fifo",
) -> Trial:
    """Settings under which a request held so many of its values, some in the summary alone, cost so much, and lacked so
    many tokens. Of a pair of costs or tokens, the second is that once the history has grown.
    """
    facts = (np.resize(each, 2 * SEEN)[:, None] * (np.arange(3) == USED) for each in (NEEDED, kept, noted))
    costs, lacking = (np.repeat(np.broadcast_to(each, 2), SEEN) for each in (cost, withheld))
    outcome = Outcome(*facts, costs, np.ones(2 * SEEN), TOKENS - lacking, np.zeros(2 * SEEN, bool), priced=True)
    return Trial(Settings(policy="all", pruner=pruner, budget=next(BUDGETS), window=window), (outcome,), {})


def choose_among(*trials: Trial, wishes: str = BETTER) -> Choosing:
    """The choice on one conversation, whose base is the first of these."""
    grown = {(effective_key(each.settings), 0, SEEN): each.outcomes[0] for each in trials}
    about = ([conv("u")], trials[0].settings, (), (), MeasureOptions(), None, 0)
    known = Trials(*about, known=Known(grown=grown))
    return Choosing(known, trials[0], [(0, 0, SEEN)], (USED,), read_constraints(wishes), seed=0)


def picked(*trials: Trial, wishes: str) -> Trial:
    return choose_among(*trials, wishes=wishes).pick(trials)


def test_what_only_just_keeps_what_was_asked_is_not_picked_where_dearer_settings_surely_do():
    mine, scant, sure = tried(), tried([9, 10], cost=0.5, withheld=500), tried(cost=0.8, withheld=200)
    assert picked(mine, scant, sure, wishes="cheapest") is scant
    assert picked(mine, scant, sure, wishes="keep 95% of references, cheapest") is sure


def test_of_two_alike_so_far_the_one_that_will_withhold_more_is_less_sure_to_last():
    mine, young, steady = tried(), tried(cost=0.8, withheld=(50, 900)), tried(cost=0.8, withheld=50)
    choosing = choose_among(mine, young, steady)
    assert choosing.compare(young) == choosing.compare(steady)
    assert choosing.foretell(young).holds < choosing.foretell(steady).holds - 0.1


def test_what_cuts_nothing_yet_but_dearly_once_it_has_grown_is_bettered_by_the_least_that_never_does():
    mine, least, larger = tried(cost=(1, 1.5)), tried(), tried()
    assert choose_among(mine, larger, least).cheaper_when_grown([mine, larger, least]) is least
    narrow = tried(window=TOKENS - 1)
    assert choose_among(mine, narrow).cheaper_when_grown([mine, narrow]) is None
    hardly, cutting = tried(cost=(1, 1.01)), tried(cost=(0.9, 1.5))
    assert choose_among(hardly, least).cheaper_when_grown([hardly, least]) is None
    assert choose_among(cutting, least).cheaper_when_grown([cutting, least]) is None
    assert choose_among(least, larger).cheaper_when_grown([least, larger]) is None
    assert choose_among(mine, least, wishes="keeps most").cheaper_when_grown([mine, least]) is None


def test_a_summary_that_says_more_is_not_picked_beside_messages_that_keep_more_for_no_more():
    mine, by_summary, by_messages = tried(6), tried(10, noted=3), tried(9)
    assert picked(mine, by_summary, wishes="keeps most") is by_summary
    assert picked(mine, by_summary, by_messages, wishes="keeps most") is by_messages


def test_what_keeps_less_for_more_than_another_is_not_picked_for_being_surer_to_last():
    mine, forgetful, whole = tried(), tried(7, cost=0.7, withheld=300), tried(cost=(0.6, 1.5))
    choosing = choose_among(mine, forgetful, whole, wishes="cheapest")
    assert choosing.foretell(forgetful).holds > choosing.foretell(whole).holds
    assert picked(mine, forgetful, wishes="cheapest") is forgetful
    assert picked(mine, forgetful, whole, wishes="cheapest") is not forgetful


def test_not_trimming_beats_a_cut_that_saves_nothing_also_once_the_history_has_grown():
    mine, cut, whole = tried(5, cost=2.0, withheld=500), tried(cost=1.02, withheld=10), tried(pruner="off")
    dearer_later = tried(cost=[1.0, 3.0], pruner="off")
    assert choose_among(mine, cut, whole).beaten(cut, [whole])
    assert not choose_among(mine, cut, dearer_later).beaten(cut, [dearer_later])
