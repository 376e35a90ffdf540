"""The setting `pin`: what a text, a role, a tool or a place keeps, in every request after it was said, and why."""

from __future__ import annotations

import pytest
from sketches import conv

from historylab import Settings, plan_history, replay, trim
from historylab.conversation.conversation import Conversation
from historylab.conversation.message import Message
from historylab.errors import SettingsError
from historylab.planning.pins import Pattern, mark_words
from historylab.registry import members
from historylab.reports.decisions import reason_sentences

TIGHT = {"policy": "lastN", "length": 1}


def sketch(written: str | Conversation, **chosen) -> str:
    conversation = conv(written) if isinstance(written, str) else written
    return plan_history(conversation, Settings(**{**TIGHT, **chosen})).sketch()


@pytest.mark.parametrize(
    ("chosen", "kept"),
    [
        ({"pin": "w1"}, "PPDDDDKK"),
        ({"pin": "w1|w5"}, "PPDDDPKK"),
        ({"pin": "W5 w5*"}, "PDDDDPKK"),
        ({"pin": "result 3 0"}, "PDDPPDKK"),  # with its call
        ({"pin.tools": "look*"}, "PDDPPDKK"),
        ({"pin.tools": "look"}, "PDDDDDKK"),
        ({"pin.roles": "user"}, "PPDDDDPK"),
        ({"pin": "w1|w2", "pin.roles": "user"}, "PPDDDDKK"),
        ({"pin.first": 3}, "PPPDDDKK"),
        ({"pin.first_user": True}, "PPDDDDKK"),
        ({"pin": "w5", "pin.first": 2, "pin.tools": "look_up"}, "PPDPPPKK"),
    ],
)
def test_a_rule_keeps_what_it_says(chosen, kept):
    assert sketch("s u a a(t) a u a", **chosen) == kept


@pytest.mark.parametrize(
    "way", [{"policy": p} for p in members("policy")] + [{"pruner": p, "budget": 1} for p in members("pruner")], ids=str
)
def test_it_is_in_every_request_after_it_was_said(way):
    settings = Settings(**{"policy": "all", **way, "pin": "w3*", "tool_output": "clear", "compaction": "rolling"})
    for plan in replay(conv("s u a u a u a(t:90) a u a u"), settings).plans:
        assert plan.size <= 3 or plan.sketch()[3] == "P"


def test_a_pinned_result_is_not_shortened():
    long = conv("u a(t:900) a u")
    shortened = {"policy": "all", "tool_output": "truncate", "tool_output.truncate.limit": 10}
    assert sketch(long, **shortened) == "KKTKK"
    assert sketch(long, **shortened, pin="r1_0 r1_0*") == "KPPKK"
    for stage in members("tool_output"):
        assert sketch(long, policy="all", tool_output=stage, pin="r1_0 r1_0*")[1:3] == "PP"


def test_the_reason_quotes_the_rule_that_kept_each_message():
    settings = Settings(**TIGHT, pin="w1*|w3", **{"pin.tools": "look_up", "pin.first": 1})
    plan = plan_history(conv("u! u a u a(t) u"), settings)
    assert reason_sentences(plan)[:6] == [
        "Always sent: you pinned it.",
        "Always sent by the rule “w1*”.",
        reason_sentences(plan)[2],
        "Always sent by the rule “w3”.",
        *["Always sent by the rule for the tool “look_up”."] * 2,
    ]
    assert [plan.reason(i).sentence for i in range(plan.size)] == reason_sentences(plan)


def test_system_messages_and_half_calls_are_decided_before_any_rule():
    plan = plan_history(conv("s u a(t _) u"), Settings(**TIGHT, pin="w0*|w2|result*"))
    assert [plan.reason(i).rule for i in range(4)] == ["system", "last_n", "invalid", "invalid"]


