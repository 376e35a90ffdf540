"""The map's bytes hold what every request does with every message, and why, in as little as what changes takes."""

from __future__ import annotations

import numpy as np
import pytest
from conversation_strategies import conversations, settings
from hypothesis import given
from map_bytes import unpacked
from sketches import conv

from historylab import Action, Conversation, Message, Settings, generate, replay
from historylab.figures.packing import pack
from historylab.figures.prefix_strip import prefix_strip
from historylab.figures.retention_grid import BEST_FIRST
from historylab.figures.retention_map import SNIPPET, pack_conversation, pack_timeline, view
from historylab.planning.reasons import fill_sentence, reason_of
from historylab.recall.must_remember import track_must_remember

SETTINGS = {
    "fifo": Settings(policy="all", budget=700),
    "summary": Settings(policy="all", budget=900, pruner="summarize"),
    "shortened": Settings(policy="lastN", length=4, tool_output="truncate", budget=2000),
    "relevance": Settings(policy="all", budget=700, pruner="relevance"),
}


def timeline(name: str = "fifo", turns: int = 30):
    return replay(generate("support_desk", turns=turns), SETTINGS[name])


def assert_is_what_was_planned(made) -> None:
    part = unpacked(pack_timeline(made, "k", "c"))
    cells = part.cells(len(made.conversation))
    actions = np.array([255, *part.words["codes"]])
    assert (actions[cells] == made.actions()).all()
    reasons = np.array([0, *part.words["rules"]])
    for request, plan in enumerate(made.plans):
        assert (reasons[cells[: plan.size, request]] == plan.reasons).all()
        for message in {int(k): m for m, k in enumerate(cells[: plan.size, request])}.values():
            why = reason_of(int(plan.reasons[message]))  # of all it holds for: a pin is named where one is asked about
            assert part.sentence(request, cells[message, request]) == fill_sentence(why, plan.numbers.get(why.code, {}))


@given(conversations(), settings())
def test_every_cell_is_the_plans_own_decision_in_its_own_words(conversation, chosen):
    assert_is_what_was_planned(replay(conversation, chosen))


@pytest.mark.parametrize("name", SETTINGS)
def test_so_it_is_in_a_long_one(name):
    assert_is_what_was_planned(timeline(name))


def test_sentences_that_differ_in_their_numbers_alone_are_listed_once():
    part = unpacked(pack_timeline(timeline(), "k", "c"))
    about = [words for words in part.words["sentences"] if words[0].startswith("Oldest first")]
    assert about == [["Oldest first: the request had ", " tokens, the budget allows ", "."]]
    assert len(set(part.arrays["number1"].tolist())) > 10


def test_results_that_come_after_the_next_request_are_in_it():
    assert_is_what_was_planned(replay(conv("s u a(t t) a u a(t) u a"), Settings(length=1)))


def test_worse_codes_are_higher():
    codes = unpacked(pack_timeline(timeline("summary"), "k", "c")).words["codes"]
    severities = [BEST_FIRST.index(action) for action in codes]
    assert severities == sorted(severities)
    assert Action.SUMMARIZED in codes


def test_it_takes_few_bytes():
    made = replay(generate("coding_agent", turns=100, seed=1), Settings(policy="all", budget=9000))
    assert len(made.conversation) == 1000
    assert len(pack_timeline(made, "k", "c")) < 10_000
    assert len(pack_conversation(made, "c")) < 20_000


def test_what_no_setting_changes_is_a_part_of_its_own():
    made, other = timeline("summary"), timeline("fifo")
    part = unpacked(pack_conversation(made, "c"))
    assert pack_conversation(other, "c") == pack_conversation(made, "c")
    assert part.head == {"key": "c"}
    assert part.words["labels"] == [step.label for step in made.steps]
    assert part.arrays["said"].tolist() == [plan.size for plan in made.plans]
    assert len(part.words["texts"]) == len(part.words["who"]) == len(made.conversation)


def test_a_marked_message_says_which_requests_lack_it():
    made = replay(conv("s u:9 a u a u a u a"), Settings(length=2))
    (star,) = track_must_remember(made, [1])
    assert star.gaps
    look = view("k", 3, None, [star])
    assert look == {"key": "k", "request": 3, "message": None, "starred": [(1, [list(gap) for gap in star.gaps])]}


def test_hostile_text_is_one_short_line_and_no_file_name():
    said = [Message("user", "\u202e<script>\n\ud800" + "A" * 1_000_000, name="<b>\n"), Message("assistant", "ok")]
    words = unpacked(pack_conversation(replay(Conversation(said, "../a <b>\n.exe"), Settings()), "c")).words
    assert len(words["texts"][0]) <= SNIPPET
    assert "\n" not in words["texts"][0] + words["who"][0]
    assert "\u202e" not in words["texts"][0]
    assert words["name"] == "a-b-exe"


def test_a_conversation_without_requests_packs():
    made = replay(Conversation([Message("assistant", "hi")]), Settings())
    assert unpacked(pack_timeline(made, "k", "c")).cells(1).shape == (1, 0)
    assert unpacked(pack_conversation(made, "c")).words["labels"] == []


def test_numbers_of_any_size_are_packed_by_their_bytes():
    arrays = {"small": np.array([0, 255]), "large": np.array([256, 2**32 - 1]), "none": np.empty(0, np.int64)}
    part = unpacked(pack({}, {"said": "ü"}, arrays))
    assert part.words == {"said": "ü"}
    assert {name: array.tolist() for name, array in part.arrays.items()} == {
        name: array.tolist() for name, array in arrays.items()
    }


def test_the_strip_is_what_each_request_shares_and_where_its_beginning_changed():
    strip = prefix_strip(timeline())
    assert strip.share[0] == 0
    assert (strip.share <= 1).all()
    assert strip.moved.any()
    nothing_cut = prefix_strip(replay(timeline().conversation, Settings(policy="all", pruner="off")))
    assert not nothing_cut.moved.any()
