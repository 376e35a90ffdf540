"""toolpack's assembled prompt: stored messages, what is loaded and kept of them, the budget."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta, timezone

import pytest
from agent_rooms import ALICE, EVERYTHING, long_room, prompt_of, store_of, summarizer
from hypothesis import given
from hypothesis import strategies as st
from stored_messages import fill, posted

from historylab.errors import HistoryLabError
from historylab.systems.toolpack import (
    AssemblerOptions,
    ConversationStore,
    InMemoryConversationStore,
    Participant,
    StoredMessage,
    assemble_prompt,
    estimate_tokens,
)

# -- stored messages (T10 to T12)


@pytest.mark.feature("T10", "T11")
def test_a_stored_message_is_its_published_json_and_back_and_what_is_absent_stays_absent():
    least = {
        "id": "m",
        "conversationId": "c",
        "participant": {"kind": "user", "id": "U1"},
        "content": "",
        "timestamp": "2026-01-01T00:00:00Z",
        "scope": "dm",
    }
    keys = ("channelType", "channelName", "channelId", "threadId", "messageId", "anything")
    most = least | {"participant": ALICE, "metadata": dict.fromkeys(keys, "x") | {"mentions": [], "isSummary": True}}
    assert [StoredMessage.from_dict(given).to_dict() for given in (least, most)] == [least, most]


@pytest.mark.feature("T10")
@pytest.mark.parametrize(
    ("change", "said_of_it"),
    [
        ({"id": None}, "'id' is text, not None"),
        ({"participant": "alice"}, "'participant' is an object, not 'alice'"),
        ({"participant": {"kind": "user"}}, "'id' is text"),
        ({"metadata": []}, "'metadata' is an object"),
    ],
)
def test_what_is_no_stored_message_is_refused_with_what_is_wrong(change, said_of_it):
    with pytest.raises(HistoryLabError, match=said_of_it):
        StoredMessage.from_dict(posted("09:00 alice: x").to_dict() | change)


@pytest.mark.feature("T12", "T13")
def test_each_kind_of_participant_has_its_role_and_wording():
    store = store_of("09:00 alice: 1", "09:01 (kael): 2", "09:02 (strange): 3", "09:03 <bot>: 4")
    fill(store, replace(posted("09:04 alice: tool"), participant=Participant("gadget", "G1", "Gadget")))
    assert prompt_of(store, EVERYTHING) == [
        "user: alice: 1",
        "assistant: 2",
        "user: strange (agent): 3",
        "system: 4",
        "user: Gadget: tool",
    ]


@pytest.mark.feature("T13", "T17")
def test_equal_messages_in_a_row_stay_two():
    assert prompt_of(store_of("09:00 alice: x", posted("09:01 alice: x", "2")), EVERYTHING) == ["user: alice: x"] * 2


# -- loading and filtering (T14 to T16, T21)


@pytest.mark.feature("T14", "T20")
def test_an_empty_room_is_an_empty_prompt():
    assembled = assemble_prompt(InMemoryConversationStore(), "room", "kael", "Kael")
    assert (assembled.messages, assembled.estimated_tokens, assembled.turns_loaded) == ([], 0, 0)
    assert assembled.has_summary is False


@pytest.mark.feature("T15")
def test_the_store_is_asked_for_the_slice_and_for_nothing_more():
    asked = []

    class Asked(InMemoryConversationStore):
        def get(self, conversation_id, **options):
            asked.append((conversation_id, options))
            return super().get(conversation_id, **options)

    options = AssemblerOptions(scope="dm", time_window_minutes=90, max_turns_to_load=7)
    at = datetime(2026, 1, 1, 14, tzinfo=timezone(timedelta(hours=2)))
    assemble_prompt(Asked(), "room", "kael", "kael", options, now=at)
    slice_ = {"scope": "dm", "since_timestamp": "2026-01-01T10:30:00+00:00", "limit": 7}
    assert asked == [("room", slice_)]


@pytest.mark.feature("T16")
def test_addressed_only_keeps_own_turns_mentions_what_was_answered_and_the_newest():
    store = store_of(
        "09:00 bob: chatter",
        posted("09:01 bob: by alias", mentions=["U_KAEL"]),
        "09:02 bob: chatter again",
        "09:03 bob: answered",
        "09:04 (kael): own",
        posted("09:05 bob: wrong case", mentions=["KAEL"]),
        "09:06 bob: kael, by name only",
        posted("09:07 <summarizer>: stored", isSummary=True),
        "09:08 bob: newest",
    )
    options = AssemblerOptions(agent_aliases=("U_KAEL",))
    assert prompt_of(store, options) == [
        "user: bob: by alias",
        "user: bob: answered",
        "assistant: own",
        "system: stored",
        "user: bob: newest",
    ]


@pytest.mark.feature("T16")
def test_what_was_answered_is_looked_for_among_what_was_loaded():
    store = store_of("09:00 bob: asked", posted("09:01 eve: aside", scope="dm"), "09:02 (kael): told", "09:03 bob: end")
    assert prompt_of(store) == ["user: eve: aside", "assistant: told", "user: bob: end"]
    assert prompt_of(store, AssemblerOptions(scope="channel")) == [
        "user: bob: asked",
        "assistant: told",
        "user: bob: end",
    ]


@pytest.mark.feature("T16", "T22")
@pytest.mark.parametrize("name", ["kael, the helper", " kael ", "assistant", "user", ""])
def test_an_agent_of_any_name_knows_its_own_turns(name):
    own = replace(posted("09:00 (x): own"), participant=Participant("agent", name, None))
    peer = replace(posted("09:01 (x): other"), participant=Participant("agent", "assistant of others", None))
    store = store_of(own, "09:00:30 bob: chatter", peer, "09:02 bob: newest")
    if name:
        assert prompt_of(store, agent=name) == ["assistant: own", "user: bob: newest"]
    else:
        assert "assistant: own" in prompt_of(store, agent=name)


@pytest.mark.feature("T21")
def test_the_defaults_are_the_published_ones():
    assert AssemblerOptions() == AssemblerOptions(
        scope=None,
        token_budget=3000,
        addressed_only_mode=True,
        rolling_summary_threshold=40,
        time_window_minutes=None,
        max_turns_to_load=100,
        agent_aliases=(),
    )


@pytest.mark.feature("T21")
@pytest.mark.parametrize(
    ("options", "count"),
    [
        ({"max_turns_to_load": 0}, 0),
        ({"max_turns_to_load": -1}, 0),
        ({"time_window_minutes": 0}, 1),
        ({"time_window_minutes": 30.5}, 2),
        ({"time_window_minutes": 1e300}, 3),
    ],
)
def test_these_limits_load_so_many_turns(options, count):
    store = store_of("09:00 alice: old", "11:29:30 alice: half an hour ago", "12:00 alice: now")
    assert len(prompt_of(store, replace(EVERYTHING, **options))) == count


@pytest.mark.feature("T21")
@pytest.mark.parametrize(
    "options",
    [
        {"rolling_summary_threshold": 0},
        {"rolling_summary_threshold": float("nan")},
        {"token_budget": float("inf")},
        {"time_window_minutes": float("nan")},
        {"token_budget": "3000"},
        {"max_turns_to_load": 2.5},
        {"scope": 5},
        {"agent_aliases": "U123BOT"},
        {"agent_aliases": None},
    ],
)
def test_what_cannot_be_is_refused(options):
    with pytest.raises(ValueError, match=f"{next(iter(options))} .* is no") as refusal:
        AssemblerOptions(**options)
    assert isinstance(refusal.value, HistoryLabError)


# -- the budget (T19, T20)


@pytest.mark.feature("T19")
@pytest.mark.parametrize("text", ["", "a", "abcd", "abcde", "x" * 4001, "naïve ✓"])
def test_a_token_is_a_quarter_of_the_characters_rounded_up(text):
    assert estimate_tokens(text) == -(-len(text) // 4)


@pytest.mark.feature("T19")
def test_the_budget_counts_what_is_sent_the_name_before_the_text_included():
    store = store_of("09:00 alice: 1234", "09:01 (kael): 5678")
    assert prompt_of(store, replace(EVERYTHING, token_budget=4)) == ["user: alice: 1234", "assistant: 5678"]
    assert prompt_of(store, replace(EVERYTHING, token_budget=3)) == ["assistant: 5678"]


@pytest.mark.feature("T19")
def test_filling_stops_at_the_first_turn_that_does_not_fit_even_if_older_ones_would():
    store = store_of("09:00 (kael): tiny", f"09:01 (kael): {'long ' * 50}", "09:02 (kael): tiny too")
    assert prompt_of(store, replace(EVERYTHING, token_budget=20)) == ["assistant: tiny too"]


@pytest.mark.feature("T19")
@pytest.mark.parametrize("budget", [0, -5, 1])
def test_the_newest_turn_is_sent_whatever_the_budget_and_no_other(budget):
    store = store_of("09:00 alice: the question", "09:01 (kael): first half", "09:02 (kael): second half")
    assert prompt_of(store, replace(EVERYTHING, token_budget=budget)) == ["assistant: second half"]


@pytest.mark.feature("T19")
def test_a_summary_is_never_the_budgets_victim():
    options = replace(EVERYTHING, rolling_summary_threshold=4, token_budget=22)
    lines = prompt_of(long_room(10), options, summarizer("s" * 40))
    assert lines[0].startswith("system: [Summary of 5 earlier turns]: sss")
    assert lines[1:] == ["user: alice: t8", "assistant: t9"]


@pytest.mark.feature("T20")
def test_the_estimate_is_the_sum_over_what_is_sent_and_turns_are_counted_before_any_filter():
    store = fill(long_room(9), posted("09:30 bob: chatter"), posted("09:31 bob: newest"))
    options = AssemblerOptions(rolling_summary_threshold=4, token_budget=30)
    assembled = assemble_prompt(store, "room", "kael", "kael", options, summarizer())
    assert assembled.estimated_tokens == sum(estimate_tokens(m["content"]) for m in assembled.messages)
    assert (assembled.turns_loaded, assembled.has_summary) == (11, True)
    assert all(set(message) == {"role", "content"} for message in assembled.messages)


# -- any room at all

turns = st.builds(
    lambda k, kind, who, text, mention, scope: replace(
        posted(f"09:{k % 60:02} {who}: x", f"m{k}", scope=scope, mentions=[mention]),
        participant=Participant(kind, who),
        content=text,
    ),
    st.integers(0, 99),
    st.sampled_from(["user", "agent", "system", "tool"]),
    st.sampled_from(["kael", "strange", "alice"]),
    st.text(st.characters(exclude_characters="\0"), max_size=40),
    st.sampled_from(["kael", "strange", ""]),
    st.sampled_from(["channel", "dm"]),
)


@given(
    messages=st.lists(turns, max_size=30),
    budget=st.integers(0, 120),
    threshold=st.integers(1, 12),
    addressed=st.booleans(),
    summarises=st.booleans(),
)
def test_whatever_the_room_the_newest_is_sent_and_more_than_that_only_within_the_budget(
    messages, budget, threshold, addressed, summarises
):
    store: ConversationStore = fill(InMemoryConversationStore(), *messages)
    newest = store.get("room", limit=1)
    options = AssemblerOptions(token_budget=budget, rolling_summary_threshold=threshold, addressed_only_mode=addressed)
    assembled = assemble_prompt(store, "room", "kael", "kael", options, summarizer("S") if summarises else None)
    assert len(assembled.messages) >= len(newest)
    if newest:
        assert assembled.messages[-1]["content"].endswith(newest[0].content)
    rest = assembled.messages[assembled.has_summary : -1]
    assert not rest or assembled.estimated_tokens <= budget
    assert store.get("room", limit=1) == newest
