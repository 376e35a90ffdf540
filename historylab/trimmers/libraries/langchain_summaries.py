"""The parts that LangChain's summarising trimmers share: the sizes they are told, and the stand-in for their model."""

from __future__ import annotations

import re
from collections.abc import Sequence
from html import unescape
from typing import Any, Literal, TypeAlias

from historylab.trimmers.stand_in import write_summary

Unit: TypeAlias = Literal["messages", "tokens", "fraction"]
Size: TypeAlias = tuple[Unit, int | float]
Clause: TypeAlias = Size | dict[Unit, int | float]
Trigger: TypeAlias = Clause | list[Clause]
"""A size; several as a mapping, all of which are met; or a list of such, of which one is."""

EACH_MESSAGE = "{messages}"
"""The prompt of a stand-in: what is to be summarised, and no instructions."""
TAG = re.compile(r"</?(?:message|content|tool_call)\b[^>]*>")
"""The frame that LangChain puts around messages to be summarised."""


def open_stand_in(max_input_tokens: int | None) -> Any:
    """A chat model of LangChain's that answers with the summary that our offline summarizer writes of its prompt."""
    from langchain_core.language_models import SimpleChatModel

    class StandIn(SimpleChatModel):  # type: ignore[misc]
        @property
        def _llm_type(self) -> str:
            return "stand-in"

        def _call(self, messages: Sequence[Any], stop: Any = None, run_manager: Any = None, **_: Any) -> str:
            return write_summary(unescape(TAG.sub("", messages[-1].text)))

    return StandIn(profile={"max_input_tokens": max_input_tokens} if max_input_tokens else None)
