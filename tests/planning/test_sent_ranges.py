"""Questions asked of all requests at once have the answers that every plan gives, block by block."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from any_timelines import timelines
from hypothesis import given
from hypothesis import settings as examples
from hypothesis import strategies as st

from historylab import Timeline
from historylab.conversation.columns import NEVER
from historylab.planning.sent_ranges import BlockLists


def masks(timeline: Timeline) -> list[np.ndarray]:
    """The reference: per request, bool[blocks]."""
    return [plan.block_actions <= 2 for plan in timeline.plans]


@examples(max_examples=40)
@given(timelines(), st.randoms(use_true_random=False))
def test_what_all_requests_send_is_what_every_plan_says(timeline, chance):
    found, sent = timeline.sent_ranges, masks(timeline)
    assert [found.mask(r).tolist() for r in range(len(sent))] == [mask.tolist() for mask in sent]
    pairs = [(r, b) for r, mask in enumerate(sent) for b in range(len(mask))]
    requests, blocks = np.array(pairs, np.int64).reshape(-1, 2).T
    assert found.sends(requests, blocks).tolist() == [bool(sent[r][b]) for r, b in pairs]

    count = len(timeline.conversation.columns.block_first)
    among = np.array([chance.random() < 0.6 for _ in range(count)], bool)
    each, start = np.arange(len(sent)), [chance.randrange(len(mask) + 1) for mask in sent]
    following = [[b for b in range(start[r], len(mask)) if mask[b] and among[b]] for r, mask in enumerate(sent)]
    assert found.next_sent(each, np.array(start, np.int64), among).tolist() == [
        min(b, default=NEVER) for b in following
    ]
    last = [max((b for b in range(len(mask)) if mask[b]), default=-1) for mask in sent]
    assert found.last_sent(each).tolist() == last

    weights = np.array([[chance.randrange(100) for _ in range(count)] for _ in range(2)]).reshape(2, count)
    assert found.sums(weights).tolist() == [[int(row[: len(m)][m].sum()) for m in sent] for row in weights]


@examples(max_examples=40)
@given(timelines(), st.lists(st.sets(st.integers(0, 49), max_size=9), min_size=1, max_size=4))
def test_the_newest_sent_of_a_list_is_found_from_its_end(timeline, lists):
    columns, sent = timeline.conversation.columns, masks(timeline)
    said = [np.array(sorted(i for i in each if i < len(columns.role)), np.int64) for each in lists]
    of = BlockLists.of_messages(columns, said)
    asked = [(r, k) for r in range(len(sent)) for k in range(len(said))]
    requests, which = np.array(asked, np.int64).reshape(-1, 2).T
    known = [int(said[k].searchsorted(columns.requests[r])) for r, k in asked]
    begins = of.offsets[which]
    places = timeline.sent_ranges.newest_sent(requests, of, which, begins + np.array(known, np.int64))
    for (r, k), some, begin, place in zip(asked, known, begins.tolist(), places.tolist(), strict=True):
        held = [i for i in range(some) if sent[r][columns.block[said[k][i]]]]
        assert place == (begin + held[-1] if held else -1)


@examples(max_examples=30)
@given(timelines())
def test_the_first_change_is_where_two_requests_differ_first(timeline):
    sent, found = masks(timeline), timeline.sent_ranges.first_changed().tolist()
    differ = [np.flatnonzero(a != b[: len(a)]).tolist() for a, b in pairwise(sent)]
    assert found == [NEVER][: len(sent)] + [min(blocks, default=NEVER) for blocks in differ]
