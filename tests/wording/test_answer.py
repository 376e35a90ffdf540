"""The answer about a message: settings by their titles, needs and losses named, and a trial told by fresh numbers."""

from __future__ import annotations

from dataclasses import replace as changed

import pytest
from sketches import conv

from historylab import Conversation, Message, Settings, ToolCall, replay
from historylab.costs.amounts import short_money
from historylab.costs.bill import against_untrimmed
from historylab.planning.reasons import Action
from historylab.planning.replay import Timeline
from historylab.pricing import Prices
from historylab.recall.retention import retention
from historylab.settings.resolve import resolve_settings
from historylab.tuning.saving import Saving
from historylab.wording.answer import (
    MeasuredTimeline,
    before_and_after,
    costs_facts,
    deletion_in_words,
    loss_in_words,
    need_in_words,
    place_among,
    saving_in_words,
    saving_words,
    since_in_words,
    try_words,
    unlisted_needs,
    what_would_keep,
    why_not_tried,
)
from historylab.wording.losses import LostFacts

FIND, REFUND = (ToolCall("c1", "shop.find", '{"order": "ORD-77"}'), ToolCall("c2", "refund", '{"customer": "cus_901"}'))
ORDER = Conversation(
    [
        Message("user", "Where is order ORD-77?"),
        Message("assistant", "", tool_calls=(FIND,)),
        Message("tool", "customer: cus_901", tool_call_id="c1"),
        Message("assistant", "It is at sea."),
        Message("user", "My money back."),
        Message("assistant", "", tool_calls=(REFUND,)),
        Message("tool", "done", tool_call_id="c2"),
        Message("assistant", "Done: ORD-77 is refunded."),
    ]
)
LAST = Settings(policy="lastN", length=1, pruner="off")


def seen(conversation: Conversation, settings: Settings) -> MeasuredTimeline:
    timeline = replay(conversation, settings)
    return MeasuredTimeline(timeline, retention(timeline), against_untrimmed(timeline, "none", Prices(4, 20)))


def of_a_mark(timeline: Timeline, message: int) -> tuple[str, str]:
    found = retention(timeline, stars=[message])
    return loss_in_words(found, next(loss for loss in found.losses if loss.kind == "star"))


def test_what_would_keep_a_message_is_said_by_the_titles_on_screen_and_claims_no_more_than_was_tried():
    chat = conv("s u a u a u a u")
    assert what_would_keep(replay(chat, Settings(length=2)).explain(-1, 2)) == "Sent if Length ≥ 4."
    assert what_would_keep(replay(chat, Settings(policy="none")).explain(-1, 1)) == "Sent if Policy is All."
    assert what_would_keep(replay(chat, Settings(preserve_system_messages=False)).explain(-1, 0)) == (
        "Sent if Keep system messages is on."
    )
    summed = replay(conv("u:40 a:40 u:40 a:40 u:40 a:40 u"), Settings(policy="all", pruner="summarize", budget=200))
    said = what_would_keep(summed.explain(-1, 0))
    assert said.startswith("Sent if Budget = ")
    assert "larger values tried, up to" in said
    assert what_would_keep(summed.explain(-1, -1)) == ""
    assert what_would_keep(replay(conv("u a(_) u"), Settings()).explain(-1, 1)) == "No setting we tried would send it."


@pytest.mark.parametrize(
    ("env", "said"),
    [
        ({}, ""),
        (
            {"HISTORYLAB_LENGTH": "20"},
            "Length is set by HISTORYLAB_LENGTH in the environment, so it can’t be tried here.",
        ),
        (
            {"HISTORYLAB_BUDGET": "200", "HISTORYLAB_STRICT_ENVIRONMENT": "true"},
            "The environment is strict, so it can’t be tried here.",
        ),
    ],
)
def test_what_the_environment_holds_is_named(env, said):
    assert why_not_tried({"length": 4}, resolve_settings(env, "", {}, {})) == said


def test_a_loss_says_which_message_left_when_and_who_needed_what_of_it():
    timeline = replay(ORDER, LAST)
    found = retention(timeline)
    assert loss_in_words(found, found.losses[0]) == (
        "Message 3 was dropped at request 3.",
        "refund needed it (customer: cus_901).",
    )
    long = ORDER.edited([*ORDER[:2], changed(ORDER[2], content="more " * 99 + "cus_901"), *ORDER[3:]])
    cut = Settings(policy="all").replace(**{"tool_output": "truncate", "tool_output.truncate.limit": 20})
    found = retention(replay(long, cut))
    assert loss_in_words(found, found.losses[0])[0] == "Message 3 was cut short at turn 1."
    assert of_a_mark(timeline, 3) == ("Message 4 was never sent.", "")
    assert of_a_mark(timeline, 0) == ("Message 1 was dropped at request 3.", "The answer used “ORD-77”.")
    assert since_in_words(timeline, Action.DROPPED, 2) == "Dropped since turn 2, request 1 of 2"


