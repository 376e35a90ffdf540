"""Requests that naive slicing breaks, and the guard that keeps them valid."""

from __future__ import annotations

import conversation_strategies
import pytest
from api_rules import refusals, refused_by
from hypothesis import assume, given
from hypothesis import settings as examples
from hypothesis import strategies as st
from sketches import conv, load_sample
from token_sketches import counted, replayed

from historylab.conversation.columns import ASSISTANT, SYSTEM, USER
from historylab.conversation.conversation import Conversation
from historylab.conversation.message import Message
from historylab.errors import UnknownMember
from historylab.formats.samples import samples
from historylab.planning.api_rules import RULES, recorded_rules
from historylab.planning.given_decisions import RequestDecisions
from historylab.planning.naive_slicing import naive_masks, naive_starts
from historylab.planning.refusals import refusal_sentence
from historylab.planning.replay import Timeline, replay
from historylab.planning.validity import guard_report, naive_validity, validity
from historylab.settings.model import Settings

TOOLS = "s10 u10 c10 t10 a10 u10 c10 t10 a10 u10"


def test_the_last_messages_lose_the_call_of_their_result():
    found = naive_validity(replayed(counted(TOOLS), policy="lastN", length=3))
    # requests after u, u-c-t, u, u-c-t, u: slices "su", "suct"→"ct" with u, "sta u"…
    assert found.orphans.tolist() == [0, 0, 1, 0, 1]
    assert found.wrong_start.tolist() == [False, False, True, False, True]
    assert found.refused.tolist() == [False, False, True, False, True]


def test_even_numbers_are_lucky_where_calls_and_results_alternate():
    conversation = counted("u10 " + "c10 t10 " * 6)
    shares = [naive_validity(replayed(conversation, policy="lastN", length=n)).share("orphans") for n in (4, 5)]
    assert shares[0] == 0
    assert shares[1] > 0.5


def test_a_budget_cuts_between_a_call_and_its_result():
    timeline = replayed(counted(TOOLS), pruner="fifo", budget=45)
    sizes = [int(mask.sum()) for mask in naive_masks(timeline)]
    assert sizes == [2, 4, 4, 4, 4]
    assert naive_validity(timeline).orphans.tolist() == [0, 0, 1, 0, 1]


@given(conversation_strategies.conversations(), conversation_strategies.settings(filter="off"))
def test_slices_and_masks_are_the_same_naive_version(conversation, settings):
    assume(not len(conversation.columns.shown))
    timeline = replay(conversation, settings)
    always = conversation.columns.system[conversation.columns.block] & settings.preserve_system_messages
    for plan, start, mask in zip(timeline.plans, naive_starts(timeline), naive_masks(timeline), strict=True):
        assert mask.tolist() == [i >= start or bool(always[i]) for i in range(plan.size)]


@given(conversation_strategies.conversations(max_size=30), conversation_strategies.settings(layout="off"))
def test_the_faults_of_all_requests_are_those_of_each_message_by_message(conversation, settings):
    timeline = replay(conversation, settings)
    columns, found = timeline.conversation.columns, validity(timeline)
    for r, plan in enumerate(timeline.plans):
        sent = [i for i in plan.sent_messages.tolist() if columns.role[i] != SYSTEM]
        broken = [b for b in columns.refused_blocks(plan.size).tolist() if plan.sent[b]]
        assert found.orphans[r] == sum(bool(columns.orphan[b]) for b in broken)
        assert found.unanswered[r] == sum(not columns.orphan[b] for b in broken)
        assert found.empty[r] == (not sent)
        assert found.wrong_start[r] == bool(sent and columns.role[sent[0]] != USER)
        assert found.wrong_end[r] == bool(sent and columns.role[sent[-1]] == ASSISTANT)


def test_what_the_filter_leaves_is_what_is_sliced():
    said = [("ann", 1), ("bo", 2), ("ann", 3), ("bo", 4), ("ann", 5)]
    messages = [Message("user", f"{name} says {k}", f"m{k}", name=name) for name, k in said]
    settings = Settings(
        filter="participants", policy="lastN", length=2, pruner="off", **{"filter.participants.ids": "ann"}
    )
    timeline = replay(Conversation(messages), settings)
    assert naive_masks(timeline)[-1].tolist() == [False, False, True, False, True]
    assert guard_report(timeline).sentence().startswith("Filtered, then sliced naively, the one request would not")


def test_the_newest_message_is_sent_however_small_the_budget():
    found = naive_masks(replayed(counted("u10 a10 u900"), pruner="fifo", budget=100))
    assert [mask.tolist() for mask in found] == [[True], [False, False, True]]


