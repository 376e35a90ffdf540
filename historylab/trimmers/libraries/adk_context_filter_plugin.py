"""Google ADK's `ContextFilterPlugin`, a plugin of the runner: the newest invocations.

In the list are all contents; the system instruction is the request's own, outside. Contents have no names. The results
of one answer are one content of the user's, and calls have ids, which keep a result with its call. It is asked before
each request, with the whole history, as the session keeps everything. An error within it, or in your filter, is only
logged, and the request goes whole.
Source: google/adk/plugins/context_filter_plugin.py.
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import Annotated, Any

from pydantic import Field

from historylab.errors import needs
from historylab.registry import register
from historylab.trimmers.base import Asked


@register("trimmer", "adk.ContextFilterPlugin", title="Google ADK ContextFilterPlugin", library="google-adk")
class ContextFilterPlugin:
    """Keeps the newest invocations: what people said in a row, and all that followed from it."""

    form = "adk"
    system_inside = False
    carries = False
    asked: Asked = "request"
    summarizes = False

    def __init__(
        self,
        *,
        num_invocations_to_keep: Annotated[
            int | None, Field(ge=0, le=10_000, description="newest invocations that it keeps; 0 or none: all")
        ] = None,
        remove_amount: Annotated[
            int, Field(ge=1, le=10_000, description="invocations more than that, at which it acts")
        ] = 1,
        custom_filter: Annotated[Any, Field(description="a function of contents that gives those to send")] = None,
    ):
        with needs("google-adk", "adk.ContextFilterPlugin"):
            from google.adk.plugins.context_filter_plugin import ContextFilterPlugin as Plugin
        self._plugin = Plugin(
            num_invocations_to_keep=num_invocations_to_keep, remove_amount=remove_amount, custom_filter=custom_filter
        )

    async def __call__(self, items: list[Any]) -> list[Any]:
        request = SimpleNamespace(contents=items)
        await self._plugin.before_model_callback(callback_context=None, llm_request=request)
        sent: list[Any] = request.contents
        return sent
