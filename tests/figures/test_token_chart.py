"""The chart counts what the timeline counts, and holds no message's text."""

from __future__ import annotations

import json
import struct
import zlib

import numpy as np
import pytest

from historylab import Conversation, Message, Settings, generate, replay
from historylab.figures.axis import MOST_POINTS, drawn_requests, turn_ticks
from historylab.figures.token_chart import MOST, pack_chart, pack_tokens
from historylab.planning.replay import Timeline


def unpacked(timeline: Timeline) -> tuple[dict, np.ndarray]:
    """The head, and the rows of tokens, read as the browser reads them."""
    packed = pack_chart(pack_tokens(timeline), "key", "")
    (length,) = struct.unpack_from("<I", packed)
    head = json.loads(packed[4 : 4 + length])
    planes = np.frombuffer(zlib.decompress(packed[4 + length :]), np.uint8).reshape(4, -1)
    changes = np.ascontiguousarray(planes.T).view("<i4").reshape(len(head["kinds"]) + 2, -1)
    return head, changes.cumsum(axis=1)


@pytest.fixture
def timeline() -> Timeline:
    return replay(generate("support_desk", turns=12), Settings(budget=900, reserve=100, pruner="summarize"))


def test_the_browser_gets_the_timelines_numbers(timeline):
    head, (*kinds, sent, untrimmed) = unpacked(timeline)
    for look, tokens in zip(head["kinds"], kinds, strict=True):
        assert (tokens == timeline.tokens_by_kind[look["kind"]]).all()
    assert (sum(kinds) == timeline.tokens).all()
    assert (sent == timeline.tokens).all()
    assert (untrimmed == timeline.untrimmed).all()
    assert (head["net"], head["budget"], head["aside"]) == (800, 900, 100)
    assert sent.max() <= head["top"]


def test_every_new_summary_has_its_sign(timeline):
    made = [plan.summary for plan in timeline.plans if plan.summary]
    signs = unpacked(timeline)[0]["summaries"]
    assert [tokens for _, _, tokens in signs] == [s.tokens for s in dict.fromkeys(made)]
    assert all(timeline.plans[request].summary.covers == covers for request, covers, _ in signs)


def test_of_many_requests_every_peak_is_drawn():
    tokens = np.arange(10_000) % 997
    assert [len(drawn_requests(tokens, most)) for most in (MOST, MOST_POINTS)] == [MOST, MOST_POINTS]
    assert tokens[drawn_requests(tokens)].max() == tokens.max()


def test_a_thousand_requests_are_a_few_thousand_bytes():
    timeline = replay(generate("coding_agent", turns=300, seed=1), Settings(policy="all", budget=20_000))
    assert len(timeline.plans) > MOST
    head, rows = unpacked(timeline)
    shown = np.cumsum(head["shown"])
    assert (rows[-2] == timeline.tokens[shown]).all()
    assert len(pack_chart(pack_tokens(timeline), "key", "")) < 12_000


def test_no_message_text_is_in_it():
    hostile = "<img src=x onerror=alert(1)>"
    timeline = replay(Conversation([Message("user", hostile, name=hostile)], title=hostile), Settings(budget=1))
    assert "<img" not in json.dumps(unpacked(timeline)[0])


def test_turns_are_the_ticks():
    timeline = replay(generate("support_desk", turns=60), Settings())
    positions, names = turn_ticks(timeline, 10)
    assert names[:3] == ["turn 1", "10", "20"]
    assert [timeline.steps[p - 1].turn + 1 for p in positions] == [1, 10, 20, 30, 40, 50, 60]
