"""The pruner `pairs`: the newest pairs that fit, whole blocks, the turn being answered left alone."""

from __future__ import annotations

import pytest
from sketches import conv

from historylab.planning.pipeline import plan_history
from historylab.settings.model import Settings


def sketch(conversation: str, words: int = 4, **options) -> str:
    dotted = {f"pruner.pairs.{name}": value for name, value in options.items()}
    settings = Settings(policy="all", pruner="pairs", budget=1_000_000, **dotted)
    return plan_history(conv(conversation, words), settings).sketch()


@pytest.mark.parametrize(
    ("pairs", "expected"), [(1, "PDDDDKKK"), (2, "PDDKKKKK"), (1.5, "PDDDDKKK"), (3, "PKKKKKKK"), (0, "PDDDDDDK")]
)
def test_the_newest_pairs_before_the_question_stay_from_a_user_message_on(pairs, expected):
    assert sketch("s u a u a u a u", pairs=pairs) == expected


@pytest.mark.parametrize(("pairs", "expected"), [(0.1, "DDKK"), (0.75, "DKKK"), (1, "DKKK"), (1.1, "KKKK")])
def test_part_of_a_pair_is_rounded_up_to_whole_messages(pairs, expected):
    assert sketch("u u u u", pairs=pairs) == expected


def test_the_turn_being_answered_is_no_history_however_long():
    assert sketch("u a u a(t) a(t) a(t)", pairs=0, characters=0) == "DDKKKKKKK"


def test_a_call_counts_as_one_message_with_its_results():
    assert sketch("u a u a(t t) u", pairs=1) == "DDKKKKK"


def test_characters_are_those_of_texts_and_arguments():
    each = len("w1 w1 w1 w1")
    assert sketch("u a u a u", characters=2 * each) == "DDKKK"
    assert sketch("u a u a u", characters=4 * each - 1) == "DDKKK"
    assert sketch("u a u a u", characters=4 * each) == "KKKKK"


def test_a_newest_exchange_over_the_limit_is_cut_or_dropped():
    assert sketch("u a u:90 a:90 u", characters=60) == "DDTTK"
    assert sketch("u a u a:90 u", characters=60) == "DDKTK"
    assert sketch("u a u:90 a:90 u", characters=60, oversized="drop") == "DDDDK"


def test_what_an_earlier_stage_shortened_counts_as_it_is_sent():
    options = {"tool_output.truncate.limit": 10, "tool_output.truncate.unit": "characters"}
    settings = Settings(
        policy="all", pruner="pairs", tool_output="truncate", **options, **{"pruner.pairs.characters": 150}
    )
    messages = list(conv("u a(t) a u"))
    from dataclasses import replace

    messages[2] = replace(messages[2], content="x" * 5_000)
    assert plan_history(conv("").edited(messages), settings).sketch() == "KKTKK"


def test_without_a_user_message_only_the_newest_block_stays():
    assert sketch("s a a(t) a") == "PDDDK"
