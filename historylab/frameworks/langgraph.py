"""A `pre_model_hook` for LangGraph's `create_react_agent`, and a function for graphs of your own.

Source: `create_react_agent` in langgraph.prebuilt. What the hook returns as `llm_input_messages` is sent and is not
written to the graph's state, so that the next request is planned from the whole conversation, as in the playground.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from historylab.frameworks.langchain_messages import LangChainTrimmer
from historylab.settings.model import Settings

if TYPE_CHECKING:
    from historylab.stores.base import StateStore


class PreModelHook(LangChainTrimmer):
    """Trims what a graph sends. In a graph of your own call its `to_send` before the model."""

    def __call__(self, state: Mapping[str, Any]) -> dict[str, list[Any]]:
        return {"llm_input_messages": self.to_send(state["messages"])}


def history_processor(settings: Settings | None = None, *, store: StateStore | str | None = None) -> PreModelHook:
    """The hook: `create_react_agent(…, pre_model_hook=history_processor(settings))`.

    Only what is sent is trimmed, the state keeps everything. A `prompt` is put in front afterwards, and tools are sent
    besides: both count as overhead.
    """
    return PreModelHook(settings, store)
