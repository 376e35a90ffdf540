"""`has_effect`: which settings do something under the others; the rest change no plan, whatever their values."""

from __future__ import annotations

from typing import Any

import pytest
from conversation_strategies import conversations, settings
from hypothesis import given
from hypothesis import settings as examples
from hypothesis import strategies as st
from setting_values import values

from historylab.conversation.conversation import Conversation
from historylab.planning.pipeline import plan_requests
from historylab.settings.effect import READ_BY_EVERY_PLAN, deciding_families, has_effect
from historylab.settings.model import Settings, setting_names


def plans(conversation: Conversation, chosen: Settings) -> list[Any]:
    return [(plan.sketch(), plan.tokens, plan.render()) for plan in plan_requests(conversation, chosen)]


@pytest.mark.slow
@examples(max_examples=150)
@given(conversations(), settings(), st.integers(0, 9))
def test_settings_without_an_effect_change_no_plan(conversation, chosen, which):
    idle = [name for name in setting_names() if not has_effect(chosen, name)]
    changed = chosen.replace(**{name: values(name)[which % len(values(name))] for name in idle})
    assert not any(has_effect(changed, name) for name in idle)
    assert plans(conversation, changed) == plans(conversation, chosen)


@pytest.mark.parametrize(
    ("name", "chosen", "expected"),
    [
        ("length", {"policy": "lastN"}, True),
        ("length", {"policy": "all"}, False),
        ("min_turns", {"pruner": "off"}, False),
        ("min_turns", {"pruner": "off", "compaction": "rolling"}, True),
        ("threshold", {"compaction": "at_threshold"}, True),
        ("threshold", {"compaction": "rolling"}, False),
        ("window", {"pruner": "adaptive"}, True),
        ("window", {"pruner": "fifo"}, False),
        ("relevance", {"pruner": "relevance"}, True),
        ("relevance", {"pruner": "fifo"}, False),
        ("summarizer", {"pruner": "summarize"}, True),
        ("summary_heading", {"compaction": "rolling"}, True),
        ("summarizer", {"pruner": "fifo", "pruner.fifo.trim_to": 0.5}, False),
        ("summarizer.model.prompt", {"pruner": "summarize", "summarizer": "model"}, True),
        ("summarizer.model.prompt", {"pruner": "fifo", "summarizer": "model"}, False),
        ("pruner.fifo.unit", {"pruner": "summarize"}, False),
        ("filter.scope.scope", {"filter": "newest+scope"}, True),
        ("projection.point_of_view.agent", {"filter": "addressed_only"}, True),
        ("projection.point_of_view.agent", {"filter": "newest"}, False),
    ],
)
def test_a_setting_has_an_effect_while_what_reads_it_is_chosen(name, chosen, expected):
    assert has_effect(Settings(**chosen), name) is expected


def test_what_every_plan_reads_are_settings():
    assert set(setting_names()) >= READ_BY_EVERY_PLAN


def test_the_families_that_decide_are_those_that_read_it():
    assert deciding_families("min_turns") == {"pruner", "compaction"}
    assert deciding_families("pruner.fifo.unit") == {"pruner"}
    assert deciding_families("budget") == frozenset()