def test_the_guard_says_what_it_spared():
    timeline = replayed(counted(TOOLS), policy="lastN", length=3)
    assert guard_report(timeline).sentence() == (
        "Sliced naively, 2 of 5 requests would be refused: 2 tool results without their call."
    )
    whole = guard_report(replayed(counted("u10 a10 u10")))
    assert whole.sentence() == "Sliced naively, none of the 2 requests would be refused."


@pytest.mark.parametrize("name", samples())
@pytest.mark.parametrize("settings", [Settings(length=2), Settings(policy="all", pruner="fifo", budget=400)], ids=str)
def test_what_we_send_is_never_refused(name, settings):
    for conversation in load_sample(name):
        found = validity(replay(conversation, settings))
        assert not found.orphans.any()
        assert not found.unanswered.any()


@examples(max_examples=150)
@given(
    conversation_strategies.conversations(),
    conversation_strategies.settings(),
    st.sampled_from(["off", "collapsed_tools", "point_of_view"]),
)
def test_validity_is_that_of_the_messages_sent(conversation, settings, projection):
    timeline = replay(conversation, settings.replace(projection=projection))
    found = validity(timeline)
    for request, plan in enumerate(timeline.plans):
        sent = plan.render()
        roles = [m.role for m in sent if m.role != "system"]
        assert found.refused[request] == (not roles or bool(refusals(sent)))
        assert found.empty[request] == (not roles)
        assert found.wrong_start[request] == (roles[:1] not in ([], ["user"]))
        assert found.wrong_end[request] == (roles[-1:] == ["assistant"])
    for provider in RULES:
        refused = validity(timeline, provider).refused.tolist()
        assert refused == [refused_by(provider, plan.render()) for plan in timeline.plans], provider


def test_every_request_that_is_sent_has_something_to_answer():
    timeline = replay(load_sample("birthday-by-the-sea")[0], Settings(policy="none"))
    assert refusal_sentence(timeline) == (
        "None of the requests that are sent would be refused: calls and results stay together."
    )


@pytest.mark.parametrize(
    ("chosen", "cause"),
    [
        (
            {"filter": "participants", "filter.participants.ids": "bo"},
            "Said by somebody these settings leave out (filter = participants)",
        ),
        (
            {"filter": "newest", "filter.newest.messages": 0},
            "Older than the newest 0 messages (filter.newest.messages = 0)",
        ),
    ],
    ids=["participants", "newest"],
)
def test_requests_with_nothing_to_answer_are_counted_with_the_cause(chosen, cause):
    assert refusal_sentence(replay(conv("s u a u"), Settings(**chosen))) == (
        "2 of the 2 requests that are sent would be refused: "
        f"nothing to answer, as the newest message is left out: {cause}."
    )


def test_requests_that_end_in_an_answer_are_counted():
    said = [Message(role, role) for role in ("assistant", "user", "assistant", "user")]
    settings = Settings(filter="participants", **{"filter.participants.ids": "assistant"})
    assert refusal_sentence(replay(Conversation(said), settings)) == (
        "2 of the 2 requests that are sent end in an answer, which some models refuse; none would be otherwise."
    )


def test_one_request_is_no_share_of_requests():
    sent = Settings(filter="participants", **{"filter.participants.ids": "bo"})
    assert refusal_sentence(replay(conv("u"), sent)).startswith("The one request that is sent would be refused: ")
    sliced = guard_report(replayed(counted("u10 c10 t10 u10"), policy="lastN", length=2))
    assert sliced.sentence() == "Sliced naively, 1 of 2 requests would be refused: 1 tool result without its call."


def test_nothing_said_but_system_messages_is_no_request():
    assert "nothing has been said yet but system messages" in refusal_sentence(replay(conv("s"), Settings()))


def test_what_was_broken_in_the_source_is_broken_for_the_naive():
    (conversation,) = load_sample("two-to-vienna-broken")
    found = naive_validity(replay(conversation, Settings(policy="all", pruner="off")))
    assert found.orphans.any()
    assert found.unanswered.any()


SAID = {
    "starts": [Message("assistant", "Hello."), Message("user", "Hi.")],
    "silent": [Message("user"), Message("assistant", "Yes?"), Message("user", "Hi.")],
    "silent answer": [Message("user", "Hi."), Message("assistant"), Message("user", "Hm?")],
    "spaces": [Message("user", "Hi."), Message("assistant", "\n"), Message("user", "Hm?")],
    "half": [*conv("u a(t t)").messages[:3]],
    "late": [
        *conv("u a(t) u").messages[:2],
        Message("user", "Hm?"),
        *conv("u a(t)").messages[2:],
        Message("user", "So?"),
    ],
    "unread": [Message("user", metadata={"unread_parts": ["document"]})],
    "textless": [Message("user", metadata={"tokens": 40})],
}
"""What a file may hold, and which APIs refuse it as it stands."""


