"""A sample: conversations of every length, the same by the same seed, and what it can and can't tell."""

from __future__ import annotations

import json
import math

import pytest
from sketches import conv

from historylab import Settings, sweep
from historylab.errors import SettingsError
from historylab.formats.messages.chat_messages import to_record
from historylab.tuning.corpus import read_source, to_sources
from historylab.tuning.grid import grid
from historylab.tuning.recommend import recommend
from historylab.tuning.sampled import draw_sources, find_surety
from historylab.tuning.table import read_table

CHATS = [conv(f"s u:{5 + 7 * k % 60} a u a") for k in range(60)]  # of 60 different lengths
BUDGETS = grid(Settings(policy="all", counter="chars/4"), budget=[60, 61, 4000])


def lines_of(chats, path, *, indent="") -> str:
    lines = (indent + json.dumps({"messages": [to_record(m) for m in chat]}) for chat in chats)
    path.write_text("\n\n".join(lines) + "\n")
    return str(path)


def test_of_conversations_in_the_order_of_their_lengths_every_kth_is_taken():
    lengths = [sum(len(m.content) for m in chat) for chat in CHATS]
    rank = {length: place for place, length in enumerate(sorted(lengths))}
    for seed in range(5):
        taken = draw_sources(CHATS, 12, seed)
        places = sorted(rank[sum(len(m.content) for m in chat)] for chat in taken.sources)
        assert [place // 5 for place in places] == list(range(12))
        assert str(taken) == f"12 of 60, seed {seed}"
    assert draw_sources(CHATS, 12, 3) == draw_sources(CHATS, 12, 3) != draw_sources(CHATS, 12, 4)
    assert draw_sources(CHATS, 60, 3).sources == tuple(CHATS)
    with pytest.raises(SettingsError, match="at least one conversation, not 0"):
        draw_sources(CHATS, 0, 3)


@pytest.mark.parametrize("most", [None, 2_000], ids=["one piece", "pieces"])
def test_of_lines_each_is_taken_alone(tmp_path, monkeypatch, most):
    if most:
        monkeypatch.setattr("historylab.tuning.corpus.SOURCE_BYTES", most)
    path = lines_of(CHATS, tmp_path / "chats.jsonl")
    sources = list(to_sources([path, CHATS[0]]))
    texts = [[m.content for m in chat] for chat in CHATS]
    found = set()
    for seed in range(20):
        taken = draw_sources(sources, 20, seed)
        assert taken.whole == 61
        read = [chat for source in taken.sources for chat in read_source(source)]
        assert len(read) == 20
        found |= {texts.index([m.content for m in chat]) for chat in read}
    assert found == set(range(60))
    assert str(draw_sources(sources, 1_000, 3)) == "61 of 61, seed 3"


def test_of_a_table_rows_are_taken(tmp_path):
    pyarrow = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    rows = [{"messages": [{"role": m.role, "content": m.content} for m in chat]} for chat in CHATS]
    parquet.write_table(pyarrow.Table.from_pylist(rows), tmp_path / "chats.parquet")
    taken = draw_sources(list(to_sources([str(tmp_path / "chats.parquet")])), 7, 1)
    read = [chat for source in taken.sources for chat in read_source(source)]
    assert (taken.whole, len(read), len({chat.digest for chat in read})) == (60, 7, 7)


def test_a_sweep_of_a_sample_says_so_in_what_it_writes(tmp_path):
    out = tmp_path / "out.csv"
    table = sweep(CHATS, BUDGETS, sample=6, seed=2, out=out)
    assert len(table) == 6 * 3
    assert set(read_table(str(out))["sample"]) == {"6 of 60, seed 2"} == {table.attrs["sample"]}
    assert "sample" not in sweep(CHATS[:1], BUDGETS).columns


def row(conversation: int, budget: int, kept: float, cost: float) -> dict:
    settings = json.dumps({"budget": budget})
    figures = {"references": 10, "references_kept": kept, "cost_automatic": cost, "ratio_automatic": cost / 2}
    return {"conversation": conversation, "candidate": 0, "settings": settings, "budget": budget, **figures}


def test_settings_are_compared_by_what_both_did_to_the_same_conversation():
    """Costs differ a lot between conversations, and between two settings always by a tenth: that is sure."""
    ours = sweep(CHATS[:4], BUDGETS).to_dict("records")
    known = {(each["conversation"], each["budget"]): each for each in ours}
    paid = [0.2, 0.9, 0.4, 1.6]
    table = [
        known[k, budget] | row(k, budget, kept, paid[k] * times)
        for budget, times, kept in ((60, 1, 0.9), (61, 1.1, 0.9), (4000, 1, (0.9)))
        for k in range(4)
    ]
    found = recommend(table)
    by_budget = {json.loads(each.settings)["budget"]: each for each in find_surety(table, found)}
    assert {budget: each.tied for budget, each in by_budget.items()} == {60: True, 61: False, 4000: True}
    dear = by_budget[61].cost_ratio
    assert math.isclose(dear.value, sum(paid) * 1.1 / 8)  # not trimming costs 2 each
    assert dear.low < by_budget[60].cost_ratio.value < dear.high  # alone they could not be told apart
    assert by_budget[60].kept.value == pytest.approx(0.9)
