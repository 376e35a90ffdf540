"""The chart counts what the timeline counts, and holds no message's text."""

from __future__ import annotations

import json

import numpy as np
import pytest
from map_bytes import MapPart, unpacked
from sketches import conv

from historylab import Conversation, Message, Settings, as_sent, generate, replay
from historylab.figures.axis import MOST_POINTS, drawn_requests, turn_ticks
from historylab.figures.compare_chart import compare_chart
from historylab.figures.token_chart import MOST, pack_chart, pack_tokens
from historylab.formats.samples import load_sample
from historylab.planning.replay import Timeline


def chart(timeline: Timeline) -> MapPart:
    return unpacked(pack_chart(pack_tokens(timeline), "key", ""))


@pytest.fixture
def timeline() -> Timeline:
    return replay(generate("support_desk", turns=12), Settings(budget=900, reserve=100, pruner="summarize"))


def test_the_browser_gets_the_timelines_numbers(timeline):
    words, rows = chart(timeline).words, chart(timeline).arrays
    kinds = [look["kind"] for look in words["kinds"]]
    assert all((rows[kind] == timeline.tokens_by_kind[kind]).all() for kind in kinds)
    assert (sum(rows[kind] for kind in kinds) == timeline.tokens).all()  # what is sent, which the browser adds up
    assert (rows["untrimmed"] == timeline.untrimmed).all()
    assert (words["net"], words["budget"], words["aside"]) == (800, 900, 100)
    assert timeline.tokens.max() <= words["top"]


def test_what_is_outside_the_messages_is_drawn_and_less_reported_than_counted_draws_less():
    talk = conv("u:200 a u:30 a u:30 a")
    usage = iter([60, 700, 5000])
    told = talk.edited(
        Message(m.role, m.content, metadata={"usage": {"input": next(usage)}}) if m.role == "assistant" else m
        for m in talk
    )
    rows = chart(replay(told, Settings(overhead=50))).arrays
    kinds = [rows[kind] for kind in ("overhead", "user", "assistant", "framing")]
    assert sum(kinds).tolist() == [60, 700, 5000]
    assert all((row >= 0).all() and (row <= 5000).all() for row in kinds)


def test_every_new_summary_has_its_sign(timeline):
    made = [plan.summary for plan in timeline.plans if plan.summary]
    signs = chart(timeline).words["summaries"]
    assert [tokens for _, _, tokens in signs] == [s.tokens for s in dict.fromkeys(made)]
    assert all(timeline.plans[request].summary.covers == covers for request, covers, _ in signs)


def test_of_many_requests_every_peak_is_drawn():
    tokens = np.arange(10_000) % 997
    assert [len(drawn_requests(tokens, most)) for most in (MOST, MOST_POINTS)] == [MOST, MOST_POINTS]
    assert tokens[drawn_requests(tokens)].max() == tokens.max()


def test_a_thousand_requests_are_a_few_thousand_bytes():
    talk = " ".join(f"u:{k % 7 + 1} a(t:{k % 11 + 1}) a:{k % 5 + 1}" for k in range(501))
    timeline = replay(conv(f"s {talk}"), Settings(policy="all", budget=5_000))
    assert len(timeline.plans) > MOST
    rows = chart(timeline).arrays
    assert (rows["untrimmed"] == timeline.untrimmed[rows["shown"]]).all()
    assert len(pack_tokens(timeline)) < 8_000


def test_no_message_text_is_in_it():
    hostile = "<img src=x onerror=alert(1)>"
    timeline = replay(Conversation([Message("user", hostile, name=hostile)], title=hostile), Settings(budget=1))
    assert "<img" not in json.dumps(chart(timeline).words)


def test_turns_are_the_ticks():
    timeline = replay(generate("support_desk", turns=60), Settings())
    positions, names = turn_ticks(timeline, 10)
    assert names[:3] == ["turn 1", "10", "20"]
    assert [timeline.steps[p - 1].turn + 1 for p in positions] == [1, 10, 20, 30, 40, 50, 60]


def test_in_the_compare_chart_what_was_sent_has_no_budget():
    cut = load_sample("lamp-through-the-night")[0]
    figure = compare_chart([as_sent(cut), replay(cut, Settings(budget=9000))], "SA")
    assert [line.text for line in figure.layout.annotations if "budget" in line.text] == ["budget 9,000"]
    assert [line.name for line in figure.data] == ["S", "A"]
