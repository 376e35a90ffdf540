"""How full a request is: its tokens by kind fill the limit, the window where a compaction is on."""

from __future__ import annotations

import pytest

from historylab import Settings, replay
from historylab.formats.samples import load_sample
from historylab.planning.context_fill import context_fill, context_limit, strictest_limit
from historylab.systems import mycoder
from historylab.wording.context import context_fill_sentence

SAMPLE = load_sample("tide-tables-agent")[0]
COMPACTING = Settings(policy="all", pruner="off", compaction="at_threshold", window=4000, threshold=0.4)


@pytest.mark.parametrize(
    "chosen",
    [Settings(), Settings(budget=900), Settings(reserve=300, overhead=500), COMPACTING, mycoder.PRESET],
    ids=["default", "small", "reserve and overhead", "compacting", "mycoder"],
)
def test_the_kinds_add_up_to_the_request_and_the_rest_to_the_limit(chosen):
    timeline = replay(SAMPLE, chosen)
    limit = context_limit(timeline)
    for number, plan in enumerate(timeline.plans):
        filled = dict(context_fill(timeline, number))
        free, reserve = filled.pop("free"), filled.pop("reserve")
        assert sum(filled.values()) == plan.tokens + chosen.overhead
        assert free == max(0, limit.tokens - plan.tokens - chosen.overhead - reserve)
        assert plan.tokens + chosen.overhead + reserve <= limit.scale


def test_where_a_compaction_is_on_the_window_is_the_limit_and_never_the_budget():
    limit = context_limit(replay(SAMPLE, mycoder.PRESET))
    assert (limit.tokens, limit.is_window, limit.threshold) == (1_000_000, True, 500_000)
    limit = context_limit(replay(SAMPLE, COMPACTING.replace(budget=3000)))
    assert (limit.tokens, limit.threshold, limit.budget) == (4000, 1600, 3000)
    limit = context_limit(replay(SAMPLE, mycoder.PRESET.replace(**{"compaction.preserve_recent.trigger": 150_000})))
    assert (limit.tokens, limit.threshold) == (1_000_000, 150_000)


def test_sizes_are_told_of_the_budget_only_where_a_request_exceeds_it():
    assert strictest_limit(replay(SAMPLE, COMPACTING.replace(budget=3000))) == 4000
    assert strictest_limit(replay(SAMPLE, COMPACTING.replace(budget=100))) == 100


def test_a_budget_above_the_window_gives_way_to_it_and_an_unknown_window_to_the_budget():
    assert context_limit(replay(SAMPLE, Settings(window=2000, budget=5000))).tokens == 2000
    unknown = context_limit(replay(SAMPLE, Settings(model="nobodys-model-7")))
    assert (unknown.tokens, unknown.is_window) == (8000, False)


def test_the_sentence_says_of_what_and_from_where_on_it_summarises():
    timeline = replay(SAMPLE, COMPACTING)
    share = f"{timeline.plans[0].tokens / 4000:.1%}"
    assert context_fill_sentence(timeline, 0) == (
        f"{share} of gpt-5.5's window. From the threshold of 1,600 tokens on, older history is summarised."
    )
    over = replay(SAMPLE, Settings(budget=100))
    worst = int(over.tokens.argmax())
    assert f"{over.plans[worst].tokens - 100:,} over the budget." in context_fill_sentence(over, worst)
