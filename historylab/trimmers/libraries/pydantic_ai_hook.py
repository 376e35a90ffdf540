"""A capability of Pydantic AI's, driven as a run drives it: by its hook, which replaces the history of the run."""

from __future__ import annotations

from typing import Any

from historylab.errors import SettingsError, needs


class HarnessCompaction:
    """One of the strategies of `pydantic_ai_harness.compaction` that ask no model."""

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

        self._context, self._request = RunContext, ModelRequestContext
        self._model, self._usage, self._parameters = TestModel(), RunUsage(), ModelRequestParameters()
        try:
            self._capability = getattr(compaction, strategy)(**options)
        except ValueError as problem:
            raise SettingsError(f"pydantic_ai_harness.{strategy}: {problem}") from None

    async def __call__(self, items: list[Any]) -> list[Any]:
        run = self._context(deps=None, model=self._model, usage=self._usage, messages=list(items))
        request = self._request(
            model=self._model, messages=list(items), model_settings=None, model_request_parameters=self._parameters
        )
        await self._capability.before_model_request(run, request)
        left: list[Any] = run.messages
        return left
