"""Settings that send what a framework's own trimmer does, where the library is installed.

Strands also cuts when a run has ended, which no request shows: the next may then begin elsewhere.
"""

from __future__ import annotations

from typing import Any

import pytest

from historylab import Settings, generate, replay
from historylab.planning.reasons import Action

CHATS = [generate("support_desk", turns=12, seed=1), generate("tool_loop", turns=2, seed=2)]
FREE: dict[str, Any] = {
    "policy": "all",
    "pruner": "off",
    "budget": 10**9,
    "counter": "chars/4",
    "pin.agent_context": False,
}


def window(keep: int, trigger: int, **options) -> dict[str, Any]:
    given = {"keep": keep, "trigger": trigger, "keep_task": False, **options}
    return {**FREE, "pruner": "message_window", **{f"pruner.message_window.{k}": v for k, v in given.items()}}


def rolling(messages: int, keep: int) -> dict[str, Any]:
    given = {"messages": messages, "keep": keep, "keep_task": False, "min_freed": 0}
    return {**FREE, "compaction": "rolling", **{f"compaction.rolling.{k}": v for k, v in given.items()}}


COUNTED = Settings(counter="chars/4")
SAME = 0.97
"""Share of the requests at which the same messages are sent, at least."""
NEAR = [
    ("autogen_core", "autogen.BufferedChatCompletionContext", {"buffer_size": 12},
     window(12, 12, unit="merged")),
    ("strands", "strands.SlidingWindowConversationManager", {"window_size": 12, "per_turn": True},
     window(12, 12, unit="merged", start="user")),
    ("agent_framework", "agent_framework.SlidingWindowStrategy", {"keep_last_groups": 8}, window(8, 8, unit="groups")),
    ("langchain", "langchain.SummarizationMiddleware", {"trigger": ("messages", 12), "keep": ("messages", 6)},
     rolling(11, 6)),
]  # fmt: skip


def sent(timeline) -> list[list[bool]]:
    return [(plan.actions <= Action.TRUNCATED).tolist() for plan in timeline.plans]


@pytest.mark.parametrize("conversation", CHATS, ids=lambda each: each.title)
@pytest.mark.parametrize(("library", "trimmer", "options", "settings"), NEAR, ids=[each[1] for each in NEAR])
def test_nearly_always_the_same_messages_are_sent(conversation, library, trimmer, options, settings):
    pytest.importorskip(library)
    theirs = sent(replay(conversation, COUNTED, trimmer=trimmer, **options))
    ours = sent(replay(conversation, Settings(**settings)))
    assert sum(a == b for a, b in zip(theirs, ours, strict=True)) >= SAME * len(ours)
    assert sum(not all(each) for each in ours) > len(ours) / 2
