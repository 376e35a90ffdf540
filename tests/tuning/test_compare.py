"""One conversation under several settings, side by side."""

from __future__ import annotations

from sketches import conv, load_sample

from historylab import Settings, replay
from historylab.tuning.compare import (
    are_aligned,
    comparison_sentence,
    differing_messages,
    differing_requests,
    measure_figures,
)

CHAT = conv("s u:50 a:50 u:50 a:50 u:50 a:50 u:50 a:50 u")


def both(a: Settings, b: Settings, conversation=CHAT):
    return [replay(conversation, a), replay(conversation, b)]


def test_what_only_one_of_them_sends_is_found_per_request():
    timelines = both(Settings(length=3), Settings(length=2))
    assert are_aligned(timelines)
    assert differing_messages(timelines, 4).tolist() == [5, 6]
    assert differing_requests(timelines) == [2, 3, 4]
    assert differing_requests(both(Settings(), Settings())) == []


def test_a_summary_is_not_the_same_as_nothing():
    settings = Settings(policy="all", budget=200)
    timelines = both(settings, settings.replace(pruner="summarize"))
    assert differing_requests(timelines)


def test_the_figures_are_those_of_the_timeline():
    timeline = replay(CHAT, Settings(length=2, budget=100))
    found = measure_figures(timeline)
    assert found.tokens_total == timeline.tokens.sum()
    assert found.tokens_peak == timeline.tokens.max()
    assert found.over_budget == timeline.over_budget.sum()
    assert (found.lost, found.first_loss) == (timeline.plans[-1].sketch().count("D"), 1)
    assert found.stars_lost is None
    assert found.cost > 0
    assert measure_figures(replay(CHAT, Settings(model="nobody knows it"))).cost is None
    assert (found.facts_lost, measure_figures(replay(load_sample()[0], Settings())).facts_lost) == (None, 21)


def test_what_must_be_remembered_is_told_first_lost_and_by_how_many_more():
    timelines = both(Settings(policy="all", pruner="off"), Settings(length=2, pruner="off"))
    keeps, forgets = (measure_figures(timeline, stars=[1, 3, 9]) for timeline in timelines)
    assert (keeps.stars_lost, keeps.star_lost_at) == (0, None)
    assert (forgets.stars_lost, forgets.star_lost_at) == (2, 2)
    assert "forgets 2 more must-remember messages (the first at request 3)" in comparison_sentence("B", forgets, keeps)
    assert "forgets 2 fewer must-remember messages and" in comparison_sentence("B", keeps, forgets)
    assert "must-remember" not in comparison_sentence("B", measure_figures(timelines[1]), measure_figures(timelines[0]))


def test_what_every_setting_leaves_out_is_no_loss():
    broken = conv("u a(t _) u a t u")
    assert measure_figures(replay(broken, Settings(pruner="off"))).lost == 0


def test_a_rewritten_conversation_cannot_be_matched():
    assert not are_aligned(both(Settings(), Settings(projection="collapsed_tools"), conv("u a(t) u a(t) u")))


def test_the_difference_in_words():
    conversation = load_sample()[0]
    base, less, same = (measure_figures(replay(conversation, Settings(length=n, pruner="off"))) for n in (20, 5, 20))
    assert comparison_sentence("B", same, base) == "B does the same as A."
    said = comparison_sentence("B", less, base, named="GN-1")
    assert said == "B sends 74% fewer tokens than A, but loses 51 more facts (“GN-1” among them) and costs 56% less."
    assert comparison_sentence("C", base, less).startswith(
        "C sends 3.8× as many tokens as A, loses 51 fewer facts and costs"
    )


def test_a_lost_system_prompt_is_no_praise():
    whole, without = (
        measure_figures(replay(CHAT, trimmer=trimmer)) for trimmer in (lambda given: given, lambda given: given[1:])
    )
    assert (whole.without_prompt, without.without_prompt) == (0, 5)
    assert "leaves the system prompt out of 5 requests" in comparison_sentence("B", without, whole)
    assert "leaves the system prompt out of 5 fewer requests" in comparison_sentence("B", whole, without)
    assert ", but " in comparison_sentence("B", without, whole)
