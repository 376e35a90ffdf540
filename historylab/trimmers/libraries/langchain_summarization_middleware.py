"""LangChain's `SummarizationMiddleware`, in an agent whose state it replaces.

In its list: all messages but the system prompt, which an agent has beside them. Names: none. Parallel results: a
message each. Asked: before each call of the model, of what it left the last time and what was said since.
Source: langchain/agents/middleware/summarization.py. Tokens of its triggers are counted, as no message of the list has
the usage that a provider reported.
"""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from historylab.errors import needs
from historylab.registry import register
from historylab.trimmers.base import Asked
from historylab.trimmers.forms.langchain import TokenCounter, function_of
from historylab.trimmers.libraries.langchain_summaries import EACH_MESSAGE, Size, Trigger, open_stand_in


@register(
    "trimmer", "langchain.SummarizationMiddleware", title="LangChain SummarizationMiddleware", library="langchain"
)
class SummarizationMiddleware:
    """Puts a summary in the place of all but the newest messages, once a trigger is met; the default has none."""

    form = "langchain"
    system_inside = False
    carries = True
    asked: Asked = "request"
    summarizes = True

    def __init__(
        self,
        *,
        trigger: Annotated[
            Trigger | None,
            Field(description='when it acts: ["messages", 30], or several, of which one is met'),
        ] = None,
        keep: Annotated[Size, Field(description='what stays: ["messages", 20], or "tokens", or "fraction"')] = (
            "messages",
            20,
        ),
        token_counter: TokenCounter = "approximate",
        trim_tokens_to_summarize: Annotated[
            int | None, Field(ge=1, description="tokens, the newest of what goes, that are summarised; none: all")
        ] = 4000,
        max_input_tokens: Annotated[
            int | None, Field(ge=1, description="the window that fractions are of, where no model is given")
        ] = None,
        model: Annotated[Any, Field(description="a chat model of LangChain's, which writes the summaries")] = None,
    ):
        with needs("langchain", "langchain.SummarizationMiddleware"):
            from langchain.agents import middleware
            from langsmith import tracing_context
        self._untraced = tracing_context
        self._middleware = middleware.SummarizationMiddleware(
            open_stand_in(max_input_tokens) if model is None else model,
            trigger=trigger,
            keep=keep,
            token_counter=function_of(token_counter),
            trim_tokens_to_summarize=trim_tokens_to_summarize,
            **({"summary_prompt": EACH_MESSAGE} if model is None else {}),
        )

    def __call__(self, items: list[Any]) -> list[Any]:
        with self._untraced(enabled=False):  # where an app's traces go, a replay has no place
            update = self._middleware.before_model({"messages": items}, None)
        return items if update is None else [item for item in update["messages"] if item.type != "remove"]
