"""Every measure of a sweep has a value for any conversation, says what it is, and combines over conversations."""

from __future__ import annotations

import json
import math

import pytest
from conversation_strategies import conversations, settings
from hypothesis import given
from hypothesis import settings as examples
from sketches import conv

from historylab import Conversation, Settings, generate, replay
from historylab.costs.caches.base import all_caches
from historylab.tuning import measures
from historylab.tuning.combine import total
from historylab.tuning.measures import COLUMNS, MEASURES, Measure, combine_rows, measure, measures_under
from historylab.tuning.replayed import MeasureOptions
from historylab.tuning.sweep import sweep

EVERY = measures_under(all_caches())
NAMES = [one.name for one in EVERY]
OPTIONS = MeasureOptions(questions=("where is the refund?",))
CHATS = (generate("support_desk", turns=5, seed=1), generate("coding_agent", turns=4, seed=2), conv("s u a"))


@pytest.fixture(scope="module")
def rows():
    """The rows of some conversations under one set of settings."""
    return [measure(replay(chat, Settings(budget=600)), OPTIONS) for chat in CHATS]


def same(one: object, other: object) -> bool:
    return one == other or one == pytest.approx(other, nan_ok=True)


def test_no_two_measures_share_a_name_and_columns_are_in_their_order():
    assert len(set(NAMES)) == len(NAMES)
    assert list(COLUMNS) == [one.name for one in MEASURES]
    assert list(measure(replay(CHATS[0], Settings()), OPTIONS)) == NAMES


def test_a_measure_without_a_way_to_combine_cannot_be():
    with pytest.raises(TypeError, match="combine"):
        Measure("longest", "the longest message", lambda replayed: 0)


def test_it_says_what_it_is_in_a_few_words():
    assert [one.name for one in EVERY if not 2 < len(one.help) < 100 or one.help.endswith(".")] == []


def test_its_value_is_a_plain_number_or_text(rows):
    assert [name for row in rows for name in NAMES if type(row[name]) not in (int, float, str)] == []
    json.dumps(rows)


def test_its_value_is_of_the_kind_it_says_or_unknown(rows):
    kinds = {one.name: one.kind for one in EVERY}
    said = [(n, type(v), kinds[n]) for row in rows for n, v in row.items() if v == v]  # noqa: PLR0124 (not NaN)
    assert [each for each in said if each[1] is not each[2]] == []


def test_over_one_conversation_it_is_that_conversations(rows):
    for row in rows:
        alone = combine_rows([row])
        assert [name for name in NAMES if not same(alone[name], row[name])] == []


def test_over_several_the_order_does_not_matter(rows):
    one, other = combine_rows(rows), combine_rows(rows[::-1])
    assert [name for name in NAMES if not same(one[name], other[name])] == ["title"]


def test_over_several_every_conversation_counts(rows):
    combined = combine_rows(rows)
    for name in NAMES:
        values = [row[name] for row in rows if row[name] == row[name]]
        if name != "title" and values:
            assert same(combined[name], sum(values)) or min(values) <= combined[name] <= max(values), name


@examples(max_examples=25)
@given(conversations(), settings())
def test_every_conversation_can_be_measured(conversation, chosen):
    row = measure(replay(conversation, chosen), MeasureOptions())
    assert list(row) == NAMES


def test_what_is_unknown_stays_unknown():
    empty = replay(Conversation([]), Settings(model="a model of my own"))
    nothing = combine_rows([measure(empty, MeasureOptions())])
    assert math.isnan(nothing["cost_automatic"])
    assert math.isnan(nothing["references_kept"])


def test_a_new_measure_is_a_column_and_combines(monkeypatch):
    results = Measure(
        "tool_results", "tool results", lambda r: sum(m.role == "tool" for m in r.timeline.conversation), combine=total
    )
    monkeypatch.setattr(measures, "MEASURES", (*MEASURES, results))
    table = sweep(CHATS, [Settings()])
    assert table["tool_results"].tolist() == [sum(m.role == "tool" for m in chat) for chat in CHATS]
    assert combine_rows(table.to_dict("records"))["tool_results"] == table["tool_results"].sum()
