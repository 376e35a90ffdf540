"""The post-mortem: what a cut took that was needed later, what was done again, and what settings of ours would hold."""

from __future__ import annotations

import json
from decimal import Decimal

import pytest

from historylab import Conversation, Message, ToolCall
from historylab.conversation.message import Usage
from historylab.conversation.sent import RecordedCut, SentHistory, sent_metadata
from historylab.recordings.post_mortem import post_mortem
from historylab.recordings.same_size import settings_of_same_size
from historylab.wording.post_mortem import post_mortem_lines, post_mortem_sentence

FILE = "def refund(order):\n    ledger.book(order, -order.amount)\n    mailer.send(order.owner)\n"
BOOKED = "Order ORD-4471 is Ilse Brandt’s, at berth B-27, for 418.50."
COUNT = {"n": 0}


def call(tool: str, **arguments: object) -> Message:
    COUNT["n"] += 1
    made = ToolCall(f"call-{COUNT['n']}", tool, json.dumps(arguments))
    return Message("assistant", "", tool_calls=(made,))


def made(tool: str, answer: str, **arguments: object) -> list[Message]:
    asked = call(tool, **arguments)
    return [asked, Message("tool", answer, tool_call_id=asked.tool_calls[0].id)]


def read(path: str = "src/refunds.py", text: str = FILE) -> list[Message]:
    return made("Read", text, file_path=path)


def compacted(before: list[Message], summary: str, after: list[Message]) -> Conversation:
    """A session that was compacted once, between these messages."""
    place = len(before)
    cut = RecordedCut("auto", 9_100, None, "An agent")
    told = SentHistory(place + 1, ((place, place + 1),), summarized=((0, place),), summary=place, cut=cut)
    messages = [*before, Message("user", summary, metadata={"compact_summary": True}), *after]
    return Conversation(messages, metadata={"model": "claude-opus-4-5", **sent_metadata([told])})


BEFORE = [Message("user", BOOKED), Message("assistant", "Noted.")]
ON = Message("user", "Go on.")


def fates(conversation: Conversation) -> dict[str, str]:
    return {fact.need.value: fact.fate for report in post_mortem(conversation) for fact in report.facts}


def test_what_a_cut_took_is_in_its_summary_or_said_again_first_or_lost():
    later = [Message("user", "It lies at berth B-27."), *made("move", "Done.", order="ORD-4471", to="B-27")]
    conversation = compacted(BEFORE, "They booked ORD-4471.", [*later, *made("refund", "Done.", amount="418.50")])
    assert fates(conversation) == {"ORD-4471": "summary", "B-27": "said again", "418.50": "lost"}


def test_a_fact_leads_to_who_said_it_and_to_what_said_it_again():
    later = [Message("user", "It lies at berth B-27."), *made("move", "Done.", to="B-27")]
    (report,) = post_mortem(compacted(BEFORE, "A summary.", later))
    (fact,) = report.facts
    assert (fact.said_in, fact.by, fact.kind, fact.again_in, fact.need.step) == (0, "person", "id", 3, report.request)


def test_a_fact_that_is_needed_often_counts_at_the_first_request_that_needs_it():
    later = [*made("move", "Done.", to="B-27"), *made("paint", "Done.", berth="B-27")]
    assert fates(compacted(BEFORE, "A summary.", later)) == {"B-27": "lost"}


def test_what_the_cut_left_is_no_fact_that_it_took():
    messages = [Message("user", "Hello."), *BEFORE, ON, *made("move", "Done.", to="B-27")]
    told = SentHistory(4, ((1, 4),), cut=RecordedCut(by="An agent"))
    assert fates(Conversation(messages, metadata=sent_metadata([told]))) == {}


def test_what_a_cut_without_a_summary_left_of_the_newest_turn_was_not_said_again():
    newest = [Message("user", "Where is it?"), *made("look", "It lies at B-27.")]
    messages = [*BEFORE, *newest, *made("move", "Done.", to="B-27")]
    told = SentHistory(5, ((2, 5),), cut=RecordedCut(by="An agent"))
    assert fates(Conversation(messages, metadata=sent_metadata([told]))) == {}


def test_a_file_is_read_again_if_the_cut_took_what_it_said():
    (report,) = post_mortem(compacted([ON, *read(), Message("assistant", "Read.")], "They read it.", [ON, *read()]))
    (again,) = report.again
    assert (again.tool, again.path, again.message, again.earlier) == ("Read", "src/refunds.py", 7, 2)
    assert report.tokens_again > 20
    assert Decimal("0.0001") < report.dollars < Decimal("0.001")


@pytest.mark.parametrize(
    "after",
    [
        read("src/mailer.py", "import smtplib\n"),
        read(text="SPEED = 4\nLIMIT = 9\n"),
        [*made("Edit", "Done.", file_path="src/refunds.py", new="x"), *read()],
        made("Bash", FILE, command="pytest src/refunds.py"),
    ],
    ids=["another file", "what it didn't say before", "what has changed since", "a run"],
)
def test_what_tells_something_new_is_not_read_again(after):
    (report,) = post_mortem(compacted([ON, *read(), Message("assistant", "Read.")], "They read it.", [ON, *after]))
    assert report.again == ()


