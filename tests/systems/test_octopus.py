"""Octopus' history management: its feature list (O01 to O13), and what holds for any history."""

from __future__ import annotations

import copy
import logging

import pytest
from history_strategies import histories, unpaired_parts
from hypothesis import given
from hypothesis import strategies as st
from octopus_chats import chat, ids
from recorded_cases import same_objects

from historylab.errors import HistoryLabError
from historylab.systems.octopus import (
    ROOMY_BUDGET,
    STRATEGIES,
    TIGHT_BUDGET,
    ContextPruner,
    FIFOPruner,
    SlidingWindowPruner,
    SummarizePruner,
    assemble_history,
    count_message_tokens,
    ensure_min_history,
    get_last_n_turns,
    history_budget,
    inspect_context,
    truncate_tool_result,
)


def assembled(roles: str, target: int, **options) -> str:
    return ids(assemble_history(chat(roles), target, **options).messages)


class Summarizer:
    """Answers every call with `text`, and remembers what it was asked."""

    def __init__(self, text: str = "SUMMARY"):
        self.text, self.asked = text, []

    def __call__(self, messages, *, prompt, max_output_tokens):
        self.asked.append((ids(messages), prompt, max_output_tokens))
        return self.text


# -- the features


@pytest.mark.feature("O01")
@given(histories(), st.integers(-5, 250), st.integers(0, 3))
def test_the_history_fits_unless_only_what_may_not_go_is_left(history, target, turns):
    found = assemble_history(history, target, min_history_turns=turns)
    untouchable = [m for m in history if m["role"] == "system"] + get_last_n_turns(history, turns)
    assert found.tokens == sum(map(count_message_tokens, found.messages))
    assert not found.over_budget or len(found.messages) == len(untouchable)
    assert found.over_budget == (found.tokens > target)


@pytest.mark.feature("O02")
def test_fifty_turns_fit_a_roomy_budget_and_not_a_tight_one():
    fifty_turns = [{"role": role, "content": "w" * 800} for _ in range(50) for role in ("user", "assistant")]
    roomy, tight = (assemble_history(fifty_turns, history_budget(b)) for b in (ROOMY_BUDGET, TIGHT_BUDGET))
    assert (roomy.tokens, len(roomy.messages)) == (20_400, 100)
    assert (tight.over_budget, tight.pruning_applied, len(tight.messages)) == (False, True, 18)


@pytest.mark.feature("O03")
def test_within_the_budget_only_the_window_applies():
    summarize = Summarizer()
    history = "a0 u1 a1 u2 a2"
    assert assembled(history, 50) == assembled(history, 50, strategy="Summarize", summarize=summarize) == history
    assert summarize.asked == []
    assert ids(SlidingWindowPruner(1).prune(chat(history), 50)) == "u2 a2"


@pytest.mark.feature("O04")
def test_every_pruner_keeps_the_one_contract():
    pruners: list[ContextPruner] = [FIFOPruner(), SlidingWindowPruner(1), SummarizePruner(Summarizer(), fraction=0.5)]
    results = [ids(p.prune(chat("s1 u1 a1 u2 a2"), 40, cancelled=lambda: False)) for p in pruners]
    assert results == ["s1 u2 a2", "s1 u2 a2", "s1 [Earlier conversation summary]: SUMMARY u2 a2"]


@pytest.mark.feature("O04")
def test_a_cancelled_pruner_calls_no_model_and_leaves_the_history():
    summarize = Summarizer()
    history = chat("u1 a1 u2 a2 u3 a3 u4 a4")
    assert SummarizePruner(summarize).prune(history, 0, cancelled=lambda: True) == history
    assert summarize.asked == []


@pytest.mark.feature("O05", "O11", "O12")
def test_fifo_drops_whole_turns_the_oldest_first_until_it_fits():
    history = chat("s1 a0 u1 a1 u2 a2 u3 a3")
    results = {target: ids(FIFOPruner().prune(history, target)) for target in (80, 79, 69, 50, 49, 30, 10, 0)}
    assert results == {
        80: "s1 a0 u1 a1 u2 a2 u3 a3",
        79: "s1 u1 a1 u2 a2 u3 a3",
        69: "s1 u2 a2 u3 a3",
        50: "s1 u2 a2 u3 a3",
        49: "s1 u3 a3",
        30: "s1 u3 a3",
        10: "s1",
        0: "s1",
    }


@pytest.mark.feature("O05")
def test_fifo_may_empty_the_history_down_to_a_newest_turn_that_is_too_long():
    assert FIFOPruner().prune(chat("u1 c1 t1 c2 t2 a2"), 50) == []


