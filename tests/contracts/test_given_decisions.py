"""Decisions from outside give timelines that everything judges as it judges ours, and that nothing mends."""

from __future__ import annotations

import numpy as np
import pytest
from conversation_strategies import conversations, settings
from hypothesis import assume, given
from hypothesis import settings as examples
from hypothesis import strategies as st
from plan_rules import assert_shares_what_is_rendered
from sketches import conv, load_sample

from historylab import HistoryLabError, RequestDecisions, Settings, Timeline, ask, bill, replay, retention, validity
from historylab.conversation.message import Message
from historylab.costs.traffic import traffic
from historylab.planning.plan import HistoryPlan
from historylab.planning.reasons import Action
from historylab.planning.refusals import refusal_sentence
from historylab.reports.decisions import decisions_csv
from historylab.reports.report import report
from historylab.reports.shown import Shown


def as_given(plan: HistoryPlan) -> RequestDecisions:
    """What somebody would say who saw what this plan sends."""
    sent, folded = plan.sent_messages.tolist(), np.flatnonzero(plan.actions == Action.SUMMARIZED).tolist()
    shortened = {i: cut.texts[i] for cut in plan.shortened for i in cut.messages.tolist() if i in sent}
    return RequestDecisions(sent, shortened, {plan.summary.text: folded} if plan.summary else {}, budget=plan.budget)


def plain(sketch: str) -> str:
    """Without pins, which only our stages have."""
    return sketch.replace("P", "K")


@examples(max_examples=60, deadline=None)
@given(conversation=conversations(), under=settings())
def test_told_what_our_plans_send_everything_says_the_same(conversation, under):
    ours = replay(conversation, under.replace(projection="off", layout="off"))
    theirs = Timeline.from_decisions(conversation, [as_given(plan) for plan in ours.plans], settings=ours.settings)
    for mine, given_ in zip(ours.plans, theirs.plans, strict=True):
        assert given_.sketch() == plain(mine.sketch())
        assert given_.tokens == mine.tokens
        assert given_.over_budget == mine.over_budget
        assert given_.render() == mine.render()
    assert [kept.value for kept in retention(theirs).losses] == [kept.value for kept in retention(ours).losses]
    assert traffic(theirs).shared.tolist() == traffic(ours).shared.tolist()
    assert sum(theirs.tokens_by_kind.values()).tolist() == theirs.tokens.tolist()


@examples(max_examples=60, deadline=None)
@given(conversation=conversations(), sent=st.lists(st.lists(st.integers(0, 60), max_size=12)), extra=st.booleans())
def test_whatever_was_sent_is_drawn_as_it_was(conversation, sent, extra):
    """In any order, twice, halves of calls, nothing at all, and beside it what stands nowhere in the conversation."""
    assume(not len(conversation.columns.shown))  # nobody sends these
    sizes = conversation.columns.requests.tolist()
    note = [Message("user", "Remember: the ferry is late.")] * extra
    given_ = [
        RequestDecisions([*note, *(i % size for i in (sent[k % len(sent)] if sent else ()))])
        for k, size in enumerate(sizes)
    ]
    timeline = Timeline.from_decisions(conversation, given_)
    for said, plan in zip(given_, timeline.plans, strict=True):
        assert plan.render() == [entry if isinstance(entry, Message) else conversation[entry] for entry in said.sent]
        assert plan.tokens == timeline.counter.count(plan.render()).sum() + timeline.counter.per_request
        assert all(plan.reason(i).sentence for i in range(plan.size))
    assert_shares_what_is_rendered(timeline)
    validity(timeline), retention(timeline), timeline.changes, timeline.tokens_by_kind


ASKED = conv("s u a(t t) a u")  # system, user, call, two results, answer, user; requests with 2, 5 and 7 messages


def third(*sent: int | Message, **more) -> Timeline:
    """The timeline whose third request sends these."""
    whole = [RequestDecisions(range(size)) for size in (2, 5)]
    return Timeline.from_decisions(ASKED, [*whole, RequestDecisions(sent, **more)], by="my trimmer")


@pytest.mark.parametrize(
    ("sent", "fault"),
    [
        ((0, 3, 6), "orphans"),
        ((0, 1, 2, 3, 6), "unanswered"),
        ((0, 1, 2), "unanswered"),
        ((0,), "empty"),
        ((0, 5), "empty"),
        ((), "empty"),
    ],
)
def test_a_request_that_an_api_would_refuse_is_shown_with_its_fault(sent, fault):
    timeline = third(*sent)
    found = validity(timeline)
    assert found.refused.tolist() == [False, False, True]
    assert getattr(found, fault)[2]
    assert timeline.plans[2].sketch() == "".join("K" if i in sent else "D" for i in range(7))
    assert "1 of the 3 requests that are sent would be refused" in refusal_sentence(timeline)


def test_halves_of_a_call_are_sent_as_they_were_though_our_stages_never_part_them():
    plan = third(0, 1, 4, 6).plans[2]
    assert plan.sketch() == "KKDDKDK"
    assert [message.role for message in plan.render()] == ["system", "user", "tool", "user"]


def test_texts_summaries_and_what_stands_nowhere_are_sent_in_their_place():
    told = Message("user", "They asked for two things.")
    plan = third(0, told, 5, 6, shortened={5: "w5"}, folded={told.content: [1, 2, 3, 4]}).plans[2]
    assert plan.sketch() == "KSSSSTK"
    assert [message.content for message in plan.render()] == ["w0 w0 w0 w0", told.content, "w5", "w6 w6 w6 w6"]


