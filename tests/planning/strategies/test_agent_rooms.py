"""Stages for rooms of agents on any transcript: point of view, addressed-only, the newest, stored summaries."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from sketches import conv

from historylab.conversation.conversation import Conversation
from historylab.conversation.message import Message
from historylab.planning.pipeline import plan_history, project
from historylab.planning.replay import replay
from historylab.settings.model import Settings
from historylab.trimming.trim import trim

ROOM = Settings(policy="all", pruner="off")
AS_MOSS = ROOM.replace(projection="point_of_view", **{"projection.point_of_view.agent": "moss"})


def names(*said: tuple[str, str | None, str]) -> Conversation:
    return Conversation(Message(role, text, name=name) for role, name, text in said)


def lines(conversation: Conversation) -> list[str]:
    return [f"{m.role}: {m.content}" for m in conversation]


def test_names_go_into_the_text_and_other_agents_become_users():
    room = names(("system", None, "s"), ("user", "ann", "hi"), ("assistant", "moss", "m"), ("assistant", "fern", "f"))
    assert lines(project(room, AS_MOSS)) == ["system: s", "user: ann: hi", "assistant: m", "user: fern (agent): f"]
    anybody = AS_MOSS.replace(**{"projection.point_of_view.agent": ""})
    assert lines(project(room, anybody)) == ["system: s", "user: ann: hi", "assistant: m", "assistant: f"]


def test_a_transcript_that_names_nobody_is_the_agents_own_and_stays_as_it_is():
    conversation = conv("s u a(t t) a u")
    assert project(conversation, AS_MOSS) == conversation


def test_calls_and_results_stay_whoever_made_them():
    conversation = conv("u a(t) u")
    named = conversation.edited(replace(m, name="fern") if m.role == "assistant" else m for m in conversation)
    assert [m.role for m in project(named, AS_MOSS)] == ["user", "assistant", "tool", "user"]


def test_a_message_seen_otherwise_is_sent_as_it_is_seen_and_the_others_are_the_callers_own():
    given = [{"role": "user", "name": "ann", "content": "hi"}, {"role": "assistant", "content": "hello"}]
    sent = trim([*given, {"role": "user", "content": "well?"}], AS_MOSS)
    assert sent[0] == {"role": "user", "content": "ann: hi"}
    assert sent[1] is given[1]


def test_addressed_only_takes_the_agent_from_the_point_of_view():
    room = names(
        ("user", "ann", "chatter"),
        ("user", "ann", "moss?"),
        ("assistant", "moss", "m"),
        ("user", "ann", "fern?"),
        ("assistant", "fern", "f"),
        ("user", "ann", "bye"),
    )
    addressed = AS_MOSS.replace(filter="addressed_only")
    assert plan_history(room, addressed).sketch() == "DKKDDK"
    other = addressed.replace(**{"filter.addressed_only.agent": "fern"})
    assert plan_history(room, other).sketch() == "DDDKKK"


@pytest.mark.parametrize("mentions", ["moss", None, {"moss": 1}, [["moss"], 7]])
def test_mentions_that_are_no_list_of_ids_mention_nobody(mentions):
    room = Conversation([Message("user", "x", metadata={"mentions": mentions}), Message("user", "y")])
    assert plan_history(room, AS_MOSS.replace(filter="addressed_only")).sketch() == "DK"


def test_newest_counts_what_earlier_filters_left():
    scopes = ["dm", "channel", "dm", "channel", "dm"]
    room = Conversation(Message("user", "x", metadata={"scope": scope}) for scope in scopes)
    settings = ROOM.replace(**{"filter.newest.messages": 2, "filter.scope.scope": "dm"})
    assert plan_history(room, settings.replace(filter="scope+newest")).sketch() == "DDKDK"
    assert plan_history(room, settings.replace(filter="newest+scope")).sketch() == "DDDDK"


def test_newest_counts_nothing_a_summary_stands_for():
    options = {"filter.newest.messages": 8, "compaction.rolling.messages": 6}
    settings = ROOM.replace(filter="newest", compaction="rolling", **options)
    plans = replay(conv("u a u a u a u a u a u a u a u", words=40), settings).plans
    assert [plan.sketch().count("S") for plan in plans] == [0, 0, 0, 3, 5, 7, 9, 11]
    assert not any("D" in plan.sketch() for plan in plans)


def test_rolling_counts_the_former_summary_among_the_messages_and_folds_half_of_them():
    settings = ROOM.replace(compaction="rolling", **{"compaction.rolling.messages": 6})
    for plan in replay(conv("u a u a u a u a u a u", words=40), settings).plans:
        messages = np.count_nonzero(plan.sent) + (plan.summary is not None)
        assert messages <= 6


def test_a_stored_summary_is_never_the_budgets_victim_but_may_be_absorbed():
    stored = Message("user", "summary " * 20, metadata={"isSummary": True})
    room = Conversation([stored, *conv("u a u a u", words=20)])
    tight = Settings(policy="all", budget=120, compaction="rolling", **{"pruner.fifo.unit": "block"})
    assert plan_history(room, tight).sketch()[0] == "P"
    rolling = tight.replace(**{"compaction.rolling.messages": 3, "budget": 8000})
    assert plan_history(room, rolling).sketch()[0] == "S"


def test_the_task_may_go_where_only_the_newest_message_is_to_stay():
    settings = Settings(policy="all", budget=0, **{"pruner.fifo.unit": "block"})
    conversation = conv("u a u a a")
    assert plan_history(conversation, settings).sketch() == "DDKDK"
    assert plan_history(conversation, settings.replace(**{"pruner.fifo.keep_task": False})).sketch() == "DDDDK"
