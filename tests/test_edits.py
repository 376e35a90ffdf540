"""Edits: each gives another conversation, whose plans keep every rule; what points at messages goes along."""

from __future__ import annotations

from dataclasses import replace

import pytest
from api_rules import counted, refusals
from conversation_strategies import conversations, settings
from hypothesis import given
from hypothesis import settings as examples
from hypothesis import strategies as st
from plan_rules import assert_monotone, assert_total_and_reasoned, assert_whole
from sketches import conv

from historylab.conversation.conversation import Conversation
from historylab.conversation.message import Message, ToolCall, Usage
from historylab.edits import Delete, Edit, Insert, Replace, apply_edits, edit_message, new_message_at, unanswered_calls
from historylab.formats.messages.chat_messages import to_messages
from historylab.planning.pipeline import plan_history, plan_requests
from historylab.planning.replay import replay
from historylab.planning.slot_zero import start
from historylab.reports.decisions import decisions_csv
from historylab.settings.model import Settings
from historylab.trimming.trim import trim

ALL = Settings(policy="all")
KINDS = ("say else", "other role", "pin", "delete", "insert", "insert a result", "other arguments")


def tried(conversation: Conversation, wishes: list[tuple[str, float, str]]) -> list[Edit]:
    """Edits of those kinds, each at that share of what the ones before have left."""
    edits: list[Edit] = []
    for kind, share, role in wishes:
        now = apply_edits(conversation, edits).conversation
        if kind.startswith("insert") or len(now):
            edits.append(_edit(now, kind, int(share * len(now)), role))
    return edits


def _edit(now: Conversation, kind: str, at: int, role: str) -> Edit:
    waiting = unanswered_calls(now)
    if kind == "insert":
        return Insert(at, new_message_at(now, at, role, "put in"))
    if kind == "insert a result":
        return Insert(at, new_message_at(now, at, "tool", "put in", answers=waiting[-1][1].id if waiting else ""))
    if kind == "delete":
        return Delete(at)
    old = now[at]
    return Replace(
        at,
        {
            "say else": lambda: edit_message(old, content=f"{old.content} and more"),
            "other role": lambda: edit_message(old, role=role),
            "pin": lambda: replace(old, pinned=not old.pinned),
            "other arguments": lambda: edit_message(old, arguments=["{}" for _ in old.tool_calls]),
        }[kind](),
    )


ROLES = ("user", "assistant", "system", "narrator")
wishes = st.lists(st.tuples(st.sampled_from(KINDS), st.floats(0, 0.999), st.sampled_from(ROLES)), max_size=8)


@examples(max_examples=80)
@given(conversations(), wishes, settings())
def test_whatever_is_edited_it_replays_and_every_plan_keeps_the_rules(conversation, wishes, chosen):
    before = conversation.digest
    edited = apply_edits(conversation, tried(conversation, wishes)).conversation
    for plan in plan_requests(edited, chosen):
        assert_total_and_reasoned(plan)
        assert_whole(plan)
        assert_monotone(start(plan.history, plan.budget, chosen.preserve_system_messages), plan)
        assert plan.tokens == counted(plan)
        assert refusals(plan.render()) == []
    assert Conversation(conversation.messages).digest == before


@given(conversations(), wishes)
def test_the_last_edit_taken_back_is_as_if_it_had_never_been(conversation, wishes):
    edits = tried(conversation, wishes)
    now = apply_edits(conversation, edits)
    again = apply_edits(conversation, edits[:-1])
    kept = now.follow(range(len(now.conversation)), again)
    assert len(again.conversation) - len(kept) == (bool(edits) and isinstance(edits[-1], Delete))
    for i, j in zip([i for i in range(len(now.keys)) if now.keys[i] in again.keys], kept, strict=True):
        assert now.keys[i] == again.keys[j]
    assert apply_edits(conversation, ()).conversation is conversation


def test_it_says_in_the_end_what_is_different():
    original = conv("s u a u! a u")
    edits = [
        Replace(1, edit_message(original[1], content="other")),
        Replace(1, edit_message(original[1], content="another")),
        Replace(3, replace(original[3], pinned=False)),
        Insert(2, Message("user", "new")),
        Insert(3, Message("user", "newer")),
        Delete(3),
        Delete(0),
    ]
    assert apply_edits(original, edits).tally == {"edited": 1, "inserted": 1, "deleted": 1, "unpinned": 1}


def test_edits_that_come_to_nothing_give_the_original():
    original = conv("u a u")
    there_and_back = [
        Insert(1, Message("user", "x")),
        Delete(1),
        Replace(0, edit_message(original[0], content=original[0].content)),
    ]
    assert apply_edits(original, there_and_back).conversation is original
    assert apply_edits(original, there_and_back).tally == {}
    costly = Conversation([Message("assistant", "yes", metadata={"usage": Usage(10, 5)})])
    no = edit_message(costly[0], content="no")
    assert apply_edits(costly, [Replace(0, no), Replace(0, edit_message(no, content="yes"))]).conversation is costly


def test_an_edit_of_no_message_is_refused_by_its_number():
    with pytest.raises(IndexError, match="edit 2 is of message 3; there are 2"):
        apply_edits(conv("u a u"), [Delete(0), Delete(3)])


def test_a_result_whose_call_is_deleted_is_left_out_as_invalid_and_so_is_a_call_without_its_result():
    original = conv("u a(t) u a u")
    assert plan_history(apply_edits(original, [Delete(1)]).conversation, ALL).sketch() == "KDKKK"
    assert plan_history(apply_edits(original, [Delete(2)]).conversation, ALL).sketch() == "KDKKK"
    assert plan_history(apply_edits(original, [Delete(1)]).conversation, ALL).reason(1).rule == "invalid"


