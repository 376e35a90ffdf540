"""One tool loop by each library that people call models with, in a venv that has it.

    python libraries.py NAME URL TURNS

The server at that URL calls the tool for as many turns as the question asks; each library keeps its history as it does.
"""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Callable
from itertools import count
from typing import Any

RULE = "RULE-77: every ferry is named after a bird."
NAME, DESCRIPTION = "look_up", "Look up when a ferry leaves a pier."
SCHEMA = {"type": "object", "properties": {"pier": {"type": "integer"}}, "required": ["pier"]}
CHAT_TOOL = {"type": "function", "function": {"name": NAME, "description": DESCRIPTION, "parameters": SCHEMA}}
LONG = "The ferry waits for the tide, the mail and the last car of the queue. " * 12
calls = count(1)


def look_up(pier: int) -> str:
    """Look up when a ferry leaves a pier.

    Args:
        pier: its number
    """
    call = next(calls)
    return f"Call {call}, pier {pier}: ferry F-{100 + call} leaves at noon. {LONG}"


def question(turns: int) -> str:
    return f"Which ferries leave? Call tools {turns} times."


def openai_chat(url: str, turns: int) -> None:
    from openai import OpenAI

    client = OpenAI(base_url=f"{url}/v1", api_key="none")
    messages: list[Any] = [{"role": "system", "content": RULE}, {"role": "user", "content": question(turns)}]
    while True:
        answer = client.chat.completions.create(model="gpt-5.5", messages=messages, tools=[CHAT_TOOL])
        said = answer.choices[0].message
        messages.append(said)
        if not said.tool_calls:
            return
        for call in said.tool_calls:
            content = look_up(**json.loads(call.function.arguments))
            messages.append({"role": "tool", "tool_call_id": call.id, "content": content})


def openai_responses(url: str, turns: int) -> None:
    from openai import OpenAI

    client = OpenAI(base_url=f"{url}/v1", api_key="none")
    tool = {"type": "function", "name": NAME, "description": DESCRIPTION, "parameters": SCHEMA}
    items: list[Any] = [{"role": "user", "content": question(turns)}]
    asked = {"model": "gpt-5.5", "instructions": RULE, "tools": [tool], "store": False}
    while True:
        with client.responses.stream(**asked, input=items, include=["reasoning.encrypted_content"]) as stream:
            said = stream.get_final_response().output
        items += [item.model_dump(exclude_none=True, exclude={"parsed_arguments"}) for item in said]
        calls = [item for item in said if item.type == "function_call"]
        if not calls:
            return
        for call in calls:
            output = look_up(**json.loads(call.arguments))
            items.append({"type": "function_call_output", "call_id": call.call_id, "output": output})


def anthropic_messages(url: str, turns: int) -> None:
    from anthropic import Anthropic

    client = Anthropic(base_url=url, api_key="none")
    tool = {"name": NAME, "description": DESCRIPTION, "input_schema": SCHEMA}
    asked = {"model": "claude-opus-4-8", "max_tokens": 2_000, "system": RULE, "tools": [tool]}
    asked["thinking"] = {"type": "adaptive"}
    messages: list[Any] = [{"role": "user", "content": question(turns)}]
    while True:
        with client.messages.stream(**asked, messages=messages) as stream:
            said = stream.get_final_message()
        messages.append({"role": "assistant", "content": said.content})
        calls = [block for block in said.content if block.type == "tool_use"]
        if not calls:
            return
        results = [{"type": "tool_result", "tool_use_id": c.id, "content": look_up(**c.input)} for c in calls]
        messages.append({"role": "user", "content": results})


def google_genai(url: str, turns: int) -> None:
    from google import genai
    from google.genai import types

    client = genai.Client(api_key="none", http_options=types.HttpOptions(base_url=url))
    calling = types.AutomaticFunctionCallingConfig(maximum_remote_calls=turns + 2)
    config = types.GenerateContentConfig(system_instruction=RULE, tools=[look_up], automatic_function_calling=calling)
    client.models.generate_content(model="gemini-3-flash", contents=question(turns), config=config)


