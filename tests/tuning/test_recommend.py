"""Recommendations: what was asked for in words, the frontier, the choice, and what it gives up."""

from __future__ import annotations

import json
import math

import pytest

from historylab import Settings, generate
from historylab.errors import SettingsError
from historylab.tuning.constraints import PHRASES, Constraints, read_constraints
from historylab.tuning.measures import COLUMNS
from historylab.tuning.points import pareto
from historylab.tuning.recommend import KEPT, recommend
from historylab.tuning.sweep import grid, sweep


def row(budget: int, kept: float, cost: float, **figures) -> dict:
    """A row of a sweep that varied only the budget."""
    plain = dict.fromkeys(COLUMNS, 0) | {"references": 100, "tokens_share": 0.5, "tokens_total": 1000 * budget}
    money = {f"{what}_{cache}": cost for what in ("cost", "ratio") for cache in ("none", "automatic", "explicit")}
    unknown = dict.fromkeys(("links_kept", "stars_kept", "evidence_kept", "questions_kept"), math.nan)
    settings = json.dumps({"budget": budget})
    about = {"settings": settings, "budget": budget, "references_kept": kept, "tokens_peak": budget}
    return {**plain, **unknown, **money, **about, **figures}


#  budget        kept  cost
TABLE = [
    row(1000, 0.50, 1.0, stars=2, stars_kept=0.5),
    row(2000, 0.80, 2.0, stars=2, stars_kept=1),
    row(4000, 0.96, 3.0, stars=2, stars_kept=1),
    row(6000, 0.90, 4.0, stars=2, stars_kept=1),  # dearer than 4000 and keeps less
    row(8000, 0.98, 6.0, stars=2, stars_kept=1, over_budget=3),
]


def chosen(words: str) -> int | None:
    found = recommend(TABLE, words)
    return found.settings.budget if found.settings else None


@pytest.mark.parametrize(
    ("words", "budget"),
    [
        ("cheapest", 1000),
        ("keep every star, cheapest", 2000),
        ("keep every must-remember message, cheapest", 2000),
        ("keeps most", 8000),
        ("never over the budget and keeps most", 4000),
        ("balanced", 4000),
        ("keep at least 90% of references, cheapest under explicit caching", 4000),
        ("never over 2k, keeps most.", 2000),
        ("at most $2.50, keeps most", 2000),
        ("at most 0.5x not trimming", None),
        ("keep every reference", None),
    ],
)
def test_the_choice_is_what_was_asked_for(words, budget):
    assert chosen(words) == budget


def test_the_frontier_is_what_nothing_beats_in_both():
    found = recommend(TABLE)
    assert [p.changes["budget"] for p in found.frontier] == [1000, 2000, 4000, 8000]
    assert pareto(found.frontier) == found.frontier
    for point in found.points:
        assert any(p.cost <= point.cost and p.kept >= point.kept for p in found.frontier)


def test_it_says_why_and_what_it_gives_up():
    found = recommend(TABLE, "keep every star, never over the budget, cheapest under automatic caching")
    assert found.why == (
        "3 of 5 settings meet all constraints; budget=2000 is the cheapest: $2.00, 2.00× not trimming.",
        "It keeps 80.0% of references.",
    )
    assert found.gives_up == (
        "budget=8000 keeps 98.0% of references (+18.0 points) for $6.00, and breaks “never over the budget”.",
        "budget=1000 costs $1.00 but keeps 50.0%, and breaks “keep every must-remember message”.",
    )
    assert found.excluded == {"keep every must-remember message": 1, "never over the budget": 1}


def test_constraints_are_spoken_of_only_if_there_are_any():
    assert (
        recommend(TABLE, "cheapest").why[0] == "Of 5 settings budget=1000 is the cheapest: $1.00, 1.00× not trimming."
    )
    all_meet = "All 5 settings meet all constraints; budget=1000 is the cheapest"
    assert recommend(TABLE, "never rejected, cheapest").why[0].startswith(all_meet)


def test_one_candidate_is_no_choice_and_is_not_called_one():
    alone = TABLE[:1]
    for words, said in (
        ("cheapest", "Only these settings were tried: $1.00, 1.00× not trimming."),
        ("never over 2k", "Only these settings were tried, and meet all constraints: $1.00, 1.00× not trimming."),
        ("never over 500", "Only these settings were tried, and break “never over 500 tokens”."),
    ):
        found = recommend([{k: v for k, v in alone[0].items() if k != "budget"}], words)
        assert found.why[0] == said
        assert (found.gives_up, found.sensitivity) == ((), ())


def test_what_is_not_known_is_not_called_nothing_kept():
    both = [row(1000, math.nan, 1.0), row(2000, 0.8, 2.0)]
    assert recommend(both, "cheapest").why[1] == "Nothing is known of references."


