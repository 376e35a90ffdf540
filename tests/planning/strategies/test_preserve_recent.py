"""The cut of `preserve_recent`: newest messages stay, leading system messages too, blocks whole."""

from __future__ import annotations

import pytest
from sketches import conv

from historylab.conversation.conversation import Conversation
from historylab.conversation.message import Message, ToolCall
from historylab.planning.pipeline import plan_history
from historylab.planning.replay import replay
from historylab.settings.model import Settings


def settings(messages: int, **changes) -> Settings:
    options = {f"compaction.preserve_recent.{k}": v for k, v in (("messages", messages), ("keep_task", False))}
    return Settings(
        policy="all", pruner="off", compaction="preserve_recent", window=100, **options,
        **{"compaction.preserve_recent.max_share": 1},
    ).replace(**changes)  # fmt: skip


@pytest.mark.parametrize(
    ("messages", "expected"),
    [
        (1, "PSSSSSSSK"),
        (2, "PSSSSSSKK"),
        (3, "PSSSKKKKK"),
        (4, "PSSSKKKKK"),
        (6, "PSSKKKKKK"),
        (8, "PKKKKKKKK"),
        (99, "PKKKKKKKK"),
    ],
)
def test_the_cut_moves_before_a_call_it_would_part(messages, expected):
    assert plan_history(conv("s u a u a(t t) u a", words=12), settings(messages)).sketch() == expected


def test_leading_system_messages_stay_even_where_they_are_not_preserved():
    changed = settings(2, preserve_system_messages=False)
    assert plan_history(conv("s s u a s u a", words=12), changed).sketch() == "KKSSSKK"


def test_a_result_that_comes_late_keeps_everything_from_its_call_on():
    call = Message("assistant", "w " * 30, tool_calls=(ToolCall("c", "f"),))
    late = [call, Message("user", "w " * 30), Message("tool", "r", tool_call_id="c"), Message("user", "w " * 30)]
    conversation = Conversation([Message("user", "w " * 30), Message("assistant", "w " * 30), *late])
    plan = plan_history(conversation, settings(2))
    assert plan.sketch() == "SSKKKK"


def test_the_task_is_kept_unless_it_may_be_folded():
    conversation = conv("u a(t) a(t) a(t)", words=20)
    assert plan_history(conversation, settings(2)).sketch() == "SSSSSKK"
    kept = settings(2, **{"compaction.preserve_recent.keep_task": True})
    assert plan_history(conversation, kept).sketch() == "KSSSSKK"


def test_a_trigger_in_tokens_stands_in_for_the_threshold():
    conversation = conv("u a u a u a u", words=20)
    tokens = replay(conversation, settings(1, compaction="off")).tokens
    by_tokens = settings(1, threshold=1.0, **{"compaction.preserve_recent.trigger": int(tokens[2])}).replace(
        window=9999
    )
    assert [plan.sketch() for plan in replay(conversation, by_tokens).plans][1:3] == ["KKK", "SSSSK"]
    with_overhead = by_tokens.replace(overhead=int(tokens[2] - tokens[1]))
    assert [plan.sketch() for plan in replay(conversation, with_overhead).plans][:2] == ["K", "SSK"]


@pytest.mark.parametrize(
    ("tokens", "expected"), [(1, "PSSSSSSSK"), (40, "PSSSSSSKK"), (45, "PSSSKKKKK"), (9_999, "PKKKKKKKK")]
)
def test_tokens_may_say_what_stays_in_place_of_messages(tokens, expected):
    chosen = settings(0, counter="chars/4", **{"compaction.preserve_recent.tokens": tokens})
    assert plan_history(conv("s u a u a(t t) u a", words=12), chosen).sketch() == expected


def test_its_reason_names_the_tokens_then():
    chosen = settings(0, **{"compaction.preserve_recent.tokens": 1})
    why = plan_history(conv("u a u a", words=30), chosen).reason(0)
    assert why.setting == "compaction.preserve_recent.tokens"
    assert "tokens" in why.sentence