def litellm_chat(url: str, turns: int) -> None:
    import os

    os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"  # else it fetches one
    import litellm

    messages: list[Any] = [{"role": "system", "content": RULE}, {"role": "user", "content": question(turns)}]
    while True:
        to = {"model": "openai/gpt-5.5", "api_base": f"{url}/v1", "api_key": "none"}
        said = litellm.completion(messages=messages, tools=[CHAT_TOOL], **to).choices[0].message
        messages.append(said)
        if not said.tool_calls:
            return
        for call in said.tool_calls:
            content = look_up(**json.loads(call.function.arguments))
            messages.append({"role": "tool", "tool_call_id": call.id, "content": content})


def _chat_openai(url: str) -> Any:
    from langchain_openai import ChatOpenAI

    return ChatOpenAI(model="gpt-5.5", base_url=f"{url}/v1", api_key="none")


def langchain_agent(url: str, turns: int) -> None:
    from langchain.agents import create_agent

    agent = create_agent(_chat_openai(url), [look_up], system_prompt=RULE)
    agent.invoke({"messages": [("user", question(turns))]}, {"recursion_limit": 9_999})


def langgraph_agent(url: str, turns: int) -> None:
    import warnings

    from langgraph.prebuilt import create_react_agent

    warnings.simplefilter("ignore")  # it is deprecated, and used
    agent = create_react_agent(_chat_openai(url), [look_up], prompt=RULE)
    for _ in agent.stream(
        {"messages": [("user", question(turns))]}, {"recursion_limit": 9_999}, stream_mode="messages"
    ):
        pass


def openai_agents(url: str, turns: int) -> None:
    import agents
    from openai import AsyncOpenAI

    async def run() -> None:
        async with AsyncOpenAI(base_url=f"{url}/v1", api_key="none") as client:
            model = agents.OpenAIResponsesModel("gpt-5.5", client)
            clerk = agents.Agent("clerk", instructions=RULE, model=model, tools=[agents.function_tool(look_up)])
            config = agents.RunConfig(tracing_disabled=True)
            result = agents.Runner.run_streamed(clerk, question(turns), run_config=config, max_turns=turns + 5)
            async for _ in result.stream_events():
                pass

    asyncio.run(run())


def pydantic_ai(url: str, turns: int) -> None:
    from pydantic_ai import Agent, UsageLimits
    from pydantic_ai.models.openai import OpenAIChatModel
    from pydantic_ai.providers.openai import OpenAIProvider

    model = OpenAIChatModel("gpt-5.5", provider=OpenAIProvider(base_url=f"{url}/v1", api_key="none"))
    agent = Agent(model, system_prompt=RULE, tools=[look_up])
    agent.run_sync(question(turns), usage_limits=UsageLimits(request_limit=turns + 5))


def llama_index(url: str, turns: int) -> None:
    from llama_index.core.agent.workflow import FunctionAgent
    from llama_index.core.memory import Memory
    from llama_index.llms.openai import OpenAI

    async def run() -> None:
        llm = OpenAI(model="gpt-4.1", api_base=f"{url}/v1", api_key="none")
        agent = FunctionAgent(tools=[look_up], llm=llm, system_prompt=RULE)
        memory = Memory.from_defaults(session_id="ferries", token_limit=10_000_000)
        await agent.run(question(turns), memory=memory, max_iterations=turns + 5)

    asyncio.run(run())


LIBRARIES: dict[str, tuple[str, Callable[[str, int], None]]] = {
    "openai, Chat Completions": ("openai", openai_chat),
    "openai, Responses": ("openai", openai_responses),
    "anthropic, Messages": ("anthropic", anthropic_messages),
    "google-genai": ("google-genai", google_genai),
    "litellm": ("litellm", litellm_chat),
    "langchain": ("langchain langchain-openai", langchain_agent),
    "langgraph": ("langgraph langchain-openai", langgraph_agent),
    "openai-agents": ("openai-agents", openai_agents),
    "pydantic-ai": ("pydantic-ai-slim[openai]", pydantic_ai),
    "llama-index": ("llama-index-core llama-index-llms-openai", llama_index),
}
"""By name: the packages to install, and the loop."""

if __name__ == "__main__":
    LIBRARIES[sys.argv[1]][1](sys.argv[2], int(sys.argv[3]))
