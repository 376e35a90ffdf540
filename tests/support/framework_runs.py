"""The agent frameworks' own libraries: one run of an agent over a history, with what an exported module defines.

Those named `keeping_…` use it where the framework keeps what it gives back, in its state or as the run's messages; they
return that history as chat messages, without the answer.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from framework_apps import Record, apart, as_items, from_items, from_pydantic, pydantic_messages


async def with_openai_agents(
    names: Mapping[str, Any], records: Sequence[Record], url: str, api: str = "OpenAIChatCompletionsModel"
) -> None:
    instructions, rest = apart(records)
    await _run_agent(as_items(rest), instructions, url, api, call_model_input_filter=names["trim_input"])


async def _run_agent(items: list[Record], instructions: str | None, url: str, api: str, **config: Any) -> Any:
    import agents
    from openai import AsyncOpenAI

    async with AsyncOpenAI(base_url=url, api_key="none") as client:
        model = getattr(agents, api)("m", client)
        agent = agents.Agent("clerk", instructions=instructions, model=model)
        return await agents.Runner.run(agent, items, run_config=agents.RunConfig(**config, tracing_disabled=True))


async def keeping_openai_agents(names: Mapping[str, Any], records: Sequence[Record], url: str) -> list[Record]:
    """What `to_input_list()` gives: that has nothing of a filter's, so the list is trimmed before the run, too."""
    instructions, rest = apart(records)
    items = await names["trim_input"].trimmer.atrim(as_items(rest))
    filtered = {"call_model_input_filter": names["trim_input"]}
    result = await _run_agent(items, instructions, url, "OpenAIResponsesModel", **filtered)
    return [*records[: len(records) - len(rest)], *from_items(result.to_input_list()[:-1])]


def chat_model(url: str) -> Any:
    from langchain_openai import ChatOpenAI

    return ChatOpenAI(model="m", base_url=url, api_key="none")


async def with_langgraph(names: Mapping[str, Any], records: Sequence[Record], url: str) -> None:
    kept = await _run_graph(names["pre_model_hook"], records, url)
    assert len(kept) == len(records)  # the state keeps everything


async def _run_graph(hook: Callable[..., Any], records: Sequence[Record], url: str) -> list[Record]:
    from langchain_core.messages import convert_to_messages, convert_to_openai_messages
    from langgraph.prebuilt import create_react_agent

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it is deprecated, and used
        agent = create_react_agent(chat_model(url), [], pre_model_hook=hook)
    state = await agent.ainvoke({"messages": convert_to_messages(records)})
    return convert_to_openai_messages(state["messages"][:-1])


async def keeping_langgraph(names: Mapping[str, Any], records: Sequence[Record], url: str) -> list[Record]:
    return await _run_graph(lambda state: _in_place(names["pre_model_hook"].to_send(state["messages"])), records, url)


def _in_place(messages: Sequence[Any]) -> dict[str, list[Any]]:
    """The update after which a graph's state holds these messages alone."""
    from langchain_core.messages import RemoveMessage
    from langgraph.graph.message import REMOVE_ALL_MESSAGES

    return {"messages": [RemoveMessage(id=REMOVE_ALL_MESSAGES), *messages]}


async def with_langchain_agents(names: Mapping[str, Any], records: Sequence[Record], url: str) -> None:
    kept = await _run_middleware(names["trim_history"], records, url)
    assert len(kept) == len(records)


async def _run_middleware(middleware: Any, records: Sequence[Record], url: str) -> list[Record]:
    from langchain.agents import create_agent
    from langchain_core.messages import convert_to_messages, convert_to_openai_messages

    system, rest = apart(records)
    agent = create_agent(chat_model(url), [], system_prompt=system, middleware=[middleware])
    state = await agent.ainvoke({"messages": convert_to_messages(rest)})
    return [*records[: len(records) - len(rest)], *convert_to_openai_messages(state["messages"][:-1])]


async def keeping_langchain_agents(names: Mapping[str, Any], records: Sequence[Record], url: str) -> list[Record]:
    """As LangChain's own SummarizationMiddleware: before the model is called, where no `system_prompt` is seen."""
    from langchain.agents.middleware import before_model

    middleware = before_model(lambda state, runtime: _in_place(names["trim_history"].to_send(state["messages"])))
    return await _run_middleware(middleware, records, url)


async def with_pydantic_ai(names: Mapping[str, Any], records: Sequence[Record], url: str) -> None:
    kept = await _run_pydantic(names["trim_history"], records, url)
    assert len(kept) == len(pydantic_messages(records))


async def _run_pydantic(capability: Any, records: Sequence[Record], url: str) -> list[Any]:
    import pydantic_ai.messages  # noqa: F401  (what pydantic_messages uses)
    from pydantic_ai import Agent
    from pydantic_ai.models.openai import OpenAIChatModel
    from pydantic_ai.providers.openai import OpenAIProvider

    model = OpenAIChatModel("m", provider=OpenAIProvider(base_url=url, api_key="none"))
    result = await Agent(model, capabilities=[capability]).run(message_history=pydantic_messages(records))
    return result.all_messages()[:-1]


async def keeping_pydantic_ai(names: Mapping[str, Any], records: Sequence[Record], url: str) -> list[Record]:
    from pydantic_ai.capabilities import ProcessHistory

    return from_pydantic(await _run_pydantic(ProcessHistory(names["trim_history"].to_send), records, url))


with_openai_agents_over_responses = partial(with_openai_agents, api="OpenAIResponsesModel")
APPS = {
    "openai_agents": (with_openai_agents, "agents"),
    "langgraph": (with_langgraph, "langgraph.prebuilt"),
    "langchain_agents": (with_langchain_agents, "langchain.agents"),
    "pydantic_ai": (with_pydantic_ai, "pydantic_ai"),
}