@pytest.mark.parametrize(
    ("pattern", "text", "found"),
    [
        ("never e-mail*", "Please: NEVER\n  e-mailing them", True),
        ("never e-mail", "never e-mails", False),
        ("ann*", "hannah", False),
        ("*ann*", "hannah", True),
        ("order * refund", "order 17 refund", True),
        ("order 17", "order 178", False),
        ("a*c", "c a", False),
        ("straße", "STRASSE", True),
        ("不要*", "永远不要删除", True),
        ("(x", "f(x)", True),
        ("a.c", "abc", False),
    ],
)
def test_a_pattern_is_plain_text_with_stars(pattern, text, found):
    assert Pattern(pattern).matches(text) is found


class Counted(str):
    """A text that counts the characters looked at."""

    looked = 0

    def find(self, sought, start=0):
        at = super().find(sought, start)
        Counted.looked += (len(self) if at < 0 else at + len(sought)) - start
        return at


@pytest.mark.parametrize("hostile", ["a*" * 100 + "b", "*".join(["aa"] * 90) + "*b", "a" * 299 + "b", "*a" * 149])
def test_a_hostile_pattern_reads_a_text_once(hostile):
    text = Counted(mark_words("a" * 5000 + " a" * 5000))
    Counted.looked = 0
    Pattern(hostile).within(text)
    assert Counted.looked <= len(text) + 300


@pytest.mark.parametrize("projection", [p for p in members("projection") if p != "off"])
def test_a_rule_follows_its_message_through_a_projection(projection):
    settings = Settings(**TIGHT, pin="w1*|result*", projection=projection)
    last = replay(conv("s u a(t) a u a u a u"), settings).plans[-1]
    sent = " ".join(message.content for message in last.render())
    assert "w1 w1" in sent and "result 2 0" in sent and "w5" not in sent
    why = [last.reason(i).sentence for i in range(last.size) if last.reason(i).rule == "pin_rule"]
    assert {"Always sent by the rule “w1*”.", "Always sent by the rule “result*”."} == set(why)


def test_trim_keeps_it_as_the_callers_own_object():
    rule = {"role": "user", "content": "From now on, never e-mail outside."}
    messages = [rule, *({"role": role, "content": "word " * 50} for _ in range(9) for role in ("assistant", "user"))]
    for projection in ("off", "with_thinking", "point_of_view"):
        assert trim(messages, Settings(**TIGHT, pin="never e-mail*", projection=projection))[0] is rule


def test_over_budget_says_so_with_what_would_mend_it():
    timeline = replay(conv("u:300 a u:5"), Settings(budget=100, pin="w0 w0*", policy="all"))
    cause = timeline.over_budget_cause(1)
    assert cause.filled.endswith("in messages that rules keep")
    assert cause.why == "What a rule keeps is never cut."
    assert cause.alternative == {"pin": ""}
    assert Settings(budget=cause.remedy["budget"])


@pytest.mark.parametrize(
    ("name", "raw", "why"),
    [
        ("pin", "never\x07", "control character"),
        ("pin", "*", "everything"),
        ("pin", "x" * 301, "too long"),
        ("pin", "|".join(f"rule {k} {'y' * 90}" for k in range(50)), "too long"),
        ("pin.roles", "users", "there is no role 'users'"),
        ("pin.tools", " , *", "everything"),
        ("pin.first", -1, "too small"),
    ],
)
def test_what_cannot_be_a_rule_is_refused_in_words(name, raw, why):
    with pytest.raises(SettingsError, match=why):
        Settings(**{name: raw})


def test_rules_written_apart_in_any_way_are_the_same_settings():
    assert Settings(pin=" never  e-mail*\r\n\nalways|never e-mail*").pin == "never e-mail*|always"
    assert Settings(**{"pin.roles": "User | system"}).value("pin.roles") == "system,user"
    assert Settings(**{"pin.tools": "a*, b|c"}).value("pin.tools") == "a*,b,c"


def test_a_message_that_says_nothing_is_no_reason_to_keep_it():
    assert sketch(Conversation([Message("user", ""), *conv("a u a u")]), pin="*x*") == "DDDDK"