def test_without_all_prices_no_cost_is_set_beside_tokens():
    mixed = recommend([row(1000, 0.9, math.nan, tokens_share=0.3), row(2000, 0.9, 1.0, tokens_share=0.6)])
    assert mixed.cost_is == "tokens_total"


def test_when_nothing_fits_it_names_what_stands_in_the_way():
    found = recommend(TABLE, "keep every reference, never over the budget")
    assert found.choice is None
    assert "“keep 100% of references” excludes 5" in found.why[0]
    assert "budget=1000 breaks only" in found.why[0]


def test_a_star_nobody_set_excludes_nothing_and_it_says_so():
    found = recommend([row(1000, 0.5, 1.0)], "keep every star")
    assert found.choice is not None
    assert "No message is marked to be remembered" in found.why[-1]


def test_conversations_count_by_what_they_hold():
    found = recommend([row(1000, 1.0, 1.0, references=90), row(1000, 0.0, 2.0, references=10, tokens_peak=9)])
    assert (len(found.points), found.points[0].kept, found.points[0].cost) == (1, pytest.approx(0.9), 3.0)
    assert found.points[0].figures["tokens_peak"] == 1000


def test_of_a_cancelled_sweep_only_complete_settings_are_compared():
    found = recommend([row(1000, 0.5, 1.0), row(2000, 0.8, 2.0), row(1000, 0.5, 1.0)])
    assert [p.changes["budget"] for p in found.points] == [1000]


def test_without_references_the_next_best_measure_stands_in():
    links = [row(b, math.nan, b / 1000, references=0, links_kept=b / 4000) for b in (1000, 2000)]
    assert recommend(links).kept_is == "links ≈"
    talk = [row(b, math.nan, b / 1000, references=0, tokens_share=b / 4000) for b in (1000, 2000)]
    assert recommend(talk).kept_is == "tokens"


def test_without_prices_tokens_are_compared():
    found = recommend([row(b, 0.9, math.nan) for b in (2000, 1000)])
    assert (found.cost_is, found.settings.budget) == ("tokens_total", 1000)
    assert "1,000,000 tokens" in found.why[0]


def test_sensitivity_is_the_effect_of_one_setting():
    found = recommend(TABLE)
    (budget,) = found.sensitivity
    assert (budget.setting, budget.values) == ("budget", (1000, 2000, 4000, 6000, 8000))
    assert budget.cost_range == 6


@pytest.mark.parametrize("phrase", PHRASES)
def test_every_phrase_that_is_offered_is_understood(phrase):
    assert read_constraints(phrase.partition(" (")[0]) != Constraints(aim="")


@pytest.mark.parametrize(
    "words", ["be nice", "keep every star, be quick", "at most $,", "never over ٨k", "keep 101% of references"]
)
def test_what_is_not_understood_is_refused_with_examples(words):
    with pytest.raises(SettingsError, match=r"no wish we know|is not a number|no more than 100%"):
        read_constraints(words)


def test_broken_constraints_are_told_with_the_noun_that_is_asked_for():
    found = recommend(TABLE, "keep every fact in tool calls", nouns=dict.fromkeys(KEPT, "facts"))
    assert set(found.excluded) == {"keep 100% of facts"}


@pytest.mark.parametrize("aim", ["better than mine", "better than mine in both"])
def test_a_table_knows_no_settings_of_mine_to_be_better_than(aim):
    assert read_constraints(aim).aim == aim
    with pytest.raises(SettingsError, match=f"“{aim}” needs settings to compare with"):
        recommend(TABLE, aim)


def test_a_table_from_before_a_measure_was_there_is_refused():
    old = [{name: value for name, value in each.items() if name != "person_lost"} for each in TABLE]
    with pytest.raises(SettingsError, match="no column 'person_lost', which “forgets nothing a person said” needs"):
        recommend(old, "forgets nothing a person said")


def test_a_wish_on_other_settings_is_for_a_check():
    with pytest.raises(SettingsError, match="which only `historylab check --against` knows"):
        recommend(TABLE, "forgets no more")


def test_an_unknown_cache_and_an_empty_table_are_refused():
    with pytest.raises(SettingsError, match="'monthly' caching"):
        recommend(TABLE, Constraints(cache="monthly"))
    with pytest.raises(SettingsError, match="no rows"):
        recommend([])


def test_it_reads_a_real_sweep():
    table = sweep(generate("coding_agent", turns=6, seed=2), grid(Settings(), budget=[1000, 4000, 64_000]))
    found = recommend(table, "keeps most")
    assert found.settings in grid(Settings(), budget=[1000, 4000, 64_000])
    assert found.kept_is == "references"
    assert found.choice.kept == max(p.kept for p in found.points)
