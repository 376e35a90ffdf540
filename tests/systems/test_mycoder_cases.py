"""mycoder's recorded cases: what its own functions gave for the same input."""

from __future__ import annotations

import copy
import logging

import pytest
from recorded_cases import options_of, recorded, right, same_objects
from summary_writers import MARK, Writer

from historylab.systems.mycoder import (
    TokenTracker,
    TokenUsage,
    compact_history,
    compact_history_arguments,
    compact_messages,
    should_compact_messages,
    token_usage_from_message,
)


@recorded("mycoder", "compactHistory")
def test_recorded_compactions(case, caplog):
    caplog.set_level(logging.INFO, "historylab")
    messages = copy.deepcopy(case["input"]["messages"]) if case["input"]["messages_in_context"] else None
    given, tracker = list(messages or ()), TokenTracker()
    writer = Writer(case["input"]["summary_text"], TokenUsage(**case["input"]["summary_usage"]))
    if right(case) == {"raises": "ValueError"}:
        with pytest.raises(ValueError, match="whole number"):
            compact_history(messages, writer, token_tracker=tracker, **options_of(case))
        return
    result = compact_history(messages, writer, token_tracker=tracker, **options_of(case))
    found = {
        "result": result,
        "error": None,
        "messages_after": messages,
        "llm_called": bool(writer.requests),
        "llm_request": next(iter(writer.requests), None),
        "log": caplog.messages,
        "tracked_tokens": {"input": tracker.token_usage.input, "output": tracker.token_usage.output},
    }
    assert found == right(case)
    assert same_objects([m for m in messages or () if not m["content"].startswith(MARK)], given)


@recorded("mycoder", "CompactHistorySchema")
def test_recorded_arguments(case):
    try:
        found = {"ok": True, "value": compact_history_arguments(case["input"])}
    except ValueError:
        found = {"ok": False}
    assert found == {key: value for key, value in right(case).items() if key != "error"}


@recorded("mycoder", "shouldCompactMessages(document)")
def test_recorded_thresholds(case):
    assert should_compact_messages(*case["input"].values()) == right(case)


@recorded("mycoder", "compactMessages(document)")
def test_recorded_lists(case):
    writer = Writer(case["input"]["summary_text"])
    given = case["input"]["messages"]
    before = copy.deepcopy(given)
    returned = compact_messages(
        given,
        writer,
        preserve_recent_messages=case["input"]["preserveRecentMessages"],
        compaction_prompt=case["input"]["compactionPrompt"],
    )
    request = next(iter(writer.requests), None)
    assert {"messages": returned, "llm_request": request, "input_unchanged": given == before} == right(case)
    assert returned is not given


@recorded("mycoder", "TokenUsage.getCost")
def test_recorded_costs(case):
    usage = usage_of(case["input"])
    assert {"cost": usage.get_cost(), "line": str(usage)} == right(case)


@recorded("mycoder", "TokenTracker.getTotalCost")
def test_recorded_totals(case):
    tracker = tracker_of(case["input"]["tree"])
    assert {"cost": tracker.get_total_cost(), "line": str(tracker)} == right(case)


@recorded("mycoder", "provider.generateText")
def test_recorded_windows(case):
    given = case["input"]
    found = token_usage_from_message(given["usage"], given["model"], context_window=given["context_window_option"])
    assert (found.total_tokens, found.max_tokens) == (
        right(case)["totalTokens"],
        right(case)["contextWindow"],
    )


def usage_of(published: dict) -> TokenUsage:
    names = {"cacheReads": "cache_reads", "cacheWrites": "cache_writes"}
    return TokenUsage(**{names.get(name, name): number for name, number in published.items()})


def tracker_of(tree: dict, parent: TokenTracker | None = None) -> TokenTracker:
    tracker = TokenTracker(tree["name"], parent)
    tracker.token_usage = usage_of(tree["usage"])
    for child in tree.get("children", ()):
        tracker_of(child, tracker)
    return tracker
