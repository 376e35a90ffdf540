"""Policies: the explicit wish. N counts user messages, 0 acts as 1, and what a pruner must keep a policy may drop."""

from __future__ import annotations

import pytest
from sketches import conv

from historylab.conversation.conversation import Conversation
from historylab.conversation.message import Message, ToolCall
from historylab.planning.pipeline import plan_history
from historylab.settings.model import Settings


def sketch(conversation, **chosen) -> str:
    conversation = conv(conversation) if isinstance(conversation, str) else conversation
    return plan_history(conversation, Settings(**chosen)).sketch()


@pytest.mark.parametrize(
    ("conversation", "length", "plan"),
    [
        ("s u a u a u", 1, "PDDDDK"),
        ("s u a u a u", 2, "PDDKKK"),
        ("s u a u a u", 3, "PKKKKK"),
        ("s u a u a u", 0, "PDDDDK"),  # 0 acts as 1
        ("s u a u a u", 10**9, "PKKKKK"),
        ("s a u a u", 1, "PDDDK"),  # the greeting goes once it trims
        ("s a u a", 1, "PKKK"),  # and not before
        ("u u u", 2, "DKK"),  # consecutive users count one each
        ("a a", 1, "KK"),  # without a user message nothing is cut
        ("", 1, ""),
        ("u a(t t) a u", 1, "DDDDDK"),
        ("u a u a(t t)", 1, "DDKKKK"),
        ("s u a s u", 1, "PDDPK"),  # system messages stay wherever they are
        ("u! a u a u", 1, "PDDDK"),  # pins too
        ("u o u", 1, "DDK"),
    ],
)
def test_last_n(conversation, length, plan):
    assert sketch(conversation, length=length) == plan


@pytest.mark.parametrize(
    ("conversation", "length", "plan"),
    [
        ("s u a u a u", 2, "PDDDKK"),
        ("s u a u a u", 0, "PDDDDK"),
        ("s u a u a u", 5, "PKKKKK"),
        ("u a u a(t t) a", 3, "DDKKKKK"),  # a call stays with its results
        ("u a(t) a(t) a(t)", 2, "KDDDDKK"),  # and the question with what is done about it
        ("u! a u a u", 2, "PDDKK"),  # pins aren't counted
        ("a", 1, "K"),
        ("", 1, ""),
    ],
)
def test_last_messages(conversation, length, plan):
    assert sketch(conversation, policy="lastMessages", length=length) == plan


def test_all_keeps_everything_the_budget_allows():
    assert sketch("s a u a u a", policy="all", length=1) == "PKKKKK"


@pytest.mark.parametrize(
    ("conversation", "plan"),
    [
        ("s a u a u", "PDDDK"),
        ("s u a u a(t) a(t)", "PDDKKKKK"),  # what follows the newest user message is still being answered
        ("u! a u s", "PDKP"),
        ("u u", "DK"),
        ("a", "K"),  # without a user message, the newest of all
        ("", ""),
    ],
)
def test_none_keeps_the_newest_user_message_and_what_follows_it(conversation, plan):
    assert sketch(conversation, policy="none") == plan


def test_none_keeps_a_call_whose_result_comes_after_the_newest_user_message():
    assert sketch(late("user"), policy="none") == "DKKK"


@pytest.mark.parametrize(
    ("policy", "plan"),
    [("none", "DDDK"), ("lastN", "DKDK"), ("all", "KKKK")],
)
def test_without_preserving_system_messages(policy, plan):
    assert sketch("s u s u", policy=policy, length=2, preserve_system_messages=False) == plan


def test_a_pinned_system_message_stays_even_so():
    assert sketch("s! s u", preserve_system_messages=False) == "PDK"


def late(*between: str) -> Conversation:
    """A call, whatever is said between, and its result."""
    call = Message("assistant", tool_calls=(ToolCall("x", "f"),))
    said = [Message(role, role) for role in between]
    return Conversation([Message("user", "q"), call, *said, Message("tool", "r", tool_call_id="x")])


def test_a_call_whose_result_comes_after_the_cut_is_not_older_than_it():
    assert sketch(late("user"), length=1) == "DKKK"
    assert sketch(Conversation([*late("user"), Message("user", "q")]), length=1) == "DDDDK"


def test_the_newest_results_stay_even_where_late_ones_are_dropped():
    dropped = {"policy.lastN.late_results": "drop", "length": 1}
    assert sketch(late("user"), **dropped) == "DKKK"
    assert sketch(Conversation([*late("user"), Message("assistant", "a")]), **dropped) == "DDKDK"


def test_min_turns_does_not_guard_against_the_policy():
    assert sketch("s u a u a u", length=1, min_turns=3) == "PDDDDK"
    assert sketch("s u a u a u", policy="none", min_turns=3) == "PDDDDK"
