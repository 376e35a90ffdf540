"""A request that leaves much of its budget unused says which turn did not fit, and what would keep it."""

from __future__ import annotations

import re

from conversation_strategies import conversations, settings
from hypothesis import given
from hypothesis import settings as examples
from sketches import conv

from historylab import replay
from historylab.planning.pipeline import open_instruments, plan_up_to
from historylab.planning.unused_budget import UnusedBudget
from historylab.settings.model import Settings
from historylab.wording.over_budget import unused_in_words

LONG_TURN = "u a u:50 a(t:150) a(t:150) a(t:150) a u"


def found(sketch: str, **chosen) -> UnusedBudget | None:
    return replay(conv(sketch), Settings(**{"policy": "all", **chosen})).unused_budget(-1)


def test_the_turn_that_does_not_fit_is_named_with_a_budget_that_keeps_it():
    unused = found(LONG_TURN, budget=700)
    assert (unused.turn, unused.newest) == (1, True)
    assert unused.tokens > unused.unused > 350
    timeline = replay(conv(LONG_TURN), Settings(policy="all", **unused.room))
    assert timeline.plans[-1].sketch() == "DDKKKKKKKKK"


def test_cutting_inside_turns_is_offered_where_it_sends_more():
    finer = found(LONG_TURN, budget=700).finer
    assert finer == {"pruner.fifo.unit": "block"}
    assert replay(conv(LONG_TURN), Settings(policy="all", budget=700, options=finer)).tokens[-1] > 350
    assert found("u:50 a:900 u", budget=700).finer == {}


def test_the_sentence_says_what_is_needed_and_what_stays_unused():
    said = unused_in_words(found(LONG_TURN, budget=700))
    assert re.match(r"Turn \d+ \([\d.k]+ tokens\)", said)
    assert "didn’t fit and was dropped whole; " in said
    assert unused_in_words(found("u a u:50 a:900 u a u", budget=700)).startswith("Turn 2 (")


def test_nothing_is_said_where_all_fits_or_the_budget_is_used():
    assert found("u a u") is None
    assert found("u:90 a u:90 a u:90 a u", budget=250) is None
    assert found("u a u", budget=0) is None


@examples(max_examples=60)
@given(conversations(max_size=12), settings())
def test_both_remedies_do_what_they_say(conversation, chosen):
    timeline = replay(conversation, chosen)
    for number, plan in enumerate(timeline.plans):
        if unused := timeline.unused_budget(number):
            for changes in filter(None, (unused.room, unused.finer)):
                changed = chosen.replace(**changes)
                again = plan_up_to(conversation, changed, open_instruments(changed), plan.size)
                assert again.tokens > plan.tokens
                assert not again.over_budget or plan.over_budget