def test_what_is_still_sent_is_not_read_again():
    (report,) = post_mortem(compacted([ON, Message("assistant", "Yes.")], "Nothing.", [ON, *read(), *read()]))
    assert report.again == ()


def newest_two(turns: list[list[Message]]) -> Conversation:
    """An app that sends its two newest turns."""
    messages, starts, told = list[Message](), list[int](), []
    for turn in turns:
        starts.append(len(messages))
        size = len(messages) + 1
        told += [SentHistory(size, ((starts[-2], size),))] if len(starts) > 2 else []
        messages += turn
    return Conversation(messages, metadata=sent_metadata(told))


def test_a_window_that_moves_is_one_report():
    small = [[Message("user", f"Question {n}?"), Message("assistant", f"Answer {n}.")] for n in range(8)]
    small.insert(4, [ON, *read(text=FILE * 40), Message("assistant", "A large one.")])
    (report,) = post_mortem(newest_two([BEFORE, *small, [ON, *made("move", "Done.", to="B-27")]]))
    assert (report.cut, report.request, [fact.fate for fact in report.facts]) == (None, 2, ["lost"])
    assert post_mortem_sentence([report]).startswith("The app left out older messages from request 3 on (at most ")


def test_an_uncut_conversation_has_none():
    assert post_mortem(Conversation([*BEFORE, ON])) == ()
    assert post_mortem_sentence(()) == ""


def test_where_nobody_knows_what_went_it_says_so():
    said = [
        message
        for n, tokens in enumerate((9_000, 10_000, 7_000, 7_100))
        for message in (Message("user", f"{n}?"), Message("assistant", "", metadata={"usage": Usage(input=tokens)}))
    ]
    sentence = post_mortem_sentence(post_mortem(Conversation(said)))
    assert sentence == (
        "The app cut this session before request 3 (10,000 → 7,000 tokens): the file doesn’t say which messages went, "
        "so nothing is known of what was lost."
    )


def long_session() -> Conversation:
    filler = [m for n in range(40) for m in (Message("user", f"Count to {n}?" * 40), Message("assistant", "…" * 400))]
    later = [Message("assistant", "On.", metadata={"usage": Usage(input=4_000)}), ON, *made("move", "Done.", to="B-27")]
    return compacted([*filler, *BEFORE], "They counted.", later)


def test_settings_of_ours_of_the_same_size_are_planned_again():
    (report,) = post_mortem(long_session())
    best = settings_of_same_size(long_session(), report)[0]
    assert (best.held, best.of) == (1, 1)
    assert best.tokens <= 1.05 * report.tokens_after


SMALL = [[Message("user", f"Question {n}?" * 20), Message("assistant", f"Answer {n}.")] for n in range(8)]
LONG = [*BEFORE, *(message for turn in SMALL for message in turn)]
AGAIN = Message("user", "It lies at berth B-27."), Message("assistant", "On.", metadata={"usage": Usage(input=60)})
MOVED = [*AGAIN, ON, *made("move", "Done.", to="B-27")]


@pytest.mark.parametrize(
    "conversation", [newest_two([BEFORE, *SMALL, MOVED]), compacted(LONG, "A summary.", MOVED)], ids=["window", "cut"]
)
def test_settings_of_ours_are_not_said_to_hold_what_was_but_said_again(conversation):
    (report,) = post_mortem(conversation)
    assert [fact.fate for fact in report.facts] == ["said again"]
    (newest,) = (one for one in settings_of_same_size(conversation, report) if one.settings.pruner == "fifo")
    assert (newest.held, newest.of) == (0, 1)


def test_the_sentence_says_when_and_what_it_took():
    assert post_mortem_sentence(post_mortem(long_session())) == (
        "An agent compacted this session before request 42 (auto, 9,100 → 4,000 tokens): the one fact needed later was "
        "lost."
    )


@pytest.mark.parametrize(
    ("facts", "said"),
    [
        (["B-27"], "1 fact it left out was needed later; it had to be stated again."),
        (["B-27", "418.50"], "2 facts it left out were needed later; each had to be stated again."),
    ],
)
def test_where_all_had_to_be_said_again_the_sentence_says_who_left_them_out(facts, said):
    uses = [message for fact in facts for message in made("move", "Done.", to=fact)]
    again = Message("user", f"Remember {' and '.join(facts)}.")
    assert post_mortem_sentence(post_mortem(compacted(BEFORE, "A summary.", [again, *uses]))).endswith(f": {said}")


def test_of_facts_that_fared_otherwise_each_share_is_told():
    later = [Message("user", "It lies at berth B-27."), *made("move", "Done.", to="B-27", amount="418.50")]
    assert "of 2 facts needed later 1 had to be stated again first and 1 was lost" in post_mortem_sentence(
        post_mortem(compacted(BEFORE, "A summary.", later))
    )


def test_the_lines_say_of_what_kind_and_by_whom():
    (report,) = post_mortem(long_session())
    lines = list(post_mortem_lines(report, settings_of_same_size(long_session(), report)))
    assert lines[0] == "It replaced 82 messages; message 83 is its summary."
    assert lines[1] == "Lost: ids and codes (1); first said by a person (1)."
    assert lines[2].startswith("Cut there to the same size, settings of ours would have held 1 of 1 fact (")
