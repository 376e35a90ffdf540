"""The summarising middleware of deepagents, as `create_deep_agent` has it; what its agents do besides is left out.

In its list: all messages; the system prompt is beside it and counted. Names: none. Parallel results: a message each.
Asked: before each call of the model, each time of the whole history, of which it remembers how far it is summarised.
What goes it writes into a store, here one in memory, and long arguments of older calls that write files it shortens.
Source: deepagents/middleware/summarization.py.
"""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from historylab.errors import needs
from historylab.registry import register
from historylab.trimmers.base import Asked
from historylab.trimmers.forms.langchain import TokenCounter, function_of
from historylab.trimmers.libraries.langchain_summaries import EACH_MESSAGE, Size, Trigger, open_stand_in

SESSION = f"session_{0:032x}"  # as it names one, which its summaries mention; its own is random


@register(
    "trimmer", "deepagents.SummarizationMiddleware", title="deepagents SummarizationMiddleware", library="deepagents"
)
class DeepAgentsSummaries:
    """Puts a summary in the place of all but the newest messages, once they fill most of the window."""

    form = "langchain"
    system_inside = True
    carries = False
    asked: Asked = "request"
    summarizes = True

    def __init__(
        self,
        *,
        trigger: Annotated[
            Trigger | None,
            Field(description='when it acts: ["messages", 30]; else by the window, or from 170,000 tokens on'),
        ] = None,
        keep: Annotated[
            Size | None, Field(description='what stays: ["messages", 20]; else a tenth of the window, or 6 messages')
        ] = None,
        token_counter: TokenCounter = "approximate",
        trim_tokens_to_summarize: Annotated[
            int | None, Field(ge=1, description="tokens, the newest of what goes, that are summarised; none: all")
        ] = None,
        max_input_tokens: Annotated[
            int | None, Field(ge=1, description="the window that fractions are of, where no model is given")
        ] = None,
        model: Annotated[Any, Field(description="a chat model of LangChain's, which writes the summaries")] = None,
    ):
        with needs("deepagents", "deepagents.SummarizationMiddleware"):
            from deepagents.backends import StoreBackend
            from deepagents.middleware import summarization
            from langchain.agents.middleware.types import ModelRequest
            from langgraph.store.memory import InMemoryStore
            from langsmith import tracing_context
        self._model = open_stand_in(max_input_tokens) if model is None else model
        self._request, self._untraced = ModelRequest, tracing_context
        defaults = summarization.compute_summarization_defaults(self._model)
        self._middleware = summarization.SummarizationMiddleware(
            self._model,
            backend=StoreBackend(store=InMemoryStore(), namespace=lambda _: ("history",)),
            trigger=trigger or defaults["trigger"],
            keep=keep or defaults["keep"],
            token_counter=function_of(token_counter),
            trim_tokens_to_summarize=trim_tokens_to_summarize,
            truncate_args_settings=defaults["truncate_args_settings"],
            **({"summary_prompt": EACH_MESSAGE} if model is None else {}),
        )
        self._state: dict[str, Any] = {summarization.SUMMARIZATION_SESSION_ID_KEY: SESSION}
        self._stored: dict[str, Any] = {}

    def __call__(self, items: list[Any]) -> list[Any]:
        prompt = items[:1] if items and items[0].type == "system" else []
        said = [self._stored.get(item.id, item) for item in items[len(prompt) :]]
        sent = list[Any]()
        request = self._request(
            model=self._model, messages=said, system_message=prompt[0] if prompt else None, state=self._state
        )
        with self._untraced(enabled=False):  # where an app's traces go, a replay has no place
            answer = self._middleware.wrap_model_call(request, lambda given: sent.extend(given.messages))
        self._remember(getattr(answer, "command", None))
        return [*prompt, *sent]

    def _remember(self, command: Any) -> None:
        """Take over what it changes in the agent's state: how far it is summarised, and results that are stored."""
        update = dict(command.update) if command else {}
        self._stored |= {message.id: message for message in update.pop("messages", ())}
        self._state |= update
