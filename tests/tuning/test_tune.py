"""Advice: chosen on some requests, judged on others, and no more claimed than that shows."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest
from sketches import conv

from historylab import Message, Settings, as_sent, generate, load, replay, tune
from historylab.conversation.conversation import Conversation
from historylab.conversation.message import Usage
from historylab.errors import SettingsError
from historylab.pricing import Prices
from historylab.recall.questions import Question
from historylab.tuning.choosing import Choosing
from historylab.tuning.constraints import BETTER, Constraints
from historylab.tuning.evidence import LIKELY
from historylab.tuning.growth import twice
from historylab.tuning.outcome import measure_outcome
from historylab.tuning.replayed import AS_SENT, MeasureOptions, Replayed
from historylab.tuning.search_space import USUAL, Sizes
from historylab.tuning.trials import Trials
from historylab.tuning.tune import Advice

pytestmark = pytest.mark.xdist_group("tune")  # one process has the advice that several look at
BASE = Settings()
SAMPLES = Path(__file__).resolve().parents[2] / "sample_conversations"


@pytest.fixture(scope="module")
def loop() -> Conversation:
    """A long tool loop with 205 references, of which the defaults forget some."""
    return generate("tool_loop", seed=2)


@pytest.fixture(scope="module")
def advice(loop):
    return tune(loop, tries=20)


def test_better_is_said_of_what_kept_no_less_and_cost_less_on_requests_it_was_not_chosen_on(advice):
    held_out = advice.held_out
    assert advice.verdict == "better"
    assert held_out.kept >= held_out.base_kept
    assert held_out.cost_ratio < held_out.base_cost_ratio
    assert held_out.holds >= LIKELY
    assert held_out.cost.high < 1
    assert advice.settings == advice.chosen.settings != BASE
    assert advice.settings.pruner != "off"  # nothing would limit what is sent


def test_the_verdict_says_how_many_needs_it_rests_on_and_how_many_settings_were_tried(advice):
    said = " ".join(advice.why)
    assert advice.evidence == 205
    assert f"{advice.evidence} " in said
    assert f"{len(advice.trials)} settings tried" in said
    assert len(advice.trials) <= 21
    assert "Cutting down to half the budget instead of exactly to it" in said


def test_what_is_promised_was_seen_before_what_it_is_judged_by_where_the_history_was_already_long(advice):
    assert 0 < advice.promised.needs < advice.evidence - advice.held_out.needs


def test_what_all_requests_helped_to_choose_is_called_that_and_is_no_more_than_promising(loop):
    found = tune(loop, tries=6, wishes="better than mine, never rejected")  # which is judged on all of them
    assert (found.verdict, found.held_out, found.settings) == ("promising", None, BASE)
    assert f"Looked at on all {len(loop.columns.requests)} requests; nothing was held out." in " ".join(found.why)
    assert found.chance == found.promised.holds < 0.9


@pytest.fixture(scope="module")
def lunch() -> Advice:
    """A chat whose settings cut a little, and lose the cache by it."""
    options = {"tool_output.truncate.limit": 60}
    cutting = Settings(policy="all", pruner="summarize", budget=1000, tool_output="truncate", options=options)
    return tune(load("sample_conversations/farewell-lunch.json")[0], base=cutting)


def test_no_number_that_helped_to_choose_is_shown_as_judged(lunch):
    assert lunch.held_out != lunch.promised


def test_where_not_trimming_keeps_as_much_for_less_it_is_what_is_advised(lunch):
    assert lunch.chosen.settings.pruner == "off"
    assert lunch.why[0].startswith("Don’t trim this one: ")
    assert lunch.why[0].endswith("% cheaper.")


@pytest.mark.slow
@pytest.mark.parametrize("base", [BASE, Settings(policy="all", pruner="off"), Settings(policy="all", budget=20_000)])
def test_nothing_is_advised_that_the_chart_beats_and_yours_are_not_as_good_beside_something_cheaper(base):
    for chat in (generate("tool_loop", seed=3), generate("coding_agent", seed=1)):
        found = tune(chat, base=base, tries=8)
        best = found.points[found.trials.index(found.chosen)]
        cheapest = min(point.cost for point in found.points if point.kept >= best.kept)
        if found.verdict == "as good":
            assert cheapest > 0.85 * best.cost
            assert best.cost < 1 / 0.9
        elif found.verdict != "too little to tell":
            assert cheapest > 0.95 * best.cost
            assert not [p for p in found.points if p.kept >= best.kept + 0.02 and p.cost <= best.cost]


def test_not_trimming_is_tried_whatever_is_varied(loop):
    only_cuts = tune(loop, varied=["cut"], tries=3)
    assert "off" in {trial.settings.pruner for trial in only_cuts.trials}


def test_what_costs_more_once_the_history_has_grown_is_not_called_better():
    found = tune(generate("support_desk", seed=2, turns=40), base=Settings(length=5, pruner="off"), tries=8)
    assert found.verdict != "better"
    assert "with twice the history" in " ".join(found.why)


def test_what_cuts_nothing_yet_but_will_where_each_cut_loses_the_cache_can_be_bettered():
    chat, all_of_it = generate("support_desk", seed=3, turns=12), Settings(policy="all", pruner="off")
    largest = int(replay(chat, all_of_it).tokens.max())
    found = tune(chat, base=Settings(policy="all", budget=largest + 60), tries=20)
    assert (found.verdict, found.held_out) == ("promising", None)
    assert found.beside_base(found.chosen).cost.value == 1
    assert re.search(r"Nothing was cut yet; it would cost 0\.\d+× as much as yours with twice", " ".join(found.why))
    assert tune(chat, base=Settings(policy="all", budget=3 * largest), tries=20).verdict == "too little to tell"


def test_settings_that_only_begin_to_cut_risk_more_than_those_that_long_did(loop):
    uncut = BASE.replace(policy="all", pruner="off")
    trials = Trials([loop], uncut, USUAL, (), MeasureOptions(), None, 20)
    base, late, early = (
        trials.run(each)
        for each in (uncut, *(BASE.replace(policy="all", pruner="fifo", budget=room) for room in (30_000, 8_000)))
    )
    choosing = Choosing(trials, base, [(0, 0, len(base.outcomes[0]))], (1,), Constraints(aim=BETTER), 0)
    risks = [choosing.exposure(trial, grown=True) for trial in (base, early, late)]
    assert risks == sorted(risks)
    assert risks[0] == 0 < choosing.exposure(late) < risks[-1]  # it has hardly begun


def test_a_transcript_whose_clock_is_far_off_grows_no_further_than_dates_go():
    times = ("2000-01-01T00:00:00Z", "9000-01-01T00:00:00Z")
    odd = Conversation([replace(m, timestamp=time) for m, time in zip(conv("u a"), times, strict=True)])
    assert [m.timestamp for m in twice(odd, 2)][2:] == ["9999-01-01T00:00:00+00:00"] * 2


def test_a_projection_may_change_how_many_requests_there_are():
    room = conv("o a o a o a")  # only seen by one of its agents do others ask anything
    found = tune(room, base=Settings(projection="point_of_view"), wishes="never over 1", tries=1)
    assert (len(room.columns.requests), found.beside_base(found.chosen).requests) == (0, 3)


def test_a_search_ranks_what_it_came_by_and_nothing_that_another_tried(loop):
    trials = Trials([loop], BASE, ("cut",), (), MeasureOptions(), None, 20)
    sizes = Sizes(20_000, 1, True)
    stranger = trials.run(BASE.replace(budget=3_000))
    found = trials.search(lambda trial: -trial.outcomes[0].cost.sum(), sizes)
    assert stranger not in found
    assert trials.run(BASE) in found


@pytest.mark.slow
def test_the_same_call_gives_the_same_advice(loop, advice):
    again = tune(loop, tries=20)
    assert (again.settings, again.verdict, again.why) == (advice.settings, advice.verdict, advice.why)


@pytest.mark.slow
def test_what_comes_after_the_requests_it_is_chosen_on_changes_nothing_about_the_choice(loop):
    other = loop.edited(loop[:190])
    assert tune(other, tries=6).settings == tune(loop, tries=6).settings != BASE


def test_below_thirty_needs_nothing_is_claimed_and_the_base_stays():
    found = tune(generate("support_desk", seed=1, turns=3), tries=5)
    assert found.verdict == "too little to tell"
    assert found.settings == BASE
    assert "Below 30 nothing is claimed" in " ".join(found.why)
    assert "What would help" in " ".join(found.why)


def test_settings_that_nothing_tried_improves_on_are_as_good(loop, advice):
    assert tune(loop, base=advice.settings, tries=6).verdict == "as good"


def test_questions_are_evidence_each_asked_after_several_requests():
    chat = generate("support_desk", seed=1)
    questions = [Question(f"Question {n}?", messages=(n,)) for n in (1, 2, 3)]
    found = tune(chat, tries=8, options=MeasureOptions(questions=tuple(questions)))
    asked = sum(outcome.needed[:, 0].sum() for outcome in found.trials[0].outcomes)
    without = sum(outcome.needed[:, 0].sum() for outcome in tune(chat, tries=1).trials[0].outcomes)
    assert asked - without == 30
    assert "facts asked for" in found.why[-1]


@pytest.mark.slow
def test_over_several_conversations_each_is_judged_by_what_was_chosen_on_others():
    several = [generate("tool_loop", seed=seed) for seed in range(3)]
    found = tune(several, tries=12)
    assert found.verdict == "better"
    assert found.conversations == found.held_out.conversations == 3
    assert found.evidence == found.held_out.needs
    assert re.search(r"With 95% confidence it keeps \d+ to \d+% in conversations like these\.", " ".join(found.why))
    assert "in conversations like these" not in " ".join(tune(several[:2], tries=2).why)


@pytest.mark.slow
def test_what_is_wished_for_is_an_aim_and_constraints(loop):
    cheapest = tune(loop, wishes="cheapest under explicit caching, never over the budget", tries=6)
    assert cheapest.held_out.cost.high < 1
    assert not cheapest.chosen.figures["over_budget"]


def test_where_nothing_tried_does_what_was_asked_that_is_said(loop):
    found = tune(loop, wishes="never over 400", tries=4)
    assert found.why[0] == "None of the 5 settings tried does all that was asked."
    assert found.settings == BASE


def test_without_a_better_one_the_settings_are_yours_with_the_model_that_nothing_was_asked_of():
    mine = Settings(summarizer="model")
    found = tune(conv("u a u a"), base=mine, tries=1)
    assert found.settings == mine
    assert not any(trial.settings.summarizer == "model" for trial in found.trials)


def test_conversations_that_make_no_further_request_when_they_grow_are_too_little():
    found = tune([conv("u"), conv("u")], tries=3, wishes="keeps most")
    assert found.verdict == "too little to tell"


def test_locked_settings_stay(loop):
    found = tune(loop, tries=5, locked={"pruner", "budget"})
    assert {(t.settings.pruner, t.settings.budget) for t in found.trials} == {("fifo", 8000)}


def test_a_search_can_be_stopped_and_keeps_what_it_has(loop):
    calls = []
    found = tune(
        loop, tries=20, progress=lambda done, most: calls.append((done, most)), cancelled=lambda: len(calls) >= 3
    )
    assert calls == [(1, 21), (2, 21), (3, 21)]
    assert len(found.trials) == 3


def test_what_costs_nothing_can_be_tuned_on():
    free = MeasureOptions(prices=Prices(0, 0))
    assert tune([conv("u a u a")] * 2, tries=4, options=free).verdict == "too little to tell"


def test_where_everything_is_kept_nothing_keeps_more():
    found = tune(generate("support_desk", seed=1, turns=40), wishes="keeps most", tries=4)
    assert found.held_out.base_kept == 1
    assert found.verdict == "as good"


@pytest.mark.slow
def test_an_aim_that_gives_something_up_says_so(loop):
    found = tune(loop, wishes="cheapest", tries=6)
    assert found.why[0].startswith("Cheaper than yours, but it keeps less: ")


def test_no_request_at_all_unknown_wishes_and_negative_numbers_are_refused():
    with pytest.raises(SettingsError, match="no conversation has a request"):
        tune(Conversation([]))
    with pytest.raises(SettingsError, match="fly"):
        tune(conv("u a u"), wishes="fly")
    with pytest.raises(SettingsError, match="0 or more"):
        tune(conv("u a u"), tries=-1)
    with pytest.raises(SettingsError, match="0 or more"):
        tune(conv("u a u"), seed=-1)
    with pytest.raises(SettingsError, match="only `historylab check --against` knows"):
        tune(conv("u a u"), wishes="forgets no more")


# -- beside what was really sent


@pytest.fixture(scope="module")
def compacted() -> Conversation:
    """A session that was compacted once."""
    return load(SAMPLES / "held-for-the-auditors.jsonl")[0]


@pytest.fixture(scope="module")
def beside_what_happened(compacted) -> Advice:
    return tune(compacted, tries=8)


def test_what_was_cut_is_beaten_as_it_was_sent(beside_what_happened, compacted):
    base, *others = beside_what_happened.trials
    outcome = measure_outcome(Replayed(as_sent(compacted), MeasureOptions()))
    assert (base.lane, all(trial.is_ours for trial in others)) == (AS_SENT, True)
    assert (base.outcomes[0].held == outcome.held).all()
    assert base.outcomes[0].cost == pytest.approx(outcome.cost)
    assert beside_what_happened.points[0].label == "as sent"


def test_the_verdict_says_than_what_really_happened(beside_what_happened):
    said = " ".join(beside_what_happened.why).lower()
    assert "what really happened" in said
    assert "yours" not in said
    assert "twice the history" not in said  # nobody knows what would have been sent of it


def test_every_trial_is_judged_on_the_same_needs_at_the_same_sizes(beside_what_happened, compacted):
    base, *others = (trial.outcomes[0] for trial in beside_what_happened.trials)
    whole = next(t.outcomes[0] for t in beside_what_happened.trials if t.sends_all)
    uncut = slice(0, compacted.recorded.compactions[0].request)
    assert all((each.needed == base.needed).all() for each in others)
    assert (whole.tokens[uncut] == base.tokens[uncut]).all()


def test_several_conversations_are_each_counted_as_they_were_recorded(compacted):
    other = Conversation([Message("user", "and?"), Message("assistant", "so", metadata={"usage": Usage(input=900)})])
    base, whole = tune([compacted, other], base="as-sent", tries=1).trials
    assert [each.tokens[0] for each in whole.outcomes] == [each.tokens[0] for each in base.outcomes] == [15_498, 900]


def test_settings_are_the_base_where_they_are_given_or_nothing_was_cut(compacted, loop):
    assert tune(compacted, base=BASE, tries=0).against == BASE
    assert tune(loop, tries=0).against == Settings()
    with pytest.raises(SettingsError, match="nothing in this file says what was sent"):
        tune([compacted, loop], base="as-sent", tries=0)