@pytest.mark.feature("O05")
def test_what_belongs_to_no_turn_goes_message_by_message_where_there_are_no_turns():
    assert ids(FIFOPruner().prune(chat("a1 a2 a3"), 20)) == "a2 a3"


@pytest.mark.feature("O06")
def test_a_fraction_of_one_summarises_all_of_it():
    found = SummarizePruner(Summarizer(), fraction=1).prune(chat("s1 a0 u1 a1 u2"), 20)
    assert ids(found) == "s1 [Earlier conversation summary]: SUMMARY"


@pytest.mark.feature("O06")
def test_summarize_turns_the_oldest_share_into_one_system_message():
    summarize = Summarizer("they met")
    history = chat("s1 u1 c1 t1 a1 u2 a2 u3 a3 u4 a4")
    pruner = SummarizePruner(summarize, fraction=0.4, max_output_tokens=77)
    found = pruner.prune(history, 109)
    summary = {"role": "system", "content": "[Earlier conversation summary]: they met"}
    assert found == [history[0], summary, *history[5:]]
    assert summarize.asked == [("u1 c1 t1 a1", "Summarize this conversation history concisely:", 77)]


@pytest.mark.feature("O06")
def test_unless_told_otherwise_three_tenths_are_summarised_in_300_tokens():
    summarize = Summarizer()
    SummarizePruner(summarize).prune(chat("u1 a1 u2 a2 u3 a3 u4 a4 u5 a5"), 99)
    assert [(asked, tokens) for asked, _, tokens in summarize.asked] == [("u1 a1", 300)]
    SummarizePruner(summarize).prune(chat("u1 a1 a2 u3 a3 u4 a4 u5 a5 a6"), 99)
    assert summarize.asked[-1][0] == "u1 a1 a2"


@pytest.mark.feature("O06")
def test_summarize_never_drops_and_assembling_goes_on_with_fifo():
    history = "s1 u1 a1 u2 a2 u3 a3 u4 a4 u5 a5"
    mark = "[Earlier conversation summary]: SUMMARY"
    pruned = SummarizePruner(Summarizer()).prune(chat(history), 30)
    assert ids(pruned) == f"s1 {mark} u2 a2 u3 a3 u4 a4 u5 a5"
    options = {"strategy": "Summarize", "min_history_turns": 1}
    assert assembled(history, 50, summarize=Summarizer(), **options) == f"s1 {mark} u5 a5"


@pytest.mark.feature("O06")
def test_the_last_turns_are_never_summarised_for_nothing():
    summarize = Summarizer()
    assert assembled("u1 c1 t1 c2 t2 a2 u2 a3", 10, strategy="Summarize", summarize=summarize) == (
        "u1 c1 t1 c2 t2 a2 u2 a3"
    )
    assert summarize.asked == []


@pytest.mark.feature("O06")
@pytest.mark.parametrize("answer", ["", "  ", None, RuntimeError("quota")])
def test_a_failed_summary_is_logged_and_the_oldest_turns_go_instead(caplog, answer):
    def summarize(messages, **_):
        if isinstance(answer, Exception):
            raise answer
        return answer

    history = "u1 a1 u2 a2 u3 a3 u4 a4"
    assert assembled(history, 60, strategy="Summarize", summarize=summarize) == "u2 a2 u3 a3 u4 a4"
    assert [(r.name, r.levelno) for r in caplog.records] == [("historylab", logging.WARNING)]
    with pytest.raises(type(answer) if isinstance(answer, Exception) else HistoryLabError):
        SummarizePruner(summarize).prune(chat(history), 60)


@pytest.mark.feature("O07")
def test_the_window_keeps_the_last_turns_whole_with_their_tools_whatever_the_budget():
    history = chat("s1 a0 u1 a1 u2 c2 t2 a2 s2 u3 u4")
    assert ids(SlidingWindowPruner(3).prune(history, 0)) == "s1 u2 c2 t2 a2 s2 u3 u4"
    assert SlidingWindowPruner(4).prune(history, 0) == SlidingWindowPruner().prune(history, 0) == history
    assert ids(SlidingWindowPruner(0).prune(history, 10**9)) == "s1 s2"


@pytest.mark.feature("O08")
@pytest.mark.parametrize("strategy", STRATEGIES)
def test_the_last_complete_turns_stay_whatever_budget_and_strategy(strategy):
    history = chat("u1 a1 u2 a2 u3 a3 u4 a4 u5")
    found = assemble_history(history, 0, strategy=strategy, sliding_window_turns=1, summarize=Summarizer())
    assert found.messages[-7:] == history[2:]
    assert found.over_budget


