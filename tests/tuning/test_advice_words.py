"""Sentences on advice: how sure a gain is, and what cutting down to a half does."""

from __future__ import annotations

from historylab.tuning.advice_words import WHAT_HAPPENED, VerdictGrounds, cut_in_words, why_advised
from historylab.tuning.cut_depth import Cut, CutDepth
from historylab.tuning.evidence import Comparison, Interval, Limits
from historylab.tuning.outcome import USED


def better(more_kept: Interval, cost: Interval, *, priced: bool = True, limits: Limits | None = None) -> str:
    """How sure it is, of advice that did so much better on 40 requests."""
    held_out = Comparison(0.9, 0.8, 0, 0, 0.4, 0.5, more_kept, cost, 0.93, 60, 40, 1, 27)
    found = VerdictGrounds(120, 80, (USED,), priced, held_out, limits or Limits(), 20)
    return list(why_advised("better", found, "budget=16000"))[-1].partition("tried. ")[2]


def test_how_sure_a_gain_is_stands_in_points_percent_and_a_chance():
    assert better(Interval(0.1, 0.04, 0.2), Interval(0.8, 0.7, 0.88)) == (
        "With 90% confidence it keeps 4 to 20 points more and costs 12 to 30% less than yours; the chance that it "
        "does no worse on 27 more requests like these is 93%."
    )
    unsure = better(Interval(0, -0.02, 0.03), Interval(1, 0.99, 1.05), priced=False)
    assert "keeps between 2 points less and 3 points more and sends between 1% less and 5% more than yours; " in unsure
    assert "keeps as much and costs as much as yours; " in better(Interval(0, 0, 0), Interval(1, 1, 1))


def test_the_chance_is_of_what_the_wish_does_not_give_up():
    gain = Interval(0.1, 0.04, 0.2), Interval(0.8, 0.7, 0.88)
    assert "the chance that it costs no more on 27" in better(*gain, limits=Limits(less_kept=1.0))
    assert "the chance that it keeps no less on 27" in better(*gain, limits=Limits(more_cost=1e9))
    least = better(*gain, limits=Limits(less_kept=1.0, least_kept=0.99))
    assert "the chance that it keeps at least 99.0% and costs no more on 27" in least


def test_a_wish_that_nothing_meets_is_said_in_a_sentence_however_few_were_tried():
    as_much = Comparison(1, 1, 0, 0, 1, 1, Interval(0, 0, 0), Interval(1, 1, 1), 1, 60, 40, 1, 27)
    few, many = (VerdictGrounds(120, 80, (USED,), True, as_much, Limits(), tried) for tried in (1, 20))
    said = [next(why_advised("as good", found, "", ["never rejected"])) for found in (few, many)]
    whole = "tried does all that was asked."
    assert said == [f"Nothing {whole}", f"None of the 20 settings {whole}"]


def test_what_only_a_summary_holds_is_said_apart():
    most = Comparison(60 / 79, 55 / 79, 20 / 79, 0, 0.4, 0.5, Interval(0, 0, 0), Interval(1, 1, 1), 1, 79, 40, 1, 27)
    said = " ".join(why_advised("promising", VerdictGrounds(120, 80, (USED,), True, most, Limits(), 20, False), "x=1"))
    assert "It kept 60 of 79, 20 of them only in the summary, instead of 55 of 79 for" in said
    assert "Looked at on all 40 requests; nothing was held out." in said


def test_a_cut_says_what_both_depths_cost_and_keep():
    half, exact = Cut(3, 0.77, 0.87, (USED,)), Cut(41, 1.31, 0.91, (USED,))
    assert cut_in_words(CutDepth("pruner.fifo.trim_to", exact, half)) == (
        "Cutting down to half the budget instead of exactly to it breaks the prompt cache at "
        "3 requests instead of 41; it costs 0.77× instead of 1.31× not trimming, and keeps 87.0% instead of 91.0% of "
        "facts in tool calls."
    )


def test_a_cut_leaves_out_what_is_unknown():
    unknown = Cut(1, 0.5, float("nan"), (USED,), priced=False)
    said = cut_in_words(CutDepth("pruner.sliding_window.trim_to", unknown._replace(moved=9), unknown))
    assert said.startswith("Cutting down to half the window instead of exactly to it")
    assert said.endswith("at 1 request instead of 9; it sends 0.50× instead of 0.50× the tokens of not trimming.")


def test_beside_what_was_sent_it_is_better_than_what_really_happened():
    gain = Comparison(0.9, 0.9, 0, 0, 0.4, 0.5, Interval(0, 0, 0), Interval(0.8, 0.7, 0.88), 0.93, 60, 40, 1, 27)
    found = VerdictGrounds(120, 80, (USED,), True, gain, Limits(), 20, base=WHAT_HAPPENED)
    better, as_good = (
        list(why_advised(verdict, found, label)) for verdict, label in (("better", "x=1"), ("as good", ""))
    )
    assert better[0] == "Better than what really happened: x=1."
    assert "it kept as much as what really happened (90.0%)" in better[1]
    assert "12 to 30% less than what really happened" in better[2]
    assert as_good[0] == "What really happened is as good as anything tried."
    assert next(why_advised("as good", found, "", ["no"])).startswith("None of the 20 settings")
