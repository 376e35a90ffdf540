"""Requests as a log observed them, each with the whole history: what conversations they were part of."""

from __future__ import annotations

import gc
import weakref

from historylab.conversation.exchange import Exchange
from historylab.conversation.message import Message, ToolCall
from historylab.conversation.sent import SENT_HISTORIES
from historylab.formats.base import Report
from historylab.formats.messages.observed import conversations_in as stitch
from historylab.formats.messages.stitching import OTHER_PROMPT, REWORDED, UNRELATED
from historylab.formats.messages.threads import Thread

ROLES = {"s": "system", "u": "user", "a": "assistant", "t": "tool"}


def said(words: str) -> list[Message]:
    """ "u:hi a:hello" as messages."""
    return [Message(ROLES[word[0]], word[2:]) for word in words.split()]


def request(sent: str, answer: str = "", **fields) -> Exchange:
    return Exchange(said(sent), said(answer), **{"conversation": "k", **fields})


def texts(conversation) -> str:
    return " ".join(f"{m.role[0]}:{m.content}" for m in conversation)


def stitched(*requests: Exchange):
    report = Report()
    found = list(stitch(requests, report))
    return found, report


def usages(conversation) -> list[int]:
    return [m.metadata["usage"]["input"] if "usage" in m.metadata else 0 for m in conversation if m.role == "assistant"]


def test_requests_that_extend_each_other_are_one_conversation_and_each_answer_has_its_usage():
    found, report = stitched(
        request("s:p u:1", "a:x", usage={"input": 10}, about={"model": "m"}),
        request("s:p u:1 a:x u:2", "a:y", usage={"input": 20}, about={"tools": [{"name": "f"}]}),
    )
    assert [texts(c) for c in found] == ["s:p u:1 a:x u:2 a:y"]
    assert usages(found[0]) == [10, 20]
    assert found[0][2].metadata["model"] == "m"
    said = {"conversation_id": "k", "model": "m", "tools": [{"name": "f"}]}
    assert found[0].metadata == {**said, SENT_HISTORIES: []}
    assert (report.records, report.warnings) == (5, {})


def test_an_answer_says_where_the_tools_or_the_system_prompt_of_its_request_changed():
    clock = "s:it-is-nine-o-clock-and-all-is-well"
    found, _ = stitched(
        request("s:p u:1", "a:v", about={"tools": ["f"]}),
        request("s:p u:1 a:v u:2", "a:w", about={"tools": ["f"]}),
        request("s:p u:1 a:v u:2 a:w u:3", "a:x", about={"tools": ["f", "g"]}),
        request(f"{clock} u:1 a:v u:2 a:w u:3 a:x u:4", "a:y", about={"tools": ["f", "g"]}),
        request(f"{clock} u:1 a:v u:2 a:w u:3 a:x u:4 a:y u:5", "a:z"),
    )
    assert [m.metadata for m in found[0] if m.role == "assistant"] == [
        {},
        {},
        {"tools": ["f", "g"]},
        {"system_prompt_changed": True},
        {},
    ]


def test_a_request_logged_late_is_compared_with_the_one_it_follows():
    found, _ = stitched(
        request("s:p u:1", "a:w", about={"tools": ["f"]}),
        request("s:p u:1 a:w u:2 a:x u:3", "a:y", about={"tools": ["f", "g"]}),
        request("s:p u:1 a:w u:2", "a:x", about={"tools": ["f"]}),
    )
    assert [m.metadata for m in found[0] if m.role == "assistant"] == [{}, {}, {"tools": ["f", "g"]}]


def test_calls_and_results_between_two_requests_are_part_of_it():
    call = Message("assistant", tool_calls=(ToolCall("1", "f", '{"a": 1, "b": 2}'),))
    repeated = Message("assistant", tool_calls=(ToolCall("c1", "f", '{"b":2,"a":1}'),))
    result = Message("tool", "42", tool_call_id="1")
    ask = Message("user", "how many?")
    found, _ = stitched(Exchange([ask], [call]), Exchange([ask, repeated, result], [Message("assistant", "42")]))
    assert [[m.role for m in c] for c in found] == [["user", "assistant", "tool", "assistant"]]


def test_the_order_is_that_of_the_times_if_all_have_one():
    late = request("u:1 a:x u:2", "a:y", started="2026-01-01T10:05:00Z", ended="2026-01-01T10:05:03Z")
    early = request("u:1", "a:x", started="2026-01-01T10:00:00Z")
    (conversation,), _ = stitched(late, early)
    assert texts(conversation) == "u:1 a:x u:2 a:y"
    assert [m.timestamp and m.timestamp[14:19] for m in conversation] == ["00:00", "00:00", "05:00", "05:03"]


def test_a_request_logged_after_the_one_that_extends_it_gives_its_usage():
    (conversation,), report = stitched(
        request("u:1 a:x u:2", "a:y", usage={"input": 20}), request("u:1", "a:x", usage={"input": 10})
    )
    assert (texts(conversation), usages(conversation), report.remarks) == ("u:1 a:x u:2 a:y", [10, 20], 0)


def test_an_answer_that_was_not_logged_is_taken_from_the_next_request():
    (conversation,), _ = stitched(request("u:1", usage={"input": 10}), request("u:1 a:x u:2", "a:y"))
    assert (texts(conversation), usages(conversation)) == ("u:1 a:x u:2 a:y", [10, 0])


def test_a_failed_request_that_was_sent_again_is_no_branch():
    (conversation,), _ = stitched(request("u:1"), request("u:1", "a:x"))
    assert (texts(conversation), conversation.branches) == ("u:1 a:x", ())