@pytest.mark.feature("O08")
@pytest.mark.parametrize(
    ("history", "n", "expected"),
    [
        ("a0 u1 a1 u2 a2", 1, "u2 a2"),
        ("a0 u1 a1 s1 u2 a2", 9, "u1 a1 u2 a2"),
        ("u1 a1 u2 u3 a3 u4", 2, "u1 a1 u2 u3 a3 u4"),
        ("u1 a1 u2 u3 a3 u4", 1, "u3 a3 u4"),
        ("u1 a1 u2 c2 t2", 1, "u2 c2 t2"),
        ("u1 u2", 3, "u2"),
        ("u1 a1 u2", 0, ""),
        ("a0 s1", 3, ""),
        ("", 3, ""),
    ],
)
def test_a_turn_counts_once_an_assistant_answered_and_what_follows_stays_too(history, n, expected):
    assert ids(get_last_n_turns(chat(history), n)) == expected


@pytest.mark.feature("O08")
def test_without_a_minimum_nothing_is_guaranteed():
    assert assembled("s1 u1 a1 u2", 10, min_history_turns=0) == "s1"


@pytest.mark.feature("O09")
def test_what_is_missing_returns_to_its_place_behind_systems_and_summaries():
    history = chat("s1 u1 a1 u2 a2 s2 u3 a3 u4")
    summary = {"role": "system", "content": "S"}
    pruned = [history[0], summary, history[5], history[8]]
    assert ids(ensure_min_history(pruned, history, min_history_turns=2)) == "s1 S u2 a2 s2 u3 a3 u4"


@pytest.mark.feature("O09")
def test_a_message_the_original_lacks_follows_what_it_followed():
    history = chat("u1 a1 u2 a2 u3 a3")
    shortened = {"role": "assistant", "content": "…"}
    assert ids(ensure_min_history([history[2], shortened, history[5]], history)) == "u1 a1 u2 … a2 u3 a3"
    for message in history:
        message["id"] = None
    found = ensure_min_history([history[2], shortened, history[5]], history, min_history_turns=2)
    assert found == [history[2], shortened, *history[3:]]


@pytest.mark.feature("O09")
def test_a_message_is_known_by_its_object_or_by_an_id_that_is_not_none():
    history = [{"role": role, "content": "same", "id": None} for role in ("user", "assistant") * 2]
    assert ensure_min_history(history[2:], history) == history
    named = chat("u1 a1 u2 a2")
    copies = [dict(m, content="shortened") for m in named[2:]]
    assert ensure_min_history(copies, named, min_history_turns=2) == [*named[:2], *copies]


@pytest.mark.feature("O09")
def test_one_object_said_several_times_is_put_back_each_time():
    again, answer = {"role": "user", "content": "go on"}, {"role": "assistant", "content": "done"}
    history = [again, answer] * 3
    assert ensure_min_history(history[4:], history) == history


@pytest.mark.feature("O09")
@given(histories(), st.integers(-5, 250), st.integers(0, 3))
def test_assembling_is_pruning_and_then_ensuring_the_minimum(history, target, turns):
    for strategy, pruner in (("FIFO", FIFOPruner()), ("SlidingWindow", SlidingWindowPruner(2))):
        pruned = pruner.prune(history, target)
        in_one = assemble_history(
            history, target, strategy=strategy, min_history_turns=turns, sliding_window_turns=2
        ).messages
        assert ensure_min_history(pruned, history, min_history_turns=turns) == in_one


@pytest.mark.feature("O10")
def test_system_messages_stay_in_place_and_count_towards_the_budget():
    history = "s1 u1 a1 s2 u2 a2 s3"
    assert assembled(history, 69, min_history_turns=1) == "s1 s2 u2 a2 s3"
    assert assemble_history(chat(history), 0, min_history_turns=0).tokens == 30


@pytest.mark.feature("O13")
@pytest.mark.parametrize("target", range(0, 100, 9))
def test_a_call_and_its_results_go_together_even_when_they_come_late(target):
    history = chat("u1 c1 u2 a2 t1 u3 c3 t3 a3")
    pruned = FIFOPruner().prune(history, target)
    assert unpaired_parts(pruned) == set()


# -- sibling pages


@pytest.mark.parametrize(
    ("content", "tokens"),
    [("", 5), (None, 5), ("abcd" * 10, 14), ([{"type": "text", "text": "abcdefgh"}, {"type": "image_url"}], 6), (7, 5)],
)
def test_a_message_counts_its_text_and_four_more(content, tokens):
    assert count_message_tokens({"role": "user", "content": content, "tool_calls": [{"id": "c"}]}) == tokens