@pytest.mark.parametrize(
    ("said", "refusing"),
    [
        ("starts", ["gemini"]),
        ("silent", ["anthropic", "gemini"]),
        ("silent answer", ["gemini"]),
        ("spaces", ["anthropic"]),
        ("half", ["anthropic", "gemini", "openai"]),
        ("late", []),
        ("unread", []),
        ("textless", []),
    ],
)
def test_each_api_has_rules_of_its_own(said, refusing):
    timeline = replay(Conversation(SAID[said]), Settings(policy="all", pruner="off"))
    assert [provider for provider in RULES if validity(timeline, provider).refused.any()] == refusing


@pytest.mark.parametrize(
    ("model", "text", "refused"),
    [
        ("claude-sonnet-4-5", "So it", False),
        ("claude-sonnet-4-5", "So it ", True),
        ("anthropic/claude-sonnet-4.5", "So it", False),
        ("claude-opus-4-6", "So it", True),
        ("claude-3-7-sonnet-latest", "So it", False),
    ],
)
def test_an_answer_at_the_end_is_refused_by_newer_models(model, text, refused):
    said = Conversation([Message("user", "Hi."), Message("assistant", text), Message("user", "Hm?")])
    settings = Settings(model=model, filter="participants", **{"filter.participants.ids": "assistant"})
    found = validity(replay(said, settings), "anthropic")
    assert (found.wrong_end.tolist(), found.refused.tolist()) == ([False, True], [True, refused])


def test_the_sentence_says_by_whose_rules_the_file_is_judged():
    def said(provider, *messages):
        kept = Conversation(messages, metadata={"provider": provider} if provider else {})
        return refusal_sentence(replay(kept, Settings(policy="all", pruner="off")))

    silent = Message("user"), Message("assistant", "Yes?"), Message("user", "Hi.")
    assert said("anthropic", *silent) == (
        "By Anthropic's rules, 2 of the 2 requests that are sent would be refused: message 1 is sent without any text."
    )
    assert said("azure", *silent).startswith("By OpenAI's rules, none of the requests")
    assert said("google", *silent).startswith("By Gemini's rules, 2 of the 2 requests")
    assert said("a-host-of-many", *silent).startswith("None of the requests")
    assert said("openai", Message("system", "Be brief.")) == (
        "By OpenAI's rules, the one request that is sent holds nothing to answer, which other APIs refuse; "
        "none would be otherwise."
    )


def filtered(messages, **settings):
    settings = {"filter": "participants", "filter.participants.ids": "nobody", "length": 0, **settings}
    return replay(Conversation(messages), Settings(**settings))


def test_a_request_of_which_a_filter_leaves_nothing_is_refused_by_every_api():
    said = filtered([Message("user", "Hi."), Message("assistant", "Yes?"), Message("user", "Hm?")])
    assert validity(said).empty.tolist() == validity(said).refused.tolist() == [True, True]
    for provider in RULES:
        assert validity(said, provider).causes == ["nothing to answer"] * 2
        assert validity(said, provider).refused.all()
    assert "2 of the 2 requests that are sent would be refused: nothing to answer" in refusal_sentence(said)


def sent(messages, *requests):
    """The requests as somebody decided them: which messages each sends."""
    return Timeline.from_decisions(Conversation(messages), [RequestDecisions(indices) for indices in requests])


def test_one_result_without_its_call_is_refused_by_every_api_and_so_is_one_call_without_its_result():
    said = conv("u a(t) a u").messages
    orphan, unanswered = sent(said, [0], [0, 2], [0, 1, 2, 3, 4]), sent(said, [0], [0, 1, 2], [0, 1, 3, 4])
    for found, fault, at in ((orphan, "orphans", 1), (unanswered, "unanswered", 2)):
        for provider in (None, *RULES):
            judged = validity(found, provider)
            assert getattr(judged, fault).tolist()[at] == 1
            assert judged.refused.tolist() == [k == at for k in range(3)]


def test_under_a_layout_a_request_whose_newest_call_lacks_its_result_is_refused():
    said = conv("u a(t t)").messages[:3]
    for settings in ({}, {"layout": "systems_first"}):
        timeline = replay(Conversation(said), Settings(policy="all", pruner="off", **settings))
        assert validity(timeline, "openai").causes[-1] == "the newest tool call lacks a result"


def test_a_claude_at_googles_meets_anthropics_rules():
    assert recorded_rules("google", "claude-sonnet-4-5").title == "Anthropic"
    assert recorded_rules("Google", "gemini-3-pro").title == "Gemini"


def test_a_provider_without_known_rules_is_an_error():
    with pytest.raises(UnknownMember, match="choose one of anthropic, gemini, openai"):
        validity(replay(conv("u"), Settings()), "a-host-of-many")
