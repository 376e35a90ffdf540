"""Octopus' recorded cases: what its own functions gave for the same input."""

from __future__ import annotations

from history_strategies import unpaired_parts
from recorded_cases import options_of, recorded, right, same_objects

from historylab.systems.octopus import (
    SummarizePruner,
    approximate_token_count,
    assemble_history,
    count_message_tokens,
    ensure_min_history,
    get_last_n_turns,
    truncate_tool_result,
)


@recorded("octopus", "prune+EnsureMinHistory")
def test_recorded_histories(case):
    given, options = case["input"]["messages"], options_of(case)
    found = assemble_history(given, case["input"]["target_tokens"], **options)
    shown = {"ids": [m["id"] for m in found.messages], "tokens": found.tokens, "over_budget": found.over_budget}
    assert shown == right(case)
    assert same_objects(found.messages, given)
    for invariant in case["invariants"]:
        INVARIANTS[invariant](given, found.messages, options)


@recorded("octopus", "EnsureMinHistory")
def test_recorded_minimum(case):
    given = case["input"]["messages"]
    pruned = [m for m in given if m["id"] in case["input"]["pruned_ids"]]
    found = ensure_min_history(pruned, given, **options_of(case))
    assert {"ids": [m["id"] for m in found]} == right(case)
    for invariant in case["invariants"]:
        INVARIANTS[invariant](given, found, case["options"])


@recorded("octopus", "SummarizePruner")
def test_recorded_summaries(case):
    given, asked = case["input"]["messages"], []
    target = sum(map(count_message_tokens, given)) - 1

    def summarize(messages, *, prompt, max_output_tokens):
        asked.extend(messages)
        return case["input"]["summary_text"]

    found = SummarizePruner(summarize, **options_of(case)).prune(given, target)
    new = [m for m in found if m not in given]
    shown = {
        "summarized_ids": [m["id"] for m in asked],
        "kept_ids": [m["id"] for m in found if m in given],
        "summary_message": new[0] if new else None,
    }
    assert shown == right(case)


@recorded("octopus", "ApproximateTokenCounter.Count")
def test_recorded_counts(case):
    assert approximate_token_count(case["input"]["text"]) == right(case)


@recorded("octopus", "ToolResultTruncator.Truncate")
def test_recorded_tool_results(case):
    letter, times = case["input"]["text_repeat"]
    expected = right(case)
    found = truncate_tool_result(letter * times, **options_of(case))
    assert found == letter * expected["kept_characters"] + expected["suffix"]


def systems_stay(original, found, _options):
    assert [m for m in found if m["role"] == "system"] == [m for m in original if m["role"] == "system"]


def pairs_stay_together(original, found, _options):
    assert unpaired_parts(found) <= unpaired_parts(original)


def minimum_is_there(original, found, options):
    assert all(m in found for m in get_last_n_turns(original, options["min_history_turns"]))


def order_stays(original, found, _options):
    assert [m for m in original if m in found] == found


def only_the_oldest_turns_went(original, found, _options):
    kept = [m in found for m in original if m["role"] != "system"]
    assert kept == sorted(kept)
    first = next((m for m in found if m["role"] != "system"), None)
    assert first is None or first["role"] == "user" or len(found) == len(original)


INVARIANTS = {
    "system messages are never removed": systems_stay,
    "no tool result without its call and no call without its result": pairs_stay_together,
    "the last min_history_turns turns are all present": minimum_is_there,
    "chronological order": order_stays,
    "only whole turns are removed, oldest first": only_the_oldest_turns_went,
}
