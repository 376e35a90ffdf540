"""The chart counts what the timeline counts, and shows no message's text."""

from __future__ import annotations

import numpy as np

from historylab import Conversation, Message, Settings, generate, replay
from historylab.figures.axis import MOST_POINTS, drawn_requests, turn_ticks
from historylab.figures.token_chart import token_chart
from historylab.wording.palette import KINDS


def bars(figure) -> dict[str, list[int]]:
    return {trace.name: list(trace.y) for trace in figure.data if trace.type == "bar"}


def test_the_stack_adds_up_to_what_is_sent():
    timeline = replay(generate("support_desk", turns=12), Settings(budget=900, pruner="summarize"))
    stack = np.sum(list(bars(token_chart(timeline)).values()), axis=0)
    assert (stack + timeline.tokens_by_kind["framing"] == timeline.tokens).all()
    assert set(bars(token_chart(timeline))) <= {look.word for look in KINDS.values()}


def test_of_many_requests_every_peak_is_drawn():
    tokens = np.arange(10_000) % 997
    shown = drawn_requests(tokens)
    assert len(shown) == MOST_POINTS
    assert tokens[shown].max() == tokens.max()


def test_no_message_text_is_in_it():
    hostile = "<img src=x onerror=alert(1)>"
    timeline = replay(Conversation([Message("user", hostile, name=hostile)], title=hostile), Settings(budget=1))
    assert "<img" not in token_chart(timeline).to_json()


def test_turns_are_the_ticks():
    timeline = replay(generate("support_desk", turns=60), Settings())
    positions, names = turn_ticks(timeline, 10)
    assert names[:3] == ["turn 1", "10", "20"]
    assert [timeline.steps[p - 1].turn + 1 for p in positions] == [1, 10, 20, 30, 40, 50, 60]
