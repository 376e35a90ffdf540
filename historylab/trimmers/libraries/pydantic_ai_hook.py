"""A capability of Pydantic AI's, driven as a run drives it: by its hook, which replaces the history of the run.

And the stand-in for the model of those that summarise.
"""

from __future__ import annotations

import re
from typing import Any

from historylab.errors import needs
from historylab.trimmers.stand_in import write_summary

TRANSCRIPT = "{messages}"
"""The prompt of a stand-in: what is to be summarised, and no instructions."""
FRAMED = re.compile(r"<(message|previous-summary)\b[^>]*>\n(.*?)\n</\1>", re.DOTALL)
"""The frame that the harness puts around messages to be summarised."""


class HarnessCompaction:
    """One of the strategies of `pydantic_ai_harness.compaction`."""

    form = "pydantic_ai"
    system_inside = True
    carries = True
    asked = "request"
    summarizes = False

    def __init__(self, strategy: str, **options: Any):
        with needs("pydantic-ai-harness", f"pydantic_ai_harness.{strategy}"):
            from pydantic_ai.models import ModelRequestContext, ModelRequestParameters
            from pydantic_ai.models.test import TestModel
            from pydantic_ai.tools import RunContext
            from pydantic_ai.usage import RunUsage
            from pydantic_ai_harness import compaction

        self._context, self._usage, self._request = RunContext, RunUsage, ModelRequestContext
        self._model, self._parameters = TestModel(), ModelRequestParameters()
        self._capability = getattr(compaction, strategy)(**options)

    async def __call__(self, items: list[Any]) -> list[Any]:
        run = self._context(deps=None, model=self._model, usage=self._usage(), messages=list(items))
        request = self._request(
            model=self._model, messages=list(items), model_settings=None, model_request_parameters=self._parameters
        )
        await self._capability.before_model_request(run, request)
        left: list[Any] = run.messages
        return left


def open_function_model() -> Any:
    """A model of Pydantic AI's that answers with the summary that our offline summarizer writes of its prompt."""
    with needs("pydantic-ai-harness", "pydantic_ai_harness.SummarizingCompaction"):
        from pydantic_ai.messages import ModelResponse, TextPart
        from pydantic_ai.models.function import FunctionModel

    def answer(messages: list[Any], _: Any) -> Any:
        said = (text for _, text in FRAMED.findall(messages[-1].parts[-1].content))
        return ModelResponse([TextPart(write_summary("\n".join(said)))])

    return FunctionModel(answer)
