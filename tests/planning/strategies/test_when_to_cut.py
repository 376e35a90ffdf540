"""A cut may come before the limit is reached, where it does least harm; the limit stays the ceiling."""

from __future__ import annotations

import pytest
from token_sketches import counted, replayed

from historylab.conversation.conversation import Conversation
from historylab.costs.bill import price
from historylab.costs.traffic import traffic
from historylab.planning.pipeline import open_pipeline, plan_history
from historylab.planning.replay import replay
from historylab.pricing import Prices
from historylab.settings.model import Settings

TURNS = " ".join(["u10 a10"] * 8) + " u10"
RUN = "u10 " + " ".join(["c5 t5"] * 6) + " a10 u10 " + " ".join(["c5 t5"] * 6)
HALF = Settings(policy="all", pruner="fifo", budget=100, **{"pruner.fifo.trim_to": 0.5})
TURN, COLD = (HALF.replace(**{"pruner.fifo.when": when}) for when in ("turn", "cold"))
WINDOW = Settings(policy="all", pruner="sliding_window", **{"pruner.sliding_window.turns": 4})
COLD_WINDOW = WINDOW.replace(**{"pruner.sliding_window.trim_to": 0.5, "pruner.sliding_window.when": "cold"})
FOLDED = {"pruner": "summarize", "pruner.summarize.max_share": 0.1, "pruner.summarize.trim_to": 0.5}


def times(count: int, *pauses_before: int, start: str = "13") -> list[str | None]:
    """A message a minute; before each of those that are named 12 minutes more."""
    minutes = [k + 12 * sum(k >= pause for pause in pauses_before) for k in range(count)]
    return [f"2026-05-04T{int(start) + m // 60:02}:{m % 60:02}:00+02:00" for m in minutes]


def dropped(timeline) -> list[int]:
    return [plan.sketch().count("D") for plan in timeline.plans]


def test_in_a_pause_the_cut_is_made_early_and_else_it_waits_for_the_ceiling():
    assert dropped(replayed(counted(TURNS, times(17)), COLD)) == [0, 0, 0, 0, 0, 6, 6, 6, 12]
    paused = replayed(counted(TURNS, times(17, 8)), COLD)
    assert dropped(paused) == [0, 0, 0, 0, 4, 4, 4, 10, 10]
    assert paused.tokens.max() <= 100


def test_a_pause_changes_nothing_below_the_mark_nor_where_the_cut_goes_to_the_budget():
    assert dropped(replayed(counted(TURNS, times(17, 6)), COLD)) == [0, 0, 0, 0, 0, 6, 6, 6, 12]
    brim = {"pruner.fifo.trim_to": 1.0}
    paused = counted(TURNS, times(17, 8))
    assert dropped(replayed(paused, COLD.replace(**brim))) == dropped(replayed(paused, HALF.replace(**brim)))
    assert not open_pipeline(COLD.replace(**brim)).carries


def test_a_cut_in_a_pause_loses_no_cache():
    prices = Prices(input=1, output=0, cache_read="0.1", cache_write="1.25")
    conversation = counted(TURNS.replace("10", "2000"), times(17, 8))
    bills = [
        price(traffic(replayed(conversation, settings.replace(budget=20_000))), prices, "automatic")
        for settings in (HALF, COLD)
    ]
    assert [int((bill.traffic.broken & (bill.traffic.idle <= 300)).sum()) for bill in bills] == [2, 1]
    assert bills[1].total < bills[0].total


def test_at_a_turns_start_the_cut_is_made_before_a_run_would_be_cut_into():
    full, early = (dropped(replayed(counted(RUN), settings.replace(budget=110))) for settings in (HALF, TURN))
    assert full == [0] * 10 + [14] * 4
    assert early == [0] * 7 + [14] * 7


def test_reasons_say_when_and_why():
    paused = replayed(counted(TURNS, times(17, 8)), COLD)
    assert paused.plans[4].reason(0).sentence == (
        "Oldest first, down to 50 tokens, last at 13:20, when the cache had expired after a pause of 14 minutes."
    )
    assert paused.plans[-1].reason(9).sentence == (
        "Oldest first, down to 50 tokens, last when the request had 110 and the budget allowed 100."
    )


def test_without_times_a_pause_cannot_be_seen_and_that_is_said():
    timeline = replayed(counted(TURNS), COLD)
    assert dropped(timeline) == dropped(replayed(counted(TURNS), HALF))
    assert (
        timeline.plans[-1]
        .reason(0)
        .sentence.endswith("as the messages have no times, no pause shows that the cache has expired.")
    )


def test_a_window_shrinks_in_a_pause():
    timeline = replayed(counted(TURNS, times(17, 10)), COLD_WINDOW)
    left = [plan.size - plan.sketch().count("D") for plan in timeline.plans]
    assert left == [1, 3, 5, 7, 3, 5, 7, 3, 5]


def test_turns_are_folded_in_a_pause_and_keep_their_reason():
    settings = Settings(policy="all", budget=200, **FOLDED, **{"pruner.summarize.when": "cold"})
    timeline = replayed(counted(TURNS.replace("10", "25"), times(17, 12)), settings)
    assert [plan.sketch().count("S") for plan in timeline.plans] == [0, 0, 0, 0, 6, 6, 10, 10, 10]
    assert [timeline.plans[-1].reason(i).sentence for i in (0, 9)] == [
        "Folded into the summary made when the history had 225 tokens.",
        "Folded into the summary, last at 13:24, when the cache had expired after a pause of 14 minutes.",
    ]


@pytest.mark.parametrize("request_", [4, 6])
def test_explain_names_a_budget_that_keeps_what_was_cut_early(request_):
    conversation = counted(TURNS, times(17, 8))
    timeline = replayed(conversation, COLD)
    answer = timeline.explain(request_, 0)
    assert replayed(conversation, COLD.replace(**answer.undo)).plans[request_].reason(0).sent


def test_planning_one_request_agrees_with_the_replay():
    settings = COLD.replace(counter="chars/4", budget=20)
    conversation = counted(TURNS, times(17, 8, 14))
    for plan in replay(conversation, settings).plans:
        alone = plan_history(Conversation(conversation.messages[: plan.size]), settings)
        assert alone.sketch() == plan.sketch()
