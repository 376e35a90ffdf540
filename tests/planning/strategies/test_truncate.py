"""The tool-output stage `truncate`: long results are cut to their start; newer ones may stay whole."""

from __future__ import annotations

import pytest
from sketches import conv

from historylab.planning.pipeline import plan_history
from historylab.planning.plan import HistoryPlan
from historylab.settings.model import Settings


def cut(sketch: str, limit: int, unit: str = "characters", **options) -> HistoryPlan:
    named = {f"tool_output.truncate.{k}": v for k, v in {"limit": limit, "unit": unit, **options}.items()}
    chosen = Settings(policy="all", pruner="off", tool_output="truncate", counter="chars/4", **named)
    return plan_history(conv(sketch), chosen)


def start_of(plan: HistoryPlan, i: int) -> str:
    return plan.render()[i].content.partition("\n")[0]


@pytest.mark.parametrize(("to", "left"), [(0, 100), (20, 20), (100, 100), (900, 100)])
def test_less_may_be_left_of_a_result_than_is_sent_whole(to, left):
    assert len(start_of(cut("u a(t:60)", 100, to=to), 2)) == left


def test_what_is_no_longer_than_the_limit_stays_whole():
    assert cut("u a(t:60 t:9)", 100, to=20).sketch() == "KKTK"
    assert cut("u a(t:60 t:9)", 25, "tokens", to=5).sketch() == "KKTK"


@pytest.mark.parametrize(("tokens", "expected"), [(0, "KKTKT"), (90, "KKTKK"), (999, "KKKKK")])
def test_the_newest_tokens_of_results_stay_whole(tokens, expected):
    assert cut("u a(t:60) a(t:60)", 100, keep_tokens=tokens).sketch() == expected


def test_its_reason_says_how_many_tokens_stay():
    assert cut("u a(t:60) a(t:60)", 100, keep_tokens=90).reason(2).sentence == (
        "A tool result longer than 100 characters, beyond the newest 90 tokens of results: its start is sent."
    )
