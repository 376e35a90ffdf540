"""The map's bytes say what the timeline says, and bins hide no loss."""

from __future__ import annotations

import json
import struct

import numpy as np
import pytest
from map_bytes import unpacked
from sketches import conv

from historylab import Action, Conversation, Message, Settings, generate, replay
from historylab.figures.prefix_strip import prefix_strip
from historylab.figures.retention_grid import BEST_FIRST, NOT_SAID, bin_edges, column_reasons, retention_grid
from historylab.figures.retention_map import SNIPPET, pack_timeline, pack_view

SETTINGS = {
    "fifo": Settings(policy="all", budget=700),
    "summary": Settings(policy="all", budget=900, pruner="summarize"),
    "shortened": Settings(policy="lastN", length=4, tool_output="truncate", budget=2000),
    "nothing": Settings(policy="none"),
}


def timeline(name: str = "fifo", turns: int = 30):
    return replay(generate("support_desk", turns=turns), SETTINGS[name])


@pytest.mark.parametrize("name", SETTINGS)
def test_every_cell_is_the_plans_own_decision(name):
    made = timeline(name)
    grid = retention_grid(made)
    action = np.array([255, *(action for action, _ in grid.codes)])
    assert (action[grid.cells] == made.actions()).all()
    reason = np.array([0, *(reason for _, reason in grid.codes)])
    for column, plan in enumerate(made.plans):
        assert (reason[grid.cells[: plan.size, column]] == plan.reasons).all()
        assert grid.newest[column] == grid.cells[plan.size - 1, column]


@pytest.mark.parametrize("name", SETTINGS)
def test_in_a_bin_the_worst_counts(name):
    made = timeline(name)
    whole, binned = retention_grid(made), retention_grid(made, most=7)
    severity = np.array([-1, *(BEST_FIRST.index(action) for action, _ in whole.codes)])[whole.cells]
    coarse = np.array([-1, *(BEST_FIRST.index(action) for action, _ in binned.codes)])[binned.cells]
    assert binned.cells.shape == (7, 7)
    for r in range(7):
        for c in range(7):
            rows, columns = slice(*binned.rows[r : r + 2]), slice(*binned.columns[c : c + 2])
            assert coarse[r, c] == severity[rows, columns].max()
    assert (binned.newest > NOT_SAID).all()


@pytest.mark.parametrize(("count", "most"), [(0, 5), (1, 5), (5, 5), (6, 5), (999, 10), (10_000, 1000)])
def test_bins_are_as_equal_as_can_be_and_leave_nothing_out(count, most):
    found = bin_edges(count, most)
    sizes = np.diff(found)
    assert sizes.sum() == count
    assert len(sizes) == min(count, most)
    assert not count or sizes.max() - sizes.min() <= 1


def test_worse_bytes_are_higher():
    codes = retention_grid(timeline("summary")).codes
    severities = [BEST_FIRST.index(action) for action, _ in codes]
    assert severities == sorted(severities)
    assert Action.SUMMARIZED in {action for action, _ in codes}


def test_a_pin_is_a_line_from_when_it_was_said_even_in_a_bin():
    made = replay(conv("s u a u a u! a u a u a u"), Settings(policy="lastN", length=1))
    assert retention_grid(made).pins == ((0, 0), (5, 2))
    assert retention_grid(made, most=3).pins == ((0, 0), (1, 1))


@pytest.mark.parametrize("name", SETTINGS)
def test_each_cell_finds_the_sentence_its_own_request_words(name):
    made = timeline(name)
    grid = retention_grid(made)
    sentences, per_column = column_reasons(made, grid)
    for column in range(0, len(made.plans), 5):
        for message in range(0, made.plans[column].size, 3):
            told = sentences[per_column[column][grid.cells[message, column]]]
            assert told == made.plans[column].reason(message).sentence


def test_a_binned_map_has_sentences_for_what_its_last_request_says():
    made = timeline()
    grid = retention_grid(made, most=5)
    sentences, per_column = column_reasons(made, grid)
    assert len(per_column) == 5
    assert all(0 <= k < len(sentences) for here in per_column for k in here.values())


def test_the_bytes_hold_the_same_cells_and_the_words_for_them():
    made = timeline("summary")
    still, newest, cells = unpacked(pack_timeline(made))
    grid = retention_grid(made)
    assert (cells == grid.cells).all()
    assert (newest == grid.newest).all()
    assert still["labels"][-1] == made.steps[-1].label
    assert still["sent"][-1] == int((made.plans[-1].actions <= Action.TRUNCATED).sum())
    assert [look["word"] for look in still["looks"]] == ["kept", "pinned", "truncated", "summarised", "dropped"]
    assert len(still["texts"]) == still["messages"]


def test_a_binned_map_carries_no_message_text():
    still, _, cells = unpacked(pack_timeline(timeline(), most=10))
    assert still["texts"] == still["who"] == []
    assert cells.shape == (10, 10)


def test_where_one_looks_stands_before_what_stays():
    packed = pack_timeline(timeline())
    data = pack_view(packed, "k", 3, None, {7, 2})
    (length,) = struct.unpack_from("<I", data)
    assert json.loads(data[4 : 4 + length]) == {"key": "k", "request": 3, "message": None, "starred": [2, 7]}
    assert data[4 + length :] == packed


def test_hostile_text_is_one_short_line():
    said = [Message("user", "\u202e<script>\n\ud800" + "A" * 1_000_000, name="<b>\n"), Message("assistant", "ok")]
    still, *_ = unpacked(pack_timeline(replay(Conversation(said), Settings())))
    assert len(still["texts"][0]) <= SNIPPET
    assert "\n" not in still["texts"][0] + still["who"][0]
    assert "\u202e" not in still["texts"][0]


def test_a_conversation_without_requests_packs():
    still, newest, cells = unpacked(pack_timeline(replay(Conversation([Message("assistant", "hi")]), Settings())))
    assert (still["requests"], cells.size, len(newest)) == (0, 0, 0)


def test_the_strip_is_the_least_shared_of_a_bin_and_any_moved_cut():
    made = timeline()
    whole, binned = prefix_strip(made, bin_edges(30)), prefix_strip(made, bin_edges(30, 6))
    assert whole.share[0] == 0
    assert (whole.share <= 1).all()
    assert binned.share.tolist() == whole.share.reshape(6, 5).min(axis=1).tolist()
    assert binned.moved.tolist() == whole.moved.reshape(6, 5).any(axis=1).tolist()
    nothing_cut = prefix_strip(replay(made.conversation, Settings(policy="all", pruner="off")), bin_edges(30))
    assert not nothing_cut.moved.any()
