"""Rows that are counted without a replay are those of one."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import cache

import pytest
from sketches import conv

from historylab import Conversation, Settings, generate, grid, load
from historylab.conversation.message import Message, Usage
from historylab.conversation.usage import MODEL
from historylab.tuning import measures
from historylab.tuning.combine import total
from historylab.tuning.count_rows import count_rows
from historylab.tuning.counted import COUNTED
from historylab.tuning.lanes import measure_lanes
from historylab.tuning.measures import MEASURES, Measure, measure
from historylab.tuning.replayed import AS_SENT, MeasureOptions, open_lane

ALL = Settings(policy="all")
CUTS = [
    *grid(ALL, budget=[0, 400, 1200], pruner=["off", "fifo", "sliding_window", "adaptive"], tool_output=["clear"]),
    *grid(ALL, budget=[500, 2000], tool_output=["off", "truncate", "collapse"], overhead=[0, 90]),
    *grid(
        Settings(length=3, budget=700, preserve_system_messages=False, min_turns=1),
        policy=["lastN", "lastMessages", "none"],
        **{"pruner.fifo.unit": ["turn", "whole_turn", "block"]},
    ),
    *grid(ALL, budget=[500, 1500], **{"pruner.fifo.trim_to": [0.3, 0.8]}),
    ALL.replace(pruner="message_window", **{"pruner.message_window.keep": 4, "pruner.message_window.trigger": 9}),
    *(ALL.replace(pruner=pruner) for pruner in ("summarize", "relevance")),
    Settings(policy="all", tool_output="clear", **{"tool_output.clear.keep": 1, "tool_output.clear.batch": 1}),
]


def same(one: dict, other: dict) -> bool:
    """Equal values of equal types in equal order; what is unknown is unknown in both."""
    pairs = list(zip(one.items(), other.items(), strict=True))
    return all(a == b or (a[0] == b[0] and math.isnan(a[1]) and math.isnan(b[1])) for a, b in pairs) and all(
        type(a[1]) is type(b[1]) for a, b in pairs
    )


@cache
def chats() -> tuple[Conversation, ...]:
    made = [generate("support_desk", turns=5, seed=1), generate("coding_agent", turns=4, seed=2)]
    names = ("agatha-the-fern.json", "lamp-through-the-night.jsonl")  # of which one was compacted
    return (*made, *(load(f"sample_conversations/{name}")[0] for name in names), conv("s u"), conv("u a(t t) u"))


@pytest.mark.parametrize("number", range(6))
def test_a_counted_row_is_that_of_a_replay(number):
    chat, options = chats()[number], MeasureOptions(stars=(0, 1))
    found = count_rows(chat, CUTS, options)
    assert len(found) > len(CUTS) * 3 / 4
    for place, row in found.items():
        assert same(row, measure(open_lane(chat, CUTS[place]), options)), CUTS[place]


def test_the_numbers_of_a_cut_worked_out_by_hand():
    """Of four messages the newest two fit: the third request drops the first turn, so its prefix is another one."""
    chat = conv("u:30 a:30 u:30 a:30 u:30")
    whole, two = ALL.replace(budget=10_000), ALL.replace(budget=110)
    uncut, cut = (row for _, row in sorted(count_rows(chat, [whole, two], MeasureOptions()).items()))
    assert (uncut["requests"], uncut["tokens_share"], uncut["prefix_breaks"], uncut["over_budget"]) == (3, 1.0, 0, 0)
    assert (cut["prefix_breaks"], cut["prefix_stable"], cut["over_budget"]) == (2, 0.0, 0)
    assert cut["tokens_peak"] <= 110 < uncut["tokens_peak"]


def test_what_was_reported_and_read_is_counted_as_recorded():
    """The usage says of each request how large it was and what it read; one lost its prefix for a reason of its own."""
    read = {1: (900, 10), 3: (1500, 1000), 5: (3900, 0), 7: (1000, 4000)}
    said = [
        Message(
            "assistant" if k % 2 else "user",
            f"{k} " + "word " * 700,
            metadata={"usage": Usage(read[k][0], 10, read[k][1])} if k in read else {},
        )
        for k in range(9)
    ]
    said[7] = replace(said[7], metadata={**said[7].metadata, MODEL: "claude-opus-4-8"})  # another answered
    recorded, options = Conversation(said, metadata={"model": ALL.model}), MeasureOptions()
    lanes = grid(ALL, budget=[500, 2500, 9000], overhead=[0, 50])
    found = count_rows(recorded, lanes, options)
    assert len(found) == len(lanes)
    for place, row in found.items():
        assert same(row, measure(open_lane(recorded, lanes[place]), options))


def test_what_asks_more_is_replayed():
    lanes, broken = [ALL.replace(budget=40), ALL.replace(budget=40, pruner="summarize")], conv("u t a u")
    assert list(count_rows(chats()[0], lanes, MeasureOptions())) == [0]
    assert not count_rows(broken, lanes, MeasureOptions())
    assert not count_rows(chats()[0], lanes, MeasureOptions(questions=("What is it?",)))


def test_a_measure_that_is_not_counted_is_read_off_replays(monkeypatch):
    assert {each.name for each in MEASURES} == COUNTED.keys()
    mine = Measure("mine", "a figure of yours", lambda r: r.timeline.plans[-1].size, combine=total, kind=int)
    monkeypatch.setattr(measures, "MEASURES", (*MEASURES, mine))
    rows = list(measure_lanes(chats()[0], CUTS[:2], MeasureOptions()))
    assert [row["mine"] for row in rows] == [len(chats()[0])] * 2


def test_settings_beside_what_was_sent_are_counted_by_what_was_recorded():
    chat, lane = chats()[0], CUTS[4]
    (row,) = measure_lanes(chat, [lane], MeasureOptions(), AS_SENT)
    assert same(row, measure(open_lane(chat, lane, AS_SENT), MeasureOptions()))
