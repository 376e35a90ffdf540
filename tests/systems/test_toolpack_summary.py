"""toolpack's rolling summary: when it is made, where it goes, and what happens when none can be had."""

from __future__ import annotations

from dataclasses import replace

import pytest
from agent_rooms import EVERYTHING, long_room, prompt_of, store_of, summarizer
from hypothesis import given
from hypothesis import strategies as st
from stored_messages import fill, posted

from historylab.systems.toolpack import (
    InMemoryConversationStore,
    Participant,
    SummarizerAgent,
    SummarizerOutput,
    assemble_prompt,
)
from historylab.systems.toolpack.assembler import Room, plan_turns


@pytest.mark.feature("T18", "T24")
@pytest.mark.parametrize(("turns", "summarised"), [(30, 0), (31, 15), (32, 16)])
def test_more_turns_than_the_threshold_and_the_oldest_half_is_summarised(turns, summarised):
    calls = []
    prompt_of(long_room(turns), replace(EVERYTHING, rolling_summary_threshold=30), summarizer(calls=calls))
    assert [len(turns) for turns, _ in calls] == ([summarised] if summarised else [])


@pytest.mark.feature("T18")
def test_the_default_threshold_is_forty_turns():
    assert len(prompt_of(long_room(40), None, summarizer())) == 40
    assert len(prompt_of(long_room(41), None, summarizer())) == 22


@pytest.mark.feature("T25")
def test_the_summary_is_stored_in_place_of_its_turns_and_begins_the_next_prompt():
    store, options = long_room(9), replace(EVERYTHING, rolling_summary_threshold=4, scope="channel")
    first = prompt_of(store, options, summarizer("facts"))
    assert first[:2] == ["system: [Summary of 4 earlier turns]: facts", "user: alice: t4"]
    assert prompt_of(store, replace(options, rolling_summary_threshold=5)) == first
    summary = store.get("room")[0]
    assert summary.participant == Participant("system", "summarizer")
    assert (summary.timestamp, summary.scope, summary.metadata) == (
        "2026-01-01T09:00:00Z",
        "channel",
        {"isSummary": True},
    )
    assert len(store.get("room")) == 6


@pytest.mark.feature("T25")
def test_the_summariser_gets_a_quarter_of_the_budget_and_the_former_summary_apart():
    store, calls = long_room(6), []
    options = replace(EVERYTHING, rolling_summary_threshold=4, token_budget=1003)
    assemble_prompt(store, "room", "kael", "Kael", options, summarizer("one", calls=calls))
    fill(store, *(posted(f"10:0{k} alice: later {k}") for k in range(3)))
    assembled = assemble_prompt(store, "room", "kael", "Kael", options, summarizer("two", calls=calls))
    asked = {"agent_name": "Kael", "agent_id": "kael", "max_tokens": 250, "extract_decisions": True}
    assert calls == [
        (["t0", "t1", "t2"], asked | {"previous_summary": None}),
        (["t3", "t4"], asked | {"previous_summary": "one"}),
    ]
    assert [m["content"] for m in assembled.messages][:2] == ["[Summary of 5 earlier turns]: two", "t5"]
    assert len([m for m in store.get("room") if m.is_summary]) == 1


@pytest.mark.feature("T25")
@given(added=st.lists(st.integers(1, 7), min_size=3, max_size=6), claimed=st.none() | st.integers(-1, 99))
def test_the_heading_counts_every_turn_it_stands_for_however_often_summaries_were_absorbed(added, claimed):
    store, options, said = long_room(0), replace(EVERYTHING, rolling_summary_threshold=2), 0

    def summarize(turns, **_):
        return {"summary": "S"} if claimed is None else SummarizerOutput("S", claimed)

    for number in added:
        fill(store, *(posted(f"10:{k:02} alice: t{k}") for k in range(said, said + number)))
        said += number
        assembled = assemble_prompt(store, "room", "kael", "Kael", options, summarize)
        plain = [message for message in store.get("room") if not message.is_summary]
        if assembled.has_summary:
            assert assembled.messages[0]["content"] == f"[Summary of {said - len(plain)} earlier turns]: S"


@pytest.mark.feature("T25")
def test_a_text_that_quotes_the_mark_is_no_mark():
    store, options = long_room(6), replace(EVERYTHING, rolling_summary_threshold=4)
    fill(store, posted("08:00 <summarizer>: he wrote [Summary of 60 earlier turns]: x", isSummary=True))
    calls = []
    assert prompt_of(store, options, summarizer(calls=calls))[0] == "system: [Summary of 3 earlier turns]: S"
    assert calls[0][1]["previous_summary"] == "he wrote [Summary of 60 earlier turns]: x"


@pytest.mark.feature("T18")
@pytest.mark.parametrize(("turns", "kept"), [(3, 3), (4, 4), (5, 4), (9, 4), (60, 4)])
def test_without_a_summariser_the_newest_turns_up_to_the_threshold_are_sent(turns, kept):
    store = long_room(turns)
    lines = prompt_of(store, replace(EVERYTHING, rolling_summary_threshold=4))
    assert [line.split(": t")[1] for line in lines] == [str(k) for k in range(turns)][-kept:]
    assert len(store.get("room")) == turns


@pytest.mark.feature("T25")
def test_a_former_summary_alone_is_not_summarised_again():
    store, options, calls = long_room(1), replace(EVERYTHING, rolling_summary_threshold=1), []
    fill(store, posted("08:00 <summarizer>: [Summary of 6 earlier turns]: old", isSummary=True))
    lines = prompt_of(store, options, summarizer(calls=calls))
    assert (lines, calls) == (["system: [Summary of 6 earlier turns]: old", "user: alice: t0"], [])


