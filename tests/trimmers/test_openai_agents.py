"""The OpenAI Agents SDK's trimmers, replayed, send what a run of its own sends."""

from __future__ import annotations

import pytest

pytest.importorskip("agents")

from functools import cache

from driven_trimmers import sent_by, share_acted_on, support_chat

from historylab import generate, replay
from tests.trimmers.by_hand import openai_agents as by_hand


@cache
def coding_agent():
    """Eight runs, each with rounds of up to three parallel calls."""
    return generate("coding_agent", turns=8, output_lines=15, seed=7)


CHATS = pytest.mark.parametrize("chat", [support_chat, coding_agent])


@CHATS
@pytest.mark.parametrize("limit", [3, 8, 15])
def test_a_session_limit_sends_what_a_run_sends(chat, limit):
    sent = sent_by("openai_agents.session_limit", chat(), limit=limit)
    assert sent == list(by_hand.session_limit(chat(), limit))
    assert share_acted_on(sent, chat()) > 0.4


@CHATS
@pytest.mark.parametrize(
    "options",
    [
        {"recent_turns": 1, "max_output_chars": 100, "preview_chars": 20},
        {
            "recent_turns": 1,
            "max_output_chars": 90,
            "preview_chars": 0,
            "trimmable_tools": ["lookup_order", "read_file"],
        },
        {"recent_turns": 2, "max_output_chars": 80, "preview_chars": 5},
    ],
)
def test_the_filter_sends_what_it_sends_by_hand(chat, options):
    sent = sent_by("openai_agents.ToolOutputTrimmer", chat(), **options)
    assert sent == list(by_hand.trimmed_outputs(chat(), **options))
    assert share_acted_on(sent, chat()) > 0.4


@CHATS
def test_a_run_never_begins_with_half_a_call(chat):
    timeline = replay(chat(), trimmer="openai_agents.session_limit", limit=4)
    assert not timeline.refused.any()


def test_what_is_said_in_a_run_is_sent_whole():
    newest = max(i for i, message in enumerate(coding_agent()) if message.role == "user")
    plan = replay(coding_agent(), trimmer="openai_agents.session_limit", limit=1).plans[-1]
    assert set(plan.sketch()[newest:]) == {"K"}


def test_nothing_is_traced():
    from agents.tracing import TracingProcessor, set_trace_processors

    class Failing(TracingProcessor):
        def fail(self, *_):
            raise AssertionError("traced")

        on_trace_start = on_trace_end = on_span_start = on_span_end = force_flush = fail

        def shutdown(self):
            pass

    set_trace_processors([Failing()])
    assert sent_by("openai_agents.session_limit", support_chat(), limit=3)