def test_a_result_put_in_for_an_open_call_makes_it_whole_again():
    broken = apply_edits(conv("u a(t) u"), [Delete(2)]).conversation
    [(at, call)] = unanswered_calls(broken)
    mended = apply_edits(
        broken, [Insert(at + 1, new_message_at(broken, at + 1, "tool", "found", answers=call.id))]
    ).conversation
    assert plan_history(mended, ALL).sketch() == "KKKK"
    assert unanswered_calls(mended) == []


def test_an_edited_message_is_sent_as_it_reads_now_never_as_its_source_had_it():
    given = [{"role": "user", "content": "old", "extra": 1}, {"role": "assistant", "content": "fine"}]
    conversation = Conversation(to_messages(given))
    edited = apply_edits(conversation, [Replace(0, edit_message(conversation[0], content="new"))]).conversation
    sent = [m.source or m.content for m in plan_history(edited, ALL).render()]
    assert sent == ["new", {"role": "assistant", "content": "fine"}]
    assert trim(given, ALL)[0] is given[0]


def test_an_edited_message_keeps_its_image():
    image = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}
    conversation = Conversation(to_messages([{"role": "user", "content": [{"type": "text", "text": "old"}, image]}]))
    new = edit_message(conversation[0], content="new")
    assert new.source == {"role": "user", "content": [{"type": "text", "text": "new"}, image]}
    assert new.media == ("image",)


def test_what_was_true_of_the_old_text_only_goes_with_it():
    said = Message("assistant", "no", "m1", metadata={"refusal": "no", "usage": Usage(10, 5), "participant": "ana"})
    assert edit_message(said, content="yes").metadata == {"participant": "ana"}
    assert edit_message(said, content="no") is said
    developer = Message("system", "be brief", metadata={"role": "developer"})
    assert edit_message(developer, content="be long").metadata == {"role": "developer"}
    assert edit_message(developer, role="user").metadata == {}


def test_ids_calls_and_times_stay_and_a_new_message_is_said_when_the_one_before_it_was():
    call = Message("assistant", "", "m7", tool_calls=(ToolCall("c1", "find", "{}"),), timestamp="2026-01-01T00:00:00")
    new = edit_message(call, content="I look", arguments=['{"n": 1}'])
    assert (new.id, new.timestamp, new.tool_calls) == ("m7", call.timestamp, (ToolCall("c1", "find", '{"n": 1}'),))
    conversation = Conversation([call])
    assert new_message_at(conversation, 1, "user", "hm").timestamp == call.timestamp
    assert new_message_at(conversation, 0, "user", "hm").timestamp == call.timestamp
    assert new_message_at(Conversation(), 0, "user", "hm").timestamp is None


def test_what_a_provider_counted_of_another_conversation_counts_no_more_but_what_it_answered_does():
    pair = [Message("user", "ask"), Message("assistant", "answer", metadata={"usage": Usage(100, 7)})]
    original = Conversation(pair * 3)
    edited = apply_edits(original, [Replace(2, edit_message(original[2], content="else"))]).conversation
    assert [m.metadata["usage"] for m in edited if m.metadata] == [Usage(100, 7), Usage(0, 7), Usage(0, 7)]
    pinned = apply_edits(original, [Replace(2, replace(original[2], pinned=True))]).conversation
    assert [m.metadata for m in pinned] == [m.metadata for m in original]


def test_stars_and_gold_evidence_go_along_and_those_on_deleted_messages_go():
    evidence = [
        {"question": "kept?", "at": 5, "messages": [1, "m3"]},
        {"question": "half?", "messages": [0, 2]},
        {"question": "asked by what is gone", "at": 0, "messages": [2]},
        {"question": "answered by what is gone", "messages": [0, "m0"]},
        "not ours",
    ]
    original = Conversation(
        conv("u a u a u a").messages, "gold", {"stars": [0, 2, "m0", "m5", [7]], "evidence": evidence}
    )
    edited = apply_edits(original, [Insert(2, Message("user", "new")), Delete(0)]).conversation
    assert edited.metadata["stars"] == [2, "m5"]
    assert edited.metadata["evidence"] == [
        {"question": "kept?", "at": 5, "messages": [0, "m3"]},
        {"question": "half?", "messages": [2]},
        "not ours",
    ]
    assert edited.title == "gold (edited)"


def test_the_decisions_as_csv_are_those_of_the_edited_conversation():
    original = conv("s u a u a u")
    edits = [
        Replace(1, edit_message(original[1], content="=HYPERLINK()")),
        Delete(2),
        Insert(2, Message("assistant", "put in")),
    ]
    timeline = replay(apply_edits(original, edits).conversation, ALL)
    rows = decisions_csv(timeline, len(timeline.plans) - 1).splitlines()
    assert len(rows) == 1 + 6
    assert rows[2].endswith(",'=HYPERLINK()")
    assert rows[3].endswith(",put in")


def test_the_calls_of_sub_agents_move_with_their_messages():
    original = Conversation(conv("uaua"), metadata={"sub_agents": [["a", 1], ["b", 3]], "called_by": ["s", 7]})
    edited = apply_edits(original, [Insert(0, Message("user", "First.")), Delete(2)]).conversation
    assert edited.recorded.children == (("b", 3),)
    assert edited.recorded.parent == ("s", 7)
