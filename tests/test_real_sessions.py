"""Costs and recall on published transcripts, if they are here: HISTORYLAB_REAL names their folder."""

from __future__ import annotations

import math
import os
from pathlib import Path

import numpy as np
import pytest

from benchmarks.evidence import in_provider_tokens
from historylab.conversation.message import Usage
from historylab.conversation.usage import usage_of
from historylab.costs.bill import against_untrimmed, price
from historylab.costs.caches.base import open_cache
from historylab.costs.traffic import traffic
from historylab.counters.calibration import calibrate
from historylab.counters.chars_4 import QuarterOfCharacters
from historylab.formats.detect import match_strengths
from historylab.formats.files.content import Content
from historylab.formats.load import load, load_alone
from historylab.planning.replay import replay
from historylab.planning.validity import naive_validity
from historylab.pricing import Prices
from historylab.settings.model import Settings

FOLDER = os.environ.get("HISTORYLAB_REAL", "")  # read now: tests run without HISTORYLAB_ variables
COUNTER = QuarterOfCharacters("")
PRICES = Prices(input=1_000_000, output=0, cache_read=100_000, cache_write=1_250_000)  # totals in base input tokens
FOREVER = open_cache("explicit", lifetime=math.inf)
UNCUT = Settings(policy="all", pruner="off", counter="chars/4", overhead=16_000)


def _claude_code() -> list[Path]:
    found = sorted(Path(FOLDER).rglob("*.json*")) if FOLDER else []
    return [path for path in found if _surest(path) == "claude_code"]


def _surest(path: Path) -> str:
    claims = match_strengths(Content(path.read_bytes(), path.name))
    return max(claims, key=claims.__getitem__, default="")


def _params(found: list) -> list:
    skip = pytest.mark.skip(reason="HISTORYLAB_REAL names no folder with such files")
    return [pytest.param(x, id=getattr(x, "name", None) or x.title) for x in found] or [pytest.param(None, marks=skip)]


FILES = _claude_code()
UNCUT_FILES = [path for path in FILES if not any(c.recorded.compactions for c in load(path))]
SESSIONS = [c for path in UNCUT_FILES for c in load(path) if (fit := calibrate(c, COUNTER)) and fit.requests >= 30]
LONG = [c for c in SESSIONS if len(c) == 214]  # session 1 of docs/evidence.md
BUDGET_32K = UNCUT.replace(budget=48_000)


@pytest.mark.parametrize("path", _params(FILES))
def test_a_session_loads_with_every_record_accounted_for(path):
    loaded = load_alone(path)
    assert loaded.report.messages > 0
    lines = path.read_text("utf-8", errors="replace").split("\n") if path.suffix == ".jsonl" else None
    assert lines is None or loaded.report.records == sum(1 for line in lines if line.strip())


@pytest.mark.parametrize("conversation", _params(SESSIONS))
def test_predicted_cache_reads_are_within_five_per_cent_of_the_reported(conversation):
    fit = calibrate(conversation, COUNTER)
    timeline = replay(conversation, UNCUT.replace(overhead=fit.overhead))
    reads = price(in_provider_tokens(traffic(timeline), fit), PRICES, "explicit").cache_reads
    answered = [(i, p.size) for i, p in enumerate(timeline.plans) if p.size < len(conversation)]
    reported = sum((usage_of(conversation[size]) or Usage()).cache_reads for _, size in answered)
    assert sum(int(reads[i]) for i, _ in answered) == pytest.approx(reported, rel=0.05)
    assert fit.fit > 0.98


@pytest.mark.parametrize("conversation", _params(LONG))
@pytest.mark.parametrize(
    ("changes", "cost", "breaks"),
    [
        ({}, 670_526, 0),
        ({"policy": "lastN", "length": 5}, 752_467, 3),
        ({"pruner": "fifo", "budget": 24_000, "pruner.fifo.unit": "block"}, 663_053, 44),
        ({"pruner": "fifo", "budget": 48_000, "pruner.fifo.unit": "block"}, 1_194_883, 19),
        ({"tool_output": "clear"}, 516_548, 9),
    ],
    ids=str,
)
def test_an_independent_replay_of_the_same_session_cost_the_same(conversation, changes, cost, breaks):
    found = price(traffic(replay(conversation, UNCUT.replace(**changes))), PRICES, FOREVER)
    assert float(found.total) == pytest.approx(cost, rel=0.004)
    assert found.traffic.breaks == breaks


@pytest.mark.parametrize("conversation", _params(LONG))
def test_to_the_brim_is_dearer_than_not_trimming_and_rare_cuts_are_cheaper(conversation):
    def ratio(**changes) -> float:
        return against_untrimmed(replay(conversation, BUDGET_32K.replace(**changes)), "explicit", PRICES).ratio

    assert ratio(pruner="fifo", **{"pruner.fifo.unit": "block"}) > 1.5
    assert ratio(pruner="fifo", **{"pruner.fifo.unit": "block", "pruner.fifo.trim_to": 0.5}) < 0.85
    assert (
        ratio(compaction="at_threshold", window=48_000, threshold=1, **{"compaction.at_threshold.target": 2 / 3}) < 0.85
    )
    assert ratio(tool_output="clear", **{"tool_output.clear.batch": 1}) > 1.2
    assert ratio(tool_output="clear") < 0.85


@pytest.mark.parametrize("conversation", _params(SESSIONS))
def test_the_last_five_messages_orphan_results_in_most_requests(conversation):
    assert naive_validity(replay(conversation, UNCUT.replace(policy="lastN", length=5))).share("orphans") > 0.7


@pytest.mark.parametrize("path", _params(sorted(Path(FOLDER).rglob("*airline*.json")) if FOLDER else []))
def test_on_tau_bench_they_do_in_two_requests_of_five(path):
    chosen = UNCUT.replace(policy="lastN", length=5)
    orphans = [naive_validity(replay(conversation, chosen)).orphans > 0 for conversation in load(path)]
    assert 0.35 < np.concatenate(orphans).mean() < 0.5
