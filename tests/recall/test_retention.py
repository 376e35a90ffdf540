"""Retention: one test for every kind of need, on worked examples and against a slow, obvious version."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import settings as examples
from hypothesis import strategies as st

from historylab import Conversation, Message, Settings, ToolCall, as_sent, generate, replay
from historylab.conversation.sent import SentHistory, sent_metadata
from historylab.errors import LoadError
from historylab.recall.references import contains_value, find_needs, searchable_text
from historylab.recall.retention import retention

ALL = Settings(policy="all", pruner="off")
LAST = Settings(policy="lastN", length=1, pruner="off")


def call(name: str, **arguments) -> tuple[ToolCall, ...]:
    return (ToolCall(f"call_{name}_{len(str(arguments))}", name, json.dumps(arguments)),)


def answer(content: str = "", *, calls: tuple[ToolCall, ...] = ()) -> Message:
    return Message("assistant", content, tool_calls=calls)


def result(calls: tuple[ToolCall, ...], content: str) -> Message:
    return Message("tool", content, tool_call_id=calls[0].id)


FIND, REFUND = call("find", order="ORD-77"), call("refund", customer="cus_901", amount=125)
ORDER = Conversation(
    [
        Message("system", "Be kind."),
        Message("user", "Where is order ORD-77?"),
        answer(calls=FIND),  # request 0
        result(FIND, '{"customer": "cus_901"}'),
        answer("It is at sea."),  # request 1
        Message("user", "Then give me my money back."),
        answer(calls=REFUND),  # request 2
        result(REFUND, "done"),
        answer("Done: 125 will be back on Friday."),  # request 3
        Message("user", "Thanks"),  # request 4 is the next one
    ]
)


def losses_of(found) -> list[tuple]:
    return [(x.kind, x.step, x.message, x.value, x.needed_by, x.used_as) for x in found.losses]


def test_with_everything_sent_nothing_is_forgotten():
    found = retention(replay(ORDER, ALL))
    assert (found.references.total, found.references.kept, found.losses) == (2, 2, ())
    assert found.references.share == 1


def test_a_value_without_an_earlier_mention_is_no_reference():
    assert [need.value for step in find_needs(ORDER) for need in step if need.kind == "reference"] == [
        "ORD-77",
        "cus_901",
    ]


def test_a_loss_names_the_message_the_request_the_value_and_what_would_have_kept_it():
    timeline = replay(ORDER, LAST)
    found = retention(timeline)
    assert losses_of(found) == [("reference", 2, 3, "cus_901", 6, "refund.customer")]
    assert found.references.share == 0.5
    undo = found.explain(found.losses[0]).undo
    assert undo == {"length": 2}
    assert retention(replay(ORDER, LAST.replace(**undo))).losses == ()


def test_a_dropped_first_mention_is_no_loss_while_any_other_is_sent():
    again = ORDER.edited([*ORDER[:5], Message("user", "I am cus_901, give me my money back."), *ORDER[6:]])
    assert retention(replay(again, LAST)).losses == ()


def test_a_ledger_keeps_what_no_message_says_any_more():
    ledger = Settings(policy="all", pruner="summarize", budget=60, summarizer="ledger")
    found = retention(replay(ORDER, ledger.replace(**{"pruner.summarize.max_share": 0.5})))
    assert found.references.share == 1
    assert found.references.by_summary == 1


def test_a_cleared_result_no_longer_says_its_value():
    long = '{"customer": "cus_901", "history": "' + "shipped, " * 50 + '"}'
    lengthy = ORDER.edited([*ORDER[:3], result(FIND, long), *ORDER[4:]])
    cleared = ALL.replace(tool_output="clear", **{"tool_output.clear.keep": 0, "tool_output.clear.batch": 1})
    assert losses_of(retention(replay(lengthy, cleared))) == [("reference", 2, 3, "cus_901", 6, "refund.customer")]


def test_the_old_text_of_an_edit_is_found_though_json_escapes_it():
    old = 'if "x" in names:\n    names.remove("x")'
    edit = call("edit", path="src/a.py", old=old)
    chat = Conversation(
        [Message("user", f"Look:\n{old}\nin src/a.py"), answer(calls=edit), result(edit, "ok"), Message("user", "?")]
    )
    values = [(need.value, need.mentions.tolist()) for need in find_needs(chat)[0]]
    assert values == [("src/a.py", [0]), (old, [0])]


OLD = "def share(days):\n    if not days:\n        return 0\n    return days / 30"
READ = call("read", path="a.py")
EDIT = call("edit", old=OLD, new=OLD.replace("30", "31").replace("    if not days:\n        return 0\n", ""))


def read_then_edit(*results: str, edit: tuple[ToolCall, ...] = EDIT) -> Conversation:
    """Each result is what a read found; then the edit."""
    reads = [message for text in results for message in (answer(calls=READ), result(READ, text))]
    return Conversation([Message("user", "Mend it."), *reads, Message("user", "Go on."), answer(calls=edit)])


def needs_of(chat: Conversation) -> dict[str, list[int]]:
    return {need.used_as: need.mentions.tolist() for step in find_needs(chat) for need in step}


@pytest.mark.parametrize("prefix", ["{:6d}→", "{:6d}\t", "{:3d}: ", "{}|", "{:4d} | ", "{:5d}  "])
def test_several_lines_are_found_though_a_reading_tool_numbered_them(prefix):
    numbered = "\n".join(prefix.format(i) + line for i, line in enumerate(["import os", "", *OLD.split("\n")], 9))
    assert needs_of(read_then_edit(numbered)) == {"edit.old": [2]}


def test_the_old_text_of_an_edit_may_be_said_in_parts_each_line_with_its_own_mentions():
    first, last = "def share(days):\n    if not days:", "        return 0\n    return days / 30\n\n\ndef rest():"
    (need,) = (need for need in find_needs(read_then_edit(first, last))[-1])
    assert need.mentions.tolist() == [2, 4]
    assert [(line, said.tolist()) for line, said in need.lines] == [
        ("def share(days):", [2]),
        ("if not days:", [2]),
        ("return 0", [4]),
        ("return days / 30", [4]),
    ]
    assert needs_of(read_then_edit(first)) == {}


def test_new_text_is_no_need_though_each_of_its_lines_was_said():
    shortened = call("edit", new="def share(days):\n    return days / 30")
    assert needs_of(read_then_edit(OLD, edit=shortened)) == {}
    assert needs_of(read_then_edit(OLD, edit=call("write", content=OLD))) == {"write.content": [2]}


def test_an_edit_is_lost_with_the_first_line_that_is_cut_out_of_what_was_read():
    long = "\n".join(f"x{i} = {i}" for i in range(400)) + "\n" + OLD
    chat = read_then_edit(long)
    assert retention(replay(chat, ALL.replace(budget=90_000))).references.share == 1
    cut = ALL.replace(budget=90_000, tool_output="truncate", **{"tool_output.truncate.limit": 100})
    assert losses_of(retention(replay(chat, cut))) == [("reference", 1, 2, OLD, 4, "edit.old")]


def test_a_lost_edit_names_the_message_that_says_most_of_what_is_lost():
    first, last = "def share(days):\n    if not days:\n        return 0", "    return days / 30"
    chat = read_then_edit(first, last)
    lost = ALL.replace(tool_output="clear", **{"tool_output.clear.keep": 0, "tool_output.clear.batch": 1})
    padded = chat.edited(
        [replace(m, content=m.content + "\n" + "# …\n" * 200) if m.role == "tool" else m for m in chat]
    )
    assert [loss.message for loss in retention(replay(padded, lost)).losses] == [2]


def test_a_literal_in_an_answer_is_a_link_and_an_estimate():
    chat = Conversation(
        [Message("user", "Seat 14-C?"), answer("Yes."), Message("user", "Which?"), answer("Seat 14-C is yours.")]
    )
    found = retention(replay(chat, LAST))
    assert losses_of(found) == [("link", 1, 0, "14-C", 3, "the answer")]
    assert found.losses[0].estimate
    assert found.references.share is None


@pytest.mark.parametrize(
    ("text", "value", "said"),
    [
        ("order 1234", "123", False),
        ("order 1234, 123", "123", True),
        ("cus_901x cus_901", "cus_901", True),
        ("see a.py", "a.py", True),
        ("see data.py", "a.py", False),
        ("東京に行く", "東京", True),
        ("", "x", False),
    ],
)
def test_a_value_is_said_as_whole_words(text, value, said):
    assert contains_value(text, value) is said
    chat = Conversation([Message("user", text), answer(calls=call("use", it=value)), Message("user", "?")])
    found = [need.value for need in find_needs(chat)[0]]
    assert found == ([value] if said and len(value.encode()) >= 3 else [])


# -- stars, evidence, questions


def test_a_star_is_kept_while_every_later_request_says_what_it_says():
    found = retention(replay(ORDER, LAST), stars=[0, 1, 9])
    assert (found.stars.total, found.stars.kept) == (3, 2)
    lost = [x for x in found.losses if x.kind == "star"]
    assert [(x.step, x.message, x.requests) for x in lost] == [(2, 1, 3)]
    assert lost[0].value == "Where is order ORD-77?"


def test_a_starred_message_of_calls_alone_is_kept_by_itself():
    assert retention(replay(ORDER, ALL), stars=[2]).stars.share == 1
    assert retention(replay(ORDER, LAST), stars=[2]).stars.share == 0


def test_stars_come_from_the_file_unless_they_are_given():
    starred = Conversation(ORDER.messages, metadata={"stars": [1]})
    assert retention(replay(starred, LAST)).stars.lost == 1
    assert retention(replay(starred, LAST), stars=[]).stars.total == 0


@pytest.mark.parametrize("star", [99, -1, "nobody"])
def test_a_star_on_no_message_is_refused(star):
    with pytest.raises(LoadError, match="marked to be remembered"):
        retention(replay(ORDER, ALL), stars=[star])


def test_gold_evidence_is_looked_for_when_it_is_asked_for():
    messages = [Message(m.role, m.content, f"id{i}", tool_calls=m.tool_calls, tool_call_id=m.tool_call_id)
                for i, m in enumerate(ORDER)]  # fmt: skip
    gold = [{"question": "which order?", "at": 5, "messages": ["id1", 3]}, {"question": "who?", "messages": [5]}]
    found = retention(replay(Conversation(messages, metadata={"evidence": gold}), LAST))
    kept = found.kept["evidence"]
    assert (kept.total, kept.kept) == (3, 0)
    lost = [x for x in found.losses if x.kind == "evidence"]
    assert [(x.step, x.message, x.used_as) for x in lost] == [
        (2, 1, "which order?"),
        (2, 3, "which order?"),
        (4, 5, "who?"),
    ]


def test_gold_evidence_of_messages_there_are_not_is_no_evidence():
    gold = [{"messages": [1, 99, "nobody's", None]}, {"at": 77, "messages": [3]}, {"messages": "3"}, "gold"]
    found = retention(replay(Conversation(tuple(ORDER), metadata={"evidence": gold}), ALL))
    assert found.kept["evidence"].total == 2  # message 1, and message 3 asked of the last request


def test_what_might_be_asked_later_is_scored_by_bm25():
    found = retention(replay(ORDER, LAST), questions=["Where is the order?", "zebra"])
    asked, unknown = found.questions
    assert asked.messages[0] == 1
    assert asked.share == 0
    assert unknown.share is None
    assert ("question", 4, 1) in [(x.kind, x.step, x.message) for x in found.losses]
    assert retention(replay(ORDER, ALL), questions=["Where is the order?"]).questions[0].share == 1


def test_an_empty_conversation_forgets_nothing():
    found = retention(replay(Conversation([]), ALL), questions=["what?"])
    assert (found.losses, found.references.share, found.questions[0].share) == ((), None, None)


# -- against the slow version


SETTINGS = st.builds(
    lambda budget, pruner, tool_output, summarizer: Settings(
        budget=budget, pruner=pruner, tool_output=tool_output, summarizer=summarizer
    ),
    st.integers(300, 6000),
    st.sampled_from(["fifo", "sliding_window", "summarize", "relevance", "off"]),
    st.sampled_from(["off", "clear", "collapse", "clear+truncate"]),
    st.sampled_from(["extractive", "ledger"]),
)
CHATS = {name: generate(name, turns=12, seed=5) for name in ("support_desk", "coding_agent")}


@examples(max_examples=30, deadline=None)
@given(SETTINGS, st.sampled_from(sorted(CHATS)))
def test_it_agrees_with_searching_everything_that_is_sent(settings, name):
    timeline = replay(CHATS[name], settings)
    lost = {(x.step, x.value) for x in retention(timeline).losses}
    for step, needs in enumerate(find_needs(timeline.conversation)):
        sent = [searchable_text(message) for message in timeline.plans[step].render()]
        for need in needs:
            parts = [line for line, _ in need.lines] or [need.value]
            held = all(any(contains_value(text, part) for text in sent) for part in parts)
            assert ((step, need.value) in lost) == (not held)


@pytest.mark.parametrize("name", sorted(CHATS))
def test_mentions_are_all_messages_that_say_it_and_no_others(name):
    chat = CHATS[name]
    for step, needs in enumerate(find_needs(chat)):
        size = chat.columns.requests[step]
        for need in needs:
            slow = [i for i in range(size) if contains_value(searchable_text(chat[i]), need.value)]
            assert need.mentions.tolist() == slow or (need.lines and not slow)
            for line, said in need.lines:
                assert said.tolist() == [i for i in range(size) if contains_value(searchable_text(chat[i]), line)]


def test_what_the_summary_of_another_program_says_is_held_by_a_summary_whoever_sends_it():
    told = Message("user", "So far: order ORD-0917.", metadata={"compact_summary": True})
    said = [Message("user", "I want ORD-0917."), answer("Noted."), told, Message("user", "Book it.")]
    said += [answer(calls=call("book", number="ORD-0917"))]
    ours = retention(replay(Conversation(said), Settings(length=2)))
    cut = Conversation(said, metadata=sent_metadata([SentHistory(3, ((2, 3),), summarized=((0, 2),), summary=2)]))
    assert (ours.references.kept, ours.in_summary) == (1, (True,))
    assert retention(as_sent(cut)).in_summary == (True,)
    assert retention(replay(Conversation(said), Settings(policy="all"))).in_summary == (False,)
