"""Plans are kept as a few ranges or as what changed; they say what the same stages say that decide block by block."""

from __future__ import annotations

import numpy as np
from block_by_block import block_by_block, in_codes
from conversation_strategies import ODD, ORDINARY, conversation_from, conversations, settings
from every_way import every_way
from hypothesis import given
from hypothesis import settings as examples
from hypothesis import strategies as st
from sketches import conv

from historylab import Settings, replay
from historylab.counters.base import open_counter
from historylab.planning.blocks import before
from historylab.planning.codes import Codes, Patch
from historylab.planning.decisions import MOST_RANGES, Cuts
from historylab.planning.history import History
from historylab.planning.plan import HistoryPlan
from historylab.planning.reasons import reason
from historylab.planning.replay import Timeline
from historylab.planning.slot_zero import start

COUNTER = open_counter("exact", "gpt-4o")
WHYS = [reason(f"a test's {k}. rule", "So it is.") for k in range(3)]
LONG = st.lists(st.sampled_from([*ORDINARY, *ORDINARY, *ODD]), max_size=60).map(conversation_from)
CLEAN = st.lists(st.sampled_from([*ORDINARY, "pin"]), max_size=60).map(conversation_from)


def said(plan: HistoryPlan) -> list[object]:
    """All that a plan says."""
    return [
        plan.sketch(),
        plan.tokens,
        [plan.reason(i) for i in range(plan.size)],
        plan.render(),
        plan.sent_tokens.tolist(),
        plan.block_tokens.tolist(),
        plan.block_reasons.tolist(),
        plan.trace,
        plan.summary,
        plan.returned.tolist(),
    ]


def assert_same(timeline: Timeline, reference: Timeline) -> None:
    for plan, other in zip(timeline.plans, reference.plans, strict=True):
        assert said(plan) == said(other)
    for name in ("changes", "block_changes"):
        ours, theirs = getattr(timeline, name), getattr(reference, name)
        for field in ("request", "place", "action", "reason"):
            assert getattr(ours, field).tolist() == getattr(theirs, field).tolist()
    ours, theirs = timeline.tokens_by_kind, reference.tokens_by_kind
    assert {kind: ours[kind].tolist() for kind in ours} == {kind: theirs[kind].tolist() for kind in theirs}


@examples(max_examples=40)
@given(LONG | CLEAN | CLEAN, settings() | settings() | st.sampled_from(list(every_way().values())))
def test_a_plan_says_what_one_made_block_by_block_says(conversation, chosen):
    timeline = replay(conversation, chosen)
    with block_by_block():
        reference = replay(conversation, chosen)
    assert_same(timeline, reference)
    if timeline.plans and (last := timeline.plans[-1]).size:
        request, message = len(timeline.plans) // 2, len(conversation) // 3
        message = min(message, timeline.plans[request].size - 1)
        assert timeline.explain(request, message) == reference.explain(request, message)
        assert repr(last) == repr(reference.plans[-1])


BLOCKS = st.lists(st.integers(0, 25), max_size=6)
VERBS = st.sampled_from(["range", "mask", "drop", "pin", "note", "cut"])
STEPS = st.lists(st.tuples(VERBS, BLOCKS, st.integers(0, 25)), max_size=8)


@examples(max_examples=40)
@given(conversations(max_size=30), STEPS)
def test_verbs_do_the_same_to_either_form(conversation, verbs):
    history = History(conversation, COUNTER, len(conversation))
    plan = start(history, 100, True)
    other = in_codes(plan)
    for number, (verb, blocks, stop) in enumerate(verbs):
        why, ranges = WHYS[number % 3], before(min(stop, history.blocks), but=blocks)
        mask = np.isin(np.arange(history.blocks), blocks)
        chosen = mask if verb == "mask" else ranges
        plan, other = (
            p.truncate({i: "…" for i in blocks if i < p.size}, why, before=min(stop, p.size))
            if verb == "cut"
            else p.pin(chosen, why)
            if verb == "pin"
            else p.note(chosen, why)
            if verb == "note"
            else p.drop(chosen, why)
            for p in (plan, other)
        )
        every = before(history.blocks)
        assert said(plan) == said(other)
        assert plan.tokens_of(ranges) == other.tokens_of(ranges)
        assert plan.any_open(ranges) == other.any_open(ranges)
        assert plan.newest_open(ranges, 3).tolist() == other.newest_open(ranges, 3).tolist()
        assert [plan.first_that_makes(n, every) for n in range(-1, plan.tokens, 7)] == [
            other.first_that_makes(n, every) for n in range(-1, plan.tokens, 7)
        ]


def test_a_cut_is_kept_as_ranges_and_what_is_scattered_as_changes():
    conversation = conv("s" + " u:20 a:20" * 40)
    plans = {
        pruner: replay(conversation, Settings(policy="all", pruner=pruner, budget=400)).plans
        for pruner in ("fifo", "relevance")
    }
    assert all(isinstance(plan._decisions, Cuts) for plan in plans["fifo"])
    assert {type(plan._decisions) for plan in plans["relevance"]} <= {Cuts, Codes, Patch}


def test_masks_become_ranges_while_those_are_few():
    conversation = conv("s" + " u a" * 2 * MOST_RANGES)
    plan = start(History(conversation, COUNTER, len(conversation)), 100, True)
    blocks = np.arange(plan.history.blocks)
    assert isinstance(plan.drop(blocks < 50, WHYS[0])._decisions, Cuts)
    scattered = plan.drop(blocks % 3 == 1, WHYS[0])
    assert isinstance(scattered._decisions, Codes)
    assert scattered.sketch() == "".join("P" if k == 0 else "D" if k % 3 == 1 else "K" for k in blocks)
