"""The tool-output stage `clear`: all but the newest results, a batch at a time, and never one that is to stay.

With a trigger, as Anthropic's `clear_tool_uses_20250919`: each request is judged anew, by its whole history.
"""

from __future__ import annotations

from dataclasses import replace

import pytest
from sketches import conv

from historylab.conversation.conversation import Conversation
from historylab.costs.bill import price
from historylab.costs.traffic import traffic
from historylab.planning.pipeline import plan_history
from historylab.planning.replay import replay
from historylab.pricing import Prices
from historylab.settings.model import Settings

ALTERNATING = "u a(t:40) a(t:40) a(t:40) a(t:40)"


def clearing(keep: int, batch: int = 1, **options) -> Settings:
    named = {f"tool_output.clear.{name}": value for name, value in {"keep": keep, "batch": batch, **options}.items()}
    return Settings(policy="all", pruner="off", tool_output="clear", counter="chars/4", **named)


@pytest.mark.parametrize(
    ("keep", "batch", "expected"),
    [
        (1, 1, "KKTKTKTKK"),
        (1, 2, "KKTKTKKKK"),
        (1, 3, "KKTKTKTKK"),
        (1, 4, "KKKKKKKKK"),
        (0, 2, "KKTKTKTKT"),
        (4, 1, "KKKKKKKKK"),
        (9, 1, "KKKKKKKKK"),
    ],
)
def test_only_whole_batches_of_the_oldest_results_are_cleared(keep, batch, expected):
    assert plan_history(conv(ALTERNATING), clearing(keep, batch)).sketch() == expected


@pytest.mark.parametrize(("keep", "expected"), [(3, "KKKKK"), (2, "KKTKK"), (1, "KKTTK"), (0, "KKTTT")])
def test_of_parallel_results_the_newest_stay_whole(keep, expected):
    assert plan_history(conv("u a(t:40 t:40 t:40)"), clearing(keep, 1)).sketch() == expected


@pytest.mark.parametrize(("batch", "breaks"), [(1, 5), (2, 2), (3, 1), (6, 0)])
def test_the_prefix_breaks_once_per_batch(batch, breaks):
    timeline = replay(conv("u " + "a(t:40) " * 6), clearing(1, batch))
    assert traffic(timeline).breaks == breaks


FIVE = "u " + "a(t:40) " * 5
WHOLE = (3, 60, 117, 174, 231, 288)  # tokens of each request if nothing is cleared


def replayed(conversation: Conversation, settings: Settings) -> list[str]:
    return [plan.sketch() for plan in replay(conversation, settings).plans]


def test_up_to_the_trigger_nothing_is_cleared_and_beyond_it_all_but_the_newest():
    assert tuple(replay(conv(FIVE), clearing(9)).tokens) == WHOLE
    found = replayed(conv(FIVE), clearing(1, trigger=WHOLE[4]))
    assert found == ["K", "KKK", "KKKKK", "KKKKKKK", "KKKKKKKKK", "KKTKTKTKTKK"]


def test_the_overhead_counts_towards_the_trigger():
    settings = clearing(1, trigger=WHOLE[4]).replace(overhead=WHOLE[4] - WHOLE[3])
    assert replayed(conv(FIVE), settings)[3:] == ["KKKKKKK", "KKTKTKTKK", "KKTKTKTKTKK"]


def test_what_counts_is_the_history_before_clearing_so_that_nothing_comes_back():
    timeline = replay(conv(FIVE), clearing(2, trigger=WHOLE[3]))
    assert [plan.sketch().count("T") for plan in timeline.plans] == [0, 0, 0, 0, 2, 3]
    assert timeline.tokens[-1] < WHOLE[3]  # below the trigger, once it is cleared


def test_a_request_is_written_to_the_cache_from_the_first_result_cleared():
    timeline = replay(conv("s:1500 " + FIVE), clearing(2, trigger=1125 + WHOLE[3]))
    sent, paid = traffic(timeline), price(traffic(timeline), Prices(input=4, output=20), "explicit")
    assert sent.broken.tolist() == [False] * 4 + [True, True]  # at every new result: each clears one more
    first = 1125 + 3 + 7  # system message, question, call: then the first result
    assert paid.cache_reads[4:].tolist() == [first, first + 2 * (9 + 7)]  # and two cleared results, each with a call
    assert (paid.cache_writes + paid.cache_reads).tolist() == sent.sent.tolist()


def test_where_clearing_frees_too_little_nothing_is_cleared_and_the_results_say_so():
    assert replayed(conv(FIVE), clearing(1, at_least=3 * 41))[3:] == ["K" * 7, "KKTKTKTKK", "KKTKTKTKTKK"]
    waits = plan_history(conv("u " + "a(t:40) " * 3), clearing(1, at_least=100))
    assert (waits.sketch(), waits.reason(6).rule) == ("K" * 7, "fits")
    assert waits.reason(2).sentence == (
        "Clearing the old tool results, these among them, would free 82 tokens: below 100 none is cleared."
    )


def test_the_results_of_excluded_tools_stay_whole_and_count_among_the_newest():
    named = [
        replace(m, tool_calls=tuple(replace(call, name=f"tool {k}") for call in m.tool_calls))
        for k, m in enumerate(conv(ALTERNATING))
    ]
    assert plan_history(Conversation(named), clearing(1, exclude="tool 3, tool 7,")).sketch() == "KKTKKKTKK"
    assert plan_history(conv(ALTERNATING), clearing(0, exclude="look_up")).sketch() == "K" * 9


def test_the_result_of_an_excluded_tool_keeps_its_picture():
    messages = [replace(m, media=("image",)) if m.role == "tool" else m for m in conv("u a(t:40)")]
    assert plan_history(Conversation(messages), clearing(0, exclude="look_up")).render()[-1].media == ("image",)
    assert not plan_history(Conversation(messages), clearing(0)).render()[-1].media


@pytest.mark.parametrize(
    ("keep", "tokens", "expected"),
    [(0, 0, "KKTKTKTKT"), (0, 120, "KKTKTKKKK"), (0, 10_000, "KKKKKKKKK"), (3, 120, "KKTKKKKKK"), (1, 10, "KKTKTKTKK")],
)
def test_the_newest_tokens_of_results_stay_whole_besides(keep, tokens, expected):
    plan = plan_history(conv(ALTERNATING), clearing(keep, keep_tokens=tokens))
    assert plan.sketch() == expected


def test_its_reason_is_the_number_that_decided():
    plan = plan_history(conv(ALTERNATING), clearing(1, keep_tokens=120))
    assert plan.reason(2).sentence == "A tool result beyond the newest 120 tokens of results: cleared."
    assert plan_history(conv(ALTERNATING), clearing(3, keep_tokens=120)).reason(2).rule == "tool_clear"


def test_tokens_are_summed_up_however_many_results_there_are():
    conversation = conv("u " + "a(t:40) " * 200)
    results = plan_history(conversation, clearing(0)).history.tokens[2::2]
    plan = plan_history(conversation, clearing(0, keep_tokens=int(results[-150:].sum())))
    assert plan.sketch().count("T") == 50


def test_short_results_are_never_cleared_and_count_among_the_newest():
    conversation = conv("u a(t:40) a(t:9) a(t:40) a(t:9)")
    assert plan_history(conversation, clearing(1, longer_than=30)).sketch() == "KKTKKKTKK"