def test_a_summary_that_has_no_place_follows_the_leading_system_messages():
    plan = third(0, 6, folded={"They asked.": [1, 2], "It was answered.": [3, 4, 5]}).plans[2]
    assert [message.role for message in plan.render()] == ["system", "system", "user"]
    assert plan.render()[1].content == "They asked.\n\nIt was answered."


def test_what_only_an_added_message_says_is_held():
    chat = conv("u a u a").edited([*conv("u a u").messages, Message("assistant", "Your order is ORD-4711.")])
    chat = chat.edited([Message("user", "My order is ORD-4711."), *chat.messages[1:]])
    memory = Message("system", "The order is ORD-4711.")
    lost = Timeline.from_decisions(chat, [RequestDecisions([0]), RequestDecisions([2])])
    kept = Timeline.from_decisions(chat, [RequestDecisions([0]), RequestDecisions([memory, 2])])
    assert [loss.value for loss in retention(lost).losses] == ["ORD-4711"]
    assert not retention(kept).losses


def test_a_reported_size_is_the_size():
    timeline = third(0, 6, tokens=1234)
    assert timeline.tokens.tolist()[2] == 1234 == sum(kind[2] for kind in timeline.tokens_by_kind.values())


def test_reasons_are_its_own_and_settings_of_ours_would_have_kept_it():
    timeline = third(0, 6, reasons={1: "Older than ten minutes."})
    assert timeline.explain(2, 1).explanation.sentence == "Older than ten minutes."
    assert timeline.explain(2, 5).explanation.sentence == "Left out, as my trimmer decided."
    assert timeline.explain(2, 5).undo_sentence.startswith("Settings that would have sent it: policy all, ")
    assert timeline.explain(2, 6).undo_sentence == ""
    assert timeline.decided_by == "my trimmer"
    assert third(0, 6, budget=1).over_budget_cause(2) is None


@pytest.mark.parametrize(
    ("decisions", "said"),
    [
        (RequestDecisions([7]), "request 2: there is no message 7; its messages are 0 to 6"),
        (RequestDecisions([-1]), "request 2: there is no message -1; its messages are 0 to 6"),
        (RequestDecisions(["first"]), "request 2: there is no message 'first'; its messages are 0 to 6"),
        (RequestDecisions(None), "request 2: its decisions can't be read: 'NoneType' object is not iterable"),
        (RequestDecisions([0], shortened={0: b"x"}), "request 2: its decisions can't be read: b'x' is no text"),
        (RequestDecisions([0], folded=[1]), "request 2: its decisions can't be read"),
        (RequestDecisions([0], tokens=-5), "-5 is no number of tokens"),
        (RequestDecisions([0], budget="5"), "'5' is no number of tokens"),
        (None, "request 2: RequestDecisions are wanted, not a Python NoneType"),
        (RequestDecisions([True]), "request 2: there is no message True; its messages are 0 to 6"),
        (RequestDecisions([0], reasons={9: "old"}), "request 2: there is no message 9; its messages are 0 to 6"),
        (RequestDecisions([0], shortened={9: "old"}), "request 2: there is no message 9; its messages are 0 to 6"),
        (RequestDecisions([0], folded={"x": [9]}), "request 2: there is no message 9; its messages are 0 to 6"),
        (RequestDecisions([0], shortened={1: "x"}), "request 2: message 1 is shortened, but not sent"),
        (RequestDecisions([0, 1], folded={"x": [1]}), "message 1 is folded into a summary, and sent as well"),
        (RequestDecisions(folded={"x": [1], "y": [1]}), "message 1 is folded into a summary, and folded as well"),
    ],
)
def test_decisions_that_cannot_be_are_an_error_that_names_the_request(decisions, said):
    whole = [RequestDecisions(range(size)) for size in (2, 5)]
    with pytest.raises(HistoryLabError, match=r"request 2: ") as raised:
        Timeline.from_decisions(ASKED, [*whole, decisions])
    assert said in str(raised.value)


def test_numpys_numbers_and_generators_are_taken():
    whole = (RequestDecisions(np.arange(size)) for size in (2, 5, 7))
    assert [plan.sketch() for plan in Timeline.from_decisions(ASKED, whole).plans] == ["KK", "KKKKK", "KKKKKKK"]
    kept = RequestDecisions((i for i in (0, 6)), tokens=np.int64(99))
    assert third(*kept.sent, tokens=kept.tokens).plans[2].tokens == 99


def test_a_question_is_not_planned_by_stages_that_did_not_decide():
    with pytest.raises(HistoryLabError, match="what my trimmer would send is not known"):
        ask(third(0, 6), "is w5 there?")


def test_timelines_that_differ_in_any_decision_are_told_apart():
    digests = [
        third(0, 6, **more).decided
        for more in ({}, {"budget": 9}, {"tokens": 9}, {"reasons": {1: "old"}}, {"reasons": {1: "new"}})
    ]
    assert len({*digests, third(0, 5, 6).decided}) == 6


def test_each_request_needs_its_decisions():
    with pytest.raises(HistoryLabError, match="decisions about 1 requests were given, and this conversation makes 3"):
        Timeline.from_decisions(ASKED, [RequestDecisions([0])])


def test_bill_and_report_are_of_what_was_sent():
    conversation = load_sample("farewell-lunch")[0]
    sizes = conversation.columns.requests.tolist()
    newest = [RequestDecisions(range(max(0, size - 3), size)) for size in sizes]
    timeline = Timeline.from_decisions(conversation, newest, settings=Settings(model="gpt-5.5"))
    assert 0 < bill(timeline).total < bill(replay(conversation, Settings(policy="all", pruner="off"))).total
    assert "Left out, as the app decided." in decisions_csv(timeline, len(sizes) - 1)
    assert "<html" in report((Shown(timeline),), len(sizes) - 1)
