"""The pruner `message_window`: beyond so many messages, groups or items the newest few stay."""

from __future__ import annotations

import pytest
from sketches import conv

from historylab.planning.replay import Timeline, replay
from historylab.settings.model import Settings
from historylab.tuning.moving_cut import moving_cut, with_mend
from historylab.wording.cuts import settings_in_words
from historylab.wording.settings_sentence import settings_sentence


def cut_to(keep: int, trigger: int = 0, **options) -> Settings:
    named = {f"pruner.message_window.{k}": v for k, v in {"keep": keep, "trigger": trigger, **options}.items()}
    return Settings(policy="all", pruner="message_window", **named)


def replayed(conversation: str, keep: int, trigger: int = 0, **options) -> Timeline:
    return replay(conv(conversation), cut_to(keep, trigger, **options))


def last(*given, **options) -> str:
    return replayed(*given, **options).plans[-1].sketch()


def test_beyond_the_trigger_so_many_stay_and_the_cut_waits_until_it_is_reached_again():
    plans = replayed("s " + "u a " * 8 + "u", 4, 8).plans
    assert [plan.sketch().count("K") for plan in plans] == [1, 3, 5, 7, 4, 6, 8, 4, 6]
    assert all(plan.sketch()[0] == "P" for plan in plans)


def test_with_no_trigger_above_it_every_request_has_so_many():
    assert [plan.sketch().count("K") for plan in replayed("u a " * 5 + "u", 3).plans] == [1, 3, 3, 3, 3, 3]


@pytest.mark.parametrize(
    ("keep", "expected"), [(1, "PDDDDDDK"), (2, "PDDDDDKK"), (3, "PDDKKKKK"), (5, "PDDKKKKK"), (6, "PDKKKKKK")]
)
def test_a_call_stays_with_its_results(keep, expected):
    assert last("s u a a(t t) a u", keep) == expected


@pytest.mark.parametrize(
    ("unit", "expected"),
    [("messages", "DDDKKKKKK"), ("merged", "DKKKKKKKK"), ("groups", "KKKKKKKKK"), ("items", "DDDDKKKKK")],
)
def test_what_is_counted(unit, expected):
    assert last("u a(t) a a(t t) a u", 6, unit=unit) == expected


def test_what_stays_may_have_to_begin_with_a_user_message():
    assert last("u a u a a u", 5, start="user") == "DDKKKK"
    assert last("u a u a a u", 5) == "DKKKKK"


def test_without_a_user_message_among_the_newest_it_begins_with_a_whole_block():
    assert last("u a a(t t) a(t)", 3, start="user", keep_task=False) == "DDDDDKK"
    assert last("u a a(t t) a(t)", 3, start="user") == "KDDDDKK"


def test_the_newest_block_stays_however_much_it_counts():
    assert last("u a a(t t t t)", 2, keep_task=False) == "DDKKKKK"
    assert last("u a a(t t t t)", 2, keep_task=False, start="user") == "DDKKKKK"


def test_at_the_start_of_a_turn_alone_what_is_said_in_it_is_neither_cut_nor_counted():
    plans = replayed("u a u a u a(t) a(t) a(t) a u", 2, asked="turn").plans
    assert [plan.sketch() for plan in plans[2:]] == [
        "DDKKK", "DDKKKKK", "DDKKKKKKK", "DDKKKKKKKKK", "D" * 9 + "KKKK"
    ]  # fmt: skip


def test_pins_and_protected_turns_stay_and_pins_are_not_counted():
    assert last("u! a u a u", 3) == "PDKKK"
    settings = cut_to(1).replace(min_turns=1)
    assert replay(conv("u a u a u"), settings).plans[-1].sketch() == "DDKKK"


def test_its_reasons_say_what_stays_and_when():
    assert replayed("u a " * 5 + "u", 2, 8).plans[-1].reason(0).sentence == (
        "Outside the window: cut to the newest 2 messages when there were more than 8."
    )
    assert replayed("u a u a u", 3, unit="groups", start="user").plans[-1].reason(0).sentence == (
        "Outside the window of the newest 3 groups, from a user message on."
    )


def test_where_it_cuts_at_every_request_a_trigger_above_it_is_the_mend():
    timeline = replayed("s " + "u a " * 30 + "u", 10)
    found = moving_cut(timeline)
    assert found
    assert with_mend(found, timeline).mend == {"pruner.message_window.trigger": 20}
    assert moving_cut(replayed("s " + "u a " * 30 + "u", 10, 20)) is None


def test_the_sentence_of_the_settings_counts_in_its_own_unit():
    said = settings_sentence(cut_to(20, 40, unit="items"))
    assert said == "Keep everything, then drop all but the newest 20 items once there are more than 40."
    assert settings_sentence(cut_to(1, unit="groups")).endswith("all but the newest 1 group.")
    assert settings_in_words(cut_to(20, 40)) == "a cut to the newest 20 messages beyond 40 over all messages"