def test_an_answer_repeated_in_other_words_keeps_its_usage():
    (conversation,), report = stitched(request("u:1", "a:x", usage={"input": 10}), request("u:1 a:X! u:2", "a:y"))
    assert (texts(conversation), usages(conversation)) == ("u:1 a:X! u:2 a:y", [10, 0])
    assert list(report.warnings) == [REWORDED]


def test_an_answer_that_is_repeated_in_its_first_words_again_is_a_branch_with_these():
    (conversation,), _ = stitched(request("u:1", "a:x"), request("u:1 a:X! u:2", "a:y"), request("u:1 a:x u:3", "a:z"))
    assert texts(conversation) == "u:1 a:x u:3 a:z"
    assert [texts(branch) for branch in conversation.branches] == ["u:1 a:X! u:2 a:y"]


def test_a_question_answered_anew_or_edited_is_a_branch():
    (conversation,), report = stitched(
        request("u:1", "a:x"), request("u:1", "a:y"), request("u:1 a:y u:2", "a:z"), request("u:1 a:y u:two", "a:2")
    )
    assert texts(conversation) == "u:1 a:y u:two a:2"
    assert [texts(branch) for branch in conversation.branches] == ["u:1 a:y u:2 a:z", "u:1 a:x"]
    assert report.remarks == 0


def test_a_branch_has_the_ids_of_its_own_calls():
    """Two sub-agents that were asked the same: all is alike up to one result, but for the ids."""

    def asked(chat: str, *results: str) -> Exchange:
        calls = tuple(ToolCall(f"{chat}{k}", "look", "{}") for k in (1, 2))
        answers = [Message("tool", text, tool_call_id=call.id) for call, text in zip(calls, results, strict=True)]
        return Exchange([Message("user", "look"), Message("assistant", tool_calls=calls), *answers], said("a:x"))

    (found,), _ = stitched(asked("A", "same", "nine"), asked("B", "same", "ten"), asked("C", "same", "eleven"))
    for chat, path in zip("CBA", (found, *found.branches), strict=True):
        calls = [call.id for message in path for call in message.tool_calls]
        assert calls == [m.tool_call_id for m in path if m.role == "tool"] == [f"{chat}1", f"{chat}2"]


def test_a_request_that_has_nothing_in_common_with_those_before_is_a_conversation_of_its_own():
    found, report = stitched(request("s:p u:1 a:x u:2", "a:y"), request("s:title u:name-it", "a:z"))
    assert sorted(map(texts, found)) == ["s:p u:1 a:x u:2 a:y", "s:title u:name-it a:z"]
    assert list(report.warnings) == [UNRELATED]


def test_a_system_prompt_that_changes_does_not_break_a_conversation():
    (conversation,), report = stitched(request("s:10h u:1", "a:x"), request("s:11h u:1 a:x u:2", "a:y"))
    assert (texts(conversation), list(report.warnings)) == ("s:10h u:1 a:x u:2 a:y", [OTHER_PROMPT])


def test_two_prompts_that_are_asked_the_same_are_two_conversations():
    found, _ = stitched(request("s:A u:1", "a:x"), request("s:B u:1", "a:y"), request("s:B u:1 a:y u:2", "a:z"))
    assert [texts(c) for c in found] == ["s:B u:1 a:y u:2 a:z", "s:A u:1 a:x"]


def test_requests_without_a_key_are_unrelated_without_a_word():
    found, report = stitched(request("u:1", "a:x", conversation=""), request("u:2", "a:y", conversation=""))
    assert (len(found), report.remarks) == (2, 0)


def test_keys_are_never_mixed():
    found, _ = stitched(request("u:1", "a:x", conversation="A"), request("u:1 a:x u:2", "a:y", conversation="B"))
    assert [c.metadata["conversation_id"] for c in found] == ["A", "B"]


def test_remarks_on_messages_that_every_request_repeats_are_told_once():
    once, twice = Report(), Report()
    once.warn("a part not read", "span 1")
    for where in ("span 2", "span 2"):
        twice.warn("a part not read", where)
    twice.skip("no role", "span 2")
    _, report = stitched(request("u:1", "a:x", report=once), request("u:1 a:x u:2", "a:y", report=twice))
    assert {reason: tally.count for reason, tally in report.warnings.items()} == {"a part not read": 2}
    assert (report.skips, report.records) == (1, 5)


class SameHash(str):
    """A text that hashes as any other."""

    def __hash__(self):
        return 7

    def strip(self, *_):
        return self


def hashed_alike(request: Exchange) -> Exchange:
    sent, answer = (
        [Message(m.role, SameHash(m.content)) for m in messages] for messages in (request.messages, request.answer)
    )
    return Exchange(sent, answer, request.conversation)


def test_histories_whose_texts_have_one_hash_are_told_apart():
    requests = [
        request("s:p u:1", "a:x"),
        request("s:p u:2", "a:y"),
        request("s:p u:1 a:x u:3", "a:z"),
        request("s:p u:1 a:x u:4", "a:z"),
    ]
    found, _ = stitched(*map(hashed_alike, requests))
    assert [texts(c) for c in found] == ["s:p u:1 a:x u:4 a:z", "s:p u:2 a:y"]
    assert [texts(branch) for c in found for branch in c.branches] == ["s:p u:1 a:x u:3 a:z"]


def test_a_thread_goes_with_its_file_whether_or_not_garbage_is_looked_for():
    gc.disable()
    try:
        thread = weakref.ref(Thread(Thread()))
        assert thread() is None
    finally:
        gc.enable()