def test_the_callers_own_counter_is_asked_with_the_callers_own_messages():
    history = chat("u1 a1 u2 a2")
    seen = []

    def count_tokens(message):
        seen.append(message)
        return 1

    found = assemble_history(history, 3, count_tokens=count_tokens, min_history_turns=0)
    assert (ids(found.messages), found.tokens) == ("u2 a2", 2)
    assert same_objects(seen, history)


def test_the_history_budget_is_what_the_other_parts_leave():
    assert history_budget(100_000) == 95_904
    parts = {"system_prompt": 1200, "procedure": 300, "knowledge": 1450, "episodes": 900, "current_message": 12}
    assert history_budget(8000, **parts) == 42
    assert history_budget(8000, **parts, output_reserve=9000) == 0


def test_a_tool_result_is_cut_only_when_it_is_longer_in_tokens():
    assert truncate_tool_result("r" * 8003) == "r" * 8003
    assert truncate_tool_result("r" * 8004) == "r" * 8000 + "\n[... truncated 1 tokens ...]"


@pytest.mark.parametrize(
    "mistake",
    [
        lambda: assemble_history([], 0, strategy="fifo"),
        lambda: assemble_history([], 0, strategy="Summarize"),
        lambda: assemble_history([], 0, strategy="SlidingWindow", sliding_window_turns=-1),
        lambda: SlidingWindowPruner(-1),
        lambda: SummarizePruner(Summarizer(), fraction=0),
        lambda: SlidingWindowPruner("3"),
        lambda: SlidingWindowPruner(2.5),
        lambda: SummarizePruner(Summarizer(), fraction="0.3"),
        lambda: assemble_history([], "8000"),
        lambda: assemble_history([], float("nan")),
        lambda: assemble_history([], 0, min_history_turns=None),
        lambda: get_last_n_turns([], "3"),
        lambda: truncate_tool_result("x", max_tokens=-1),
        lambda: history_budget("8000"),
        lambda: FIFOPruner().prune("a text", 0),
        lambda: FIFOPruner().prune([None], 0),
    ],
)
def test_a_mistake_is_refused_with_a_value_error_of_ours(mistake):
    with pytest.raises(ValueError, match=r".+") as refusal:
        mistake()
    assert isinstance(refusal.value, HistoryLabError)


def test_the_inspector_shows_sections_tokens_and_how_full_the_budget_is():
    history = chat("s1 u1 a1 u2 a2 u3 a3 u4")
    found = assemble_history(history, 79, strategy="Summarize", min_history_turns=1, summarize=Summarizer())
    shown = inspect_context(found, 150)
    sections = [(m["role"], m["section"], m["tokenCount"]) for m in shown.pop("messages")]
    assert sections[:3] == [("system", "SystemPrompt", 10), ("system", "Summary", 13), ("user", "MessageHistory", 10)]
    assert sections[-1] == ("user", "CurrentMessage", 10)
    assert shown == {"totalTokens": 73, "budget": 150, "budgetUsedPercent": 48.7, "pruningApplied": True}
    unpruned = assemble_history(history[:3], 80)
    assert inspect_context(unpruned, 80)["messages"][-1]["section"] == "MessageHistory"
    assert inspect_context(unpruned, 0)["budgetUsedPercent"] is None
    assert not inspect_context(unpruned, 0)["pruningApplied"]


# -- whatever the history


@given(histories(), st.sampled_from(STRATEGIES), st.integers(-5, 250), st.integers(0, 3))
def test_systems_pairs_order_and_objects_are_kept_and_nothing_is_changed(history, strategy, target, turns):
    before = copy.deepcopy(history)
    options = {"strategy": strategy, "min_history_turns": turns, "summarize": Summarizer(), "sliding_window_turns": 2}
    found = assemble_history(history, target, **options)
    kept = [m for m in found.messages if m.get("content") != "[Earlier conversation summary]: SUMMARY"]
    assert history == before
    assert same_objects(kept, history)
    assert [id(m) for m in history if any(m is k for k in kept)] == [id(m) for m in kept]
    assert all(any(m is k for k in kept) for m in get_last_n_turns(history, turns))
    assert [m for m in kept if m["role"] == "system"] == [m for m in history if m["role"] == "system"]
    assert unpaired_parts(kept) <= unpaired_parts(history)
    assert sum(found.token_counts) == found.tokens
