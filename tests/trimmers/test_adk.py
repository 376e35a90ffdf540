"""Google ADK's trimmers, replayed, send what they send by hand, and what an agent of ADK sends its model."""

from __future__ import annotations

import pytest

pytest.importorskip("google.adk")

from driven_trimmers import sent_by, share_acted_on, support_chat
from google.adk.models import BaseLlm, LlmResponse
from google.adk.plugins.context_filter_plugin import ContextFilterPlugin
from google.genai import types

from historylab import generate
from tests.trimmers.by_hand import adk as by_hand
from tests.trimmers.by_hand.adk_agent import sent_by_agent

PLUGIN, COMPACTION = "adk.ContextFilterPlugin", "adk.EventsCompactionConfig"


def many_tasks():
    return generate("tool_loop", turns=8, rounds=4, seed=7)


@pytest.mark.parametrize("chat", [support_chat, many_tasks])
@pytest.mark.parametrize(
    "options",
    [
        {"num_invocations_to_keep": 2},
        {"num_invocations_to_keep": 1, "remove_amount": 3},
        {"num_invocations_to_keep": 3, "custom_filter": lambda contents: contents[1:]},
    ],
)
def test_the_context_filter_sends_what_it_sends_by_hand(chat, options):
    sent = sent_by(PLUGIN, chat(), **options)
    assert sent == list(by_hand.context_filter(chat(), **options))
    assert share_acted_on(sent, chat()) > 0.5


@pytest.mark.parametrize("chat", [support_chat, many_tasks])
@pytest.mark.parametrize(
    "options", [{"num_invocations_to_keep": 2}, {"num_invocations_to_keep": 1, "remove_amount": 3}]
)
def test_an_agent_sends_its_model_the_same_invocations(chat, options):
    assert sent_by(PLUGIN, chat(), **options) == sent_by_agent(chat(), plugins=[ContextFilterPlugin(**options)])


def test_without_a_number_of_invocations_all_is_sent():
    assert share_acted_on(sent_by(PLUGIN, support_chat()), support_chat()) == 0


def test_a_filter_that_fails_filters_nothing():
    """As in production, where the plugin logs the error."""
    assert share_acted_on(sent_by(PLUGIN, support_chat(), custom_filter=lambda contents: 1 / 0), support_chat()) == 0


@pytest.mark.parametrize("chat", [support_chat, many_tasks])
@pytest.mark.parametrize(
    "options",
    [
        {"compaction_interval": 3, "overlap_size": 1},
        {"compaction_interval": 2, "overlap_size": 0},
        {"compaction_interval": 4, "overlap_size": 2},
    ],
)
def test_the_compaction_sends_what_it_sends_by_hand_and_in_an_agent(chat, options):
    sent = sent_by(COMPACTION, chat(), **options)
    assert sent == by_hand.events_compaction(chat(), **options)
    assert sent == sent_by_agent(chat(), events_compaction_config=by_hand.compaction_config(**options))
    assert share_acted_on(sent, chat()) >= 0.5


def test_a_model_of_ones_own_writes_the_summaries():
    class Another(BaseLlm):
        async def generate_content_async(self, llm_request, stream=False):
            yield LlmResponse(content=types.Content(role="model", parts=[types.Part(text="Told by another.")]))

    options = {"compaction_interval": 2, "overlap_size": 0, "model": Another(model="another")}
    assert ("assistant", "Told by another.", (), None) in sent_by(COMPACTION, support_chat(), **options)[-1]


def newest(contents: list[types.Content]) -> list[types.Content]:
    return [content.model_copy(deep=True) for content in contents[-2:]]


def test_a_function_of_googles_contents_is_given_them():
    asked, called = sent_by(newest, many_tasks())[:2]
    assert [role for role, *_ in asked] == ["system", "user"]
    assert {role for role, *_ in called[2:]} == {"tool"}