def test_a_message_says_who_needs_it_the_lost_ones_first():
    timeline = replay(ORDER, LAST)
    needs = retention(timeline).needed_of(0)
    assert [(need.step, held) for need, held in needs] == [(3, False), (0, True)]
    assert need_in_words(timeline, *needs[0][:1], held=False) == "needed “ORD-77” in the answer, and no longer had it"
    assert need_in_words(timeline, needs[1][0], held=True) == "needed “ORD-77” as “order” of shop.find, and had it"
    assert retention(timeline).needed_of(6) == []


def test_losses_of_one_message_at_once_are_counted_together():
    facts = LostFacts(5, 9)
    assert place_among(0, 1, facts) == "Loss 1/5"
    assert place_among(2, 2, facts) == "Losses 3–4/5"
    assert place_among(1, 0, facts) == "5 losses"
    assert place_among(1, 1, LostFacts(1, 16, marked=1)) == "Loss 2/2"
    assert place_among(0, 0, LostFacts(1, 16)) == "1 loss"


def test_a_trial_is_told_by_the_numbers_of_both_replays():
    before, after = seen(ORDER, LAST), seen(ORDER, LAST.replace(length=2))
    told = {shift.what: (shift.before, shift.after, shift.change) for shift in before_and_after(before, after, 2, 2)}
    old, new = before.timeline.plans[2], after.timeline.plans[2]
    assert told.pop("Message 3") == ("× dropped", "● kept", "better")
    assert told.pop("Messages sent") == ("1 of 5", "5 of 5", "+4")
    assert told.pop("Tokens") == (f"{old.tokens}", f"{new.tokens}", f"+{new.tokens - old.tokens}")
    assert told.pop("Facts lost") == ("2", "0", "better")
    assert told.pop("Cost") == (*(short_money(each.cost.bill.total) for each in (before, after)), "worse")
    assert told == {}
    marked = MeasuredTimeline(before.timeline, retention(before.timeline, stars=[0]), None)
    told = {shift.what: (shift.before, shift.after, shift.change) for shift in before_and_after(after, marked, 2, 2)}
    assert (told["Facts lost"], told["⚑ lost"]) == (("0", "2", "worse"), ("0", "1", "worse"))
    tight = seen(ORDER, Settings(policy="all", pruner="off", budget=10))
    back = {shift.what: shift for shift in before_and_after(tight, before, 2, None)}
    assert back["Requests over budget"].after == "0"
    assert back["Tokens"].change.startswith("−")
    assert back["Facts lost"].change == "worse"


def test_a_trial_that_keeps_more_facts_costs_none_though_it_is_dearer():
    few, more = seen(ORDER, LAST), seen(ORDER, LAST.replace(length=2))
    assert not costs_facts(before_and_after(few, more, 2, 2))
    assert costs_facts(before_and_after(more, few, 2, 2))


def test_a_deletion_says_what_it_leaves_alone():
    chat = conv("u a(t t) a(t) u")
    assert deletion_in_words(chat, 0, marked=True) == "Message 1 is deleted, and its mark “must remember” with it."
    assert "Its 2 results are left without their call" in deletion_in_words(chat, 1, marked=False)
    assert "The call it answered is left without a result" in deletion_in_words(chat, 2, marked=False)
    assert "Its result is left without its call" in deletion_in_words(chat, 4, marked=False)


def test_needs_that_are_not_listed_are_no_second_number_beside_the_lost_ones():
    needs = [(None, False)] * 3 + [(None, True)] * 76
    assert unlisted_needs(needs, 4) == (
        "and by other requests, which had it",
        "Needed 79 times in all: 3 lost, 76 held.",
    )
    assert unlisted_needs(needs, 2)[0] == "and by other requests, some of which had it"
    assert unlisted_needs(needs[:3], 2)[0] == "and by other requests, which no longer had it"
    assert unlisted_needs(needs[:3], 4)[0] == ""


def test_a_saving_says_what_becomes_of_the_losses_that_stand_beside_it():
    def said(lost: int, were_lost: int) -> str:
        return saving_in_words(Saving({}, Settings(), 0.56, True, lost, were_lost))

    assert said(0, 0) == "44% cheaper, no fact lost."
    assert said(0, 8) == "All 8 kept, 44% cheaper."
    assert said(0, 2) == "Both kept, 44% cheaper."
    assert said(0, 1) == "It is kept, 44% cheaper."
    assert said(2, 8) == "2 lost instead of 8, 44% cheaper."
    assert said(8, 8) == "44% cheaper, no more facts lost."


def test_what_a_button_has_no_room_for_is_said_beside_it():
    assert try_words({"length": 23, "budget": 6100}) == ("Try it: budget 6,100, length 23", "")
    many = {"policy": "all", "budget": 132_648, "tool_output": "stale_reads"}
    label, rest = try_words(many)
    assert label == "Try it: budget 132,648"
    assert rest.startswith("Keeping all messages (")
    changes = {"budget": 520, "pruner": "summarize", "pin": "never *"}
    saving = Saving(changes, Settings().replace(**changes), 0.5, True, 0, 0)
    assert saving_words(saving) == ("Try it: summarise at 520", "Keeping “never *”")
    pinned = Saving({"pin": "never *"}, Settings(pruner="off", pin="never *"), 1.0, True, 0, 1)
    assert saving_words(pinned) == ("Try it: pin what was lost", "Keeping “never *”")