@pytest.mark.feature("T18")
def test_without_a_summariser_the_threshold_counts_what_concerns_the_agent():
    store = store_of(*(posted(f"09:0{k} alice: m{k}", mentions=["kael"] if k % 2 else []) for k in range(9)))
    options = replace(EVERYTHING, addressed_only_mode=True, rolling_summary_threshold=3)
    assert prompt_of(store, options) == ["user: alice: m5", "user: alice: m7", "user: alice: m8"]


def broken(*_, **__):
    raise TimeoutError("no model")


@pytest.mark.feature("T25")
@pytest.mark.parametrize(
    "summarize",
    [
        broken,
        *(
            (lambda *_, answer=answer, **__: answer)
            for answer in (None, "", "no JSON", '{"turnsSummarized": 3}', {"summary": "  "}, {"summary": 3}, 7)
        ),
        SummarizerAgent(lambda prompt: "I'd rather not."),
        SummarizerAgent(lambda prompt: '{"summary": ""}'),
    ],
)
def test_without_a_summary_the_newest_turns_are_sent_and_the_store_stays_as_it_is(summarize, caplog):
    store = long_room(9)
    before = store.get("room")
    assert prompt_of(store, replace(EVERYTHING, rolling_summary_threshold=4), summarize) == [
        "assistant: t5",
        "user: alice: t6",
        "assistant: t7",
        "user: alice: t8",
    ]
    assert store.get("room") == before
    assert "the newest 4 turns are sent instead" in caplog.text


@pytest.mark.feature("T25")
@pytest.mark.parametrize(
    "answer",
    [
        {"summary": "S", "turnsSummarized": 3},
        '```json\n{"summary": "S"}\n```',
        SummarizerOutput("S", 3),
    ],
)
def test_a_summary_may_come_as_the_published_json(answer):
    options = replace(EVERYTHING, rolling_summary_threshold=4)
    assert prompt_of(long_room(6), options, lambda *_, **__: answer)[0] == "system: [Summary of 3 earlier turns]: S"


@pytest.mark.feature("T25")
def test_a_store_that_fails_to_take_the_summary_has_lost_no_turn():
    class Full(InMemoryConversationStore):
        def append(self, message):
            if message.is_summary:
                raise OSError("disk full")
            super().append(message)

    store = fill(Full(), *long_room(9).get("room"))
    assert len(prompt_of(store, replace(EVERYTHING, rolling_summary_threshold=4), summarizer())) == 4
    assert len(store.get("room")) == 9


@pytest.mark.feature("T25")
def test_a_former_summary_is_sent_even_when_no_new_one_can_be_made():
    store = long_room(8)
    fill(store, posted("08:00 <summarizer>: [Summary of 6 earlier turns]: old facts", isSummary=True))
    lines = prompt_of(store, replace(EVERYTHING, rolling_summary_threshold=4, token_budget=14), broken)
    assert lines == ["system: [Summary of 6 earlier turns]: old facts", "user: alice: t6", "assistant: t7"]


@pytest.mark.feature("T25")
def test_a_summary_covers_its_turns_and_those_of_the_summary_it_absorbs():
    store, options = long_room(7), replace(EVERYTHING, rolling_summary_threshold=4)
    fill(store, posted("08:00 <summarizer>: [Summary of 6 earlier turns]: old facts", isSummary=True))
    loaded = store.get("room")
    plan = plan_turns(Room(store, "room", "kael", "Kael", options), loaded, summarizer())
    assert (plan.sketch()[:5], plan.summary.covers) == ("SSSSK", 6 + 3)


@pytest.mark.feature("T24")
def test_the_summarizer_agent_asks_with_the_former_summary_and_reads_fenced_json():
    prompts = []

    def generate(prompt):
        prompts.append(prompt)
        return '```json\n{"summary": "all of it", "hasDecisions": true}\n```'

    store, options = long_room(6), replace(EVERYTHING, rolling_summary_threshold=4)
    fill(store, posted("08:00 <summarizer>: [Summary of 6 earlier turns]: old facts", isSummary=True))
    assert prompt_of(store, options, SummarizerAgent(generate))[0] == "system: [Summary of 8 earlier turns]: all of it"
    assert "to be kept in yours:\n\nold facts\n" in prompts[0]
    assert "[Jan 1, 09:01 AM] [BOT] kael: t1" in prompts[0]


@pytest.mark.feature("T18")
def test_the_older_half_is_summarised_even_if_the_only_question_is_in_it():
    store = store_of("09:00 alice: 0", "09:01 (kael): 1", "09:02 (kael): 2", "09:03 (kael): 3", "09:04 (kael): 4")
    lines = prompt_of(store, replace(EVERYTHING, rolling_summary_threshold=4), summarizer())
    assert lines == ["system: [Summary of 2 earlier turns]: S", "assistant: 2", "assistant: 3", "assistant: 4"]


@pytest.mark.feature("T19", "T25")
def test_a_stored_summary_is_sent_whatever_the_budget_also_without_a_summariser():
    store = fill(long_room(6), posted("08:00 <summarizer>: [Summary of 6 earlier turns]: old", isSummary=True))
    lines = prompt_of(store, replace(EVERYTHING, token_budget=13))
    assert lines == ["system: [Summary of 6 earlier turns]: old", "user: alice: t4", "assistant: t5"]
