"""The agent frameworks' own libraries: one run of an agent over a history, with what an exported module defines."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from framework_apps import Record, apart, as_items, pydantic_messages


async def with_openai_agents(
    names: Mapping[str, Any], records: Sequence[Record], url: str, api: str = "OpenAIChatCompletionsModel"
) -> None:
    import agents
    from openai import AsyncOpenAI

    instructions, rest = apart(records)
    config = agents.RunConfig(call_model_input_filter=names["trim_input"], tracing_disabled=True)

    async with AsyncOpenAI(base_url=url, api_key="none") as client:
        model = getattr(agents, api)("m", client)
        agent = agents.Agent("clerk", instructions=instructions, model=model)
        await agents.Runner.run(agent, as_items(rest), run_config=config)


def chat_model(url: str) -> Any:
    from langchain_openai import ChatOpenAI

    return ChatOpenAI(model="m", base_url=url, api_key="none")


async def with_langgraph(names: Mapping[str, Any], records: Sequence[Record], url: str) -> None:
    from langchain_core.messages import convert_to_messages
    from langgraph.prebuilt import create_react_agent

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it is deprecated, and used
        agent = create_react_agent(chat_model(url), [], pre_model_hook=names["pre_model_hook"])
    state = await agent.ainvoke({"messages": convert_to_messages(records)})
    assert len(state["messages"]) == len(records) + 1  # the state keeps everything


async def with_langchain_agents(names: Mapping[str, Any], records: Sequence[Record], url: str) -> None:
    from langchain.agents import create_agent
    from langchain_core.messages import convert_to_messages

    system, rest = apart(records)
    agent = create_agent(chat_model(url), [], system_prompt=system, middleware=[names["TrimHistory"]()])
    state = await agent.ainvoke({"messages": convert_to_messages(rest)})
    assert len(state["messages"]) == len(rest) + 1


async def with_pydantic_ai(names: Mapping[str, Any], records: Sequence[Record], url: str) -> None:
    import pydantic_ai.messages  # noqa: F401  (what pydantic_messages uses)
    from pydantic_ai import Agent
    from pydantic_ai.models.openai import OpenAIChatModel
    from pydantic_ai.providers.openai import OpenAIProvider

    history = pydantic_messages(records)
    model = OpenAIChatModel("m", provider=OpenAIProvider(base_url=url, api_key="none"))
    result = await Agent(model, capabilities=[names["hooks"]]).run(message_history=history)
    assert len(result.all_messages()) == len(history) + 1


with_openai_agents_over_responses = partial(with_openai_agents, api="OpenAIResponsesModel")
APPS = {
    "openai_agents": (with_openai_agents, "agents"),
    "langgraph": (with_langgraph, "langgraph.prebuilt"),
    "langchain_agents": (with_langchain_agents, "langchain.agents"),
    "pydantic_ai": (with_pydantic_ai, "pydantic_ai"),
}
