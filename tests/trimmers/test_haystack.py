"""Haystack's compaction, replayed, sends what an agent of its own sends."""

from __future__ import annotations

import pytest

from historylab.errors import MissingLibrary, SettingsError
from historylab.trimmers.forms.haystack import import_haystack

try:
    import_haystack("dataclasses")  # before others do, whose telemetry would be on
except MissingLibrary as problem:
    pytest.skip(str(problem), allow_module_level=True)

from driven_trimmers import sent_by, share_acted_on, support_chat, tool_loop
from haystack.dataclasses import ChatMessage

from historylab import replay
from tests.trimmers.by_hand import haystack as by_hand

CHATS = pytest.mark.parametrize("chat", [support_chat, tool_loop])
pytestmark = pytest.mark.filterwarnings("ignore:.*experimental")


@CHATS
@pytest.mark.parametrize(
    "options",
    [
        {"context_window": 700},
        {"context_window": 600, "compact_at": 0.9, "compact_to": 0.5, "min_keep_steps": 2},
        {"context_window": 500, "omission_note": ""},
    ],
)
def test_the_sliding_window_sends_what_an_agent_sends(chat, options):
    sent = sent_by("haystack.compaction", chat(), **options)
    assert sent == list(by_hand.DRIVERS["haystack.compaction"](chat(), **options))
    assert share_acted_on(sent, chat()) > 0.5


@CHATS
@pytest.mark.parametrize(
    "options",
    [
        {"context_window": 700, "min_tokens": 20},
        {"context_window": 600, "compact_at": 0.9, "min_keep_steps": 2, "min_tokens": 0},
        {"context_window": 500, "min_tokens": 10, "placeholder": "gone: {tool_name}"},
    ],
)
def test_pruning_sends_what_an_agent_sends(chat, options):
    sent = sent_by("haystack.ToolResultPruningCompactor", chat(), **options)
    assert sent == list(by_hand.DRIVERS["haystack.ToolResultPruningCompactor"](chat(), **options))
    assert share_acted_on(sent, chat()) > 0.5


@CHATS
@pytest.mark.parametrize(
    "options",
    [
        {"context_window": 1800, "compact_to": 0.6},
        {"context_window": 1500, "approximate_summary_tokens": 100},
        {"context_window": 1200, "compact_at": 0.9, "min_keep_steps": 2, "approximate_summary_tokens": 200},
    ],
)
def test_summaries_stand_where_an_agent_sends_them(chat, options):
    sent = sent_by("haystack.SummarizationCompactor", chat(), **options)
    assert sent == list(by_hand.DRIVERS["haystack.SummarizationCompactor"](chat(), **options))


def test_shares_that_never_meet_are_a_mistake():
    with pytest.raises(SettingsError, match="compact_to"):
        replay(support_chat(), trimmer="haystack.compaction", context_window=1000, compact_at=0.3, compact_to=0.4)


def test_telemetry_is_off():
    sent_by("haystack.compaction", support_chat(), context_window=700)
    from haystack.telemetry import _telemetry

    assert _telemetry.telemetry is None


def test_a_model_of_ones_own_writes_the_summary():
    class Model:
        def run(self, messages):
            return {"replies": [ChatMessage.from_assistant("All is well.")]}

    sent = sent_by("haystack.SummarizationCompactor", tool_loop(), context_window=1200, model=Model())
    assert any("All is well." in said[1] for said in sent[-1])
