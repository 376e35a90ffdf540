"""Cut depth: the figures of cutting down to a half and exactly to the limit are those of both replays."""

from __future__ import annotations

from functools import partial

from sketches import conv

from historylab.generators.base import generate
from historylab.planning.replay import replay
from historylab.settings.model import Settings
from historylab.tuning.cut_depth import cut_depth, depth_worth_saying, measure_cut

CHAT = generate("support_desk", seed=1, turns=60)
EXACT = Settings(policy="all", budget=1500)
NAME = "pruner.fifo.trim_to"


def test_the_figures_are_those_of_both_replays():
    found = cut_depth(EXACT.replace(**{NAME: 0.75}), partial(measure_cut, CHAT))
    assert (found.exact, found.half) == tuple(measure_cut(CHAT, EXACT.replace(**{NAME: share})) for share in (1.0, 0.5))
    assert found.half.moved < found.exact.moved
    assert found.half.cost < found.exact.cost


def test_it_is_said_where_most_requests_are_cut_anew_and_a_half_ends_that():
    assert depth_worth_saying(replay(CHAT, EXACT)).steadies
    assert depth_worth_saying(replay(CHAT, EXACT.replace(**{NAME: 0.5}))) is None
    assert depth_worth_saying(replay(CHAT, EXACT.replace(budget=100_000))) is None
    assert depth_worth_saying(replay(CHAT, EXACT.replace(pruner="relevance"))) is None
    assert cut_depth(EXACT, partial(measure_cut, conv("s u a u a"))) is None
