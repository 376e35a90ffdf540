"""The summarising middleware of deepagents in an agent of LangChain's, whose model answers as the chat did.

The agent keeps its whole state in a checkpoint; results of tools are what the chat has, given to it with the next run.
"""

from __future__ import annotations

import re

from deepagents.backends import StoreBackend
from deepagents.middleware.summarization import SummarizationMiddleware
from langchain.agents import create_agent
from langchain.agents.middleware import AgentMiddleware
from langchain_core.messages import AIMessage, RemoveMessage
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.store.memory import InMemoryStore

from historylab.trimmers.libraries.langchain_summaries import open_stand_in
from tests.trimmers.by_hand.langchain import from_langchain, split, to_langchain

WHERE = {"configurable": {"thread_id": "chat"}}


class Listening(AgentMiddleware):
    """Notes what the model would be sent, and answers in its place with what is no part of the chat."""

    def wrap_model_call(self, request, handler):
        self.sent = [*([request.system_message] if request.system_message else []), *request.messages]
        return AIMessage("done", id="answer")


def summarize(conversation, *, trim_tokens_to_summarize=None, **options):
    """What each request sends."""
    prompt, rest = split(conversation)
    backend = StoreBackend(store=InMemoryStore(), namespace=lambda _: ("history",))
    summaries = SummarizationMiddleware(
        open_stand_in(None),
        backend=backend,
        summary_prompt="{messages}",
        trim_tokens_to_summarize=trim_tokens_to_summarize,
        **options,
    )
    listening, system = Listening(), to_langchain(prompt[0]) if prompt else None
    middleware = [summaries, listening]
    agent = create_agent(open_stand_in(None), system_prompt=system, middleware=middleware, checkpointer=InMemorySaver())
    seen = 0
    for length in conversation.columns.requests:
        new = [to_langchain(message) for message in rest[seen : length - len(prompt)]]
        seen = length - len(prompt)
        agent.invoke({"messages": new}, WHERE)
        agent.update_state(WHERE, {"messages": [RemoveMessage("answer")]})
        yield [from_langchain(without_session(message)) for message in listening.sent]


def without_session(message):
    """The random name of a session is in each summary."""
    if not isinstance(message.content, str):
        return message
    said = re.sub("session_[0-9a-f]{32}", "session_" + 32 * "0", message.content)
    return message.model_copy(update={"content": said})


DRIVERS = {"deepagents.SummarizationMiddleware": summarize}
