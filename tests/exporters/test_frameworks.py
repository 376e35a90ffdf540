"""The files for agent frameworks send what replay shows, by the framework's own objects where it is installed.

`pip install -e ".[test,frameworks]"` runs all of it; else a file is compiled and its settings are used.
"""

from __future__ import annotations

import ast
import asyncio
from dataclasses import dataclass
from typing import Any

import pytest

from historylab import Conversation, Settings, export, replay, trim
from historylab.formats.chat_messages import to_messages, to_record

TARGETS = ("openai_agents", "langgraph", "langchain_agents", "pydantic_ai")
LONG = "\n".join(f"line {n} of a long file" for n in range(200))


def call(n: int) -> dict:
    return {"id": f"call_{n}", "type": "function", "function": {"name": "read", "arguments": f'{{"n": {n}}}'}}


def chat(turns: int = 6) -> list[dict]:
    """A conversation in which every turn calls two tools."""
    messages: list[dict] = [{"role": "system", "content": "You read files."}]
    for n in range(turns):
        messages += [
            {"role": "user", "content": f"question {n}"},
            {"role": "assistant", "content": f"reading {n}", "tool_calls": [call(2 * n), call(2 * n + 1)]},
            {"role": "tool", "tool_call_id": f"call_{2 * n}", "content": LONG},
            {"role": "tool", "tool_call_id": f"call_{2 * n + 1}", "content": f"short {n}"},
            {"role": "assistant", "content": f"answer {n}"},
        ]
    return [*messages, {"role": "user", "content": "and now?"}]


CASES = {
    "last": Settings(length=2, pruner="off"),
    "fifo": Settings(policy="all", budget=3000),
    "shortened": Settings(policy="all", pruner="off", tool_output="truncate", **{"tool_output.truncate.limit": 200}),
    "summary": Settings(policy="all", pruner="summarize", budget=3000),
    "no system": Settings(length=2, pruner="off", preserve_system_messages=False),
}
cases = pytest.mark.parametrize("settings", CASES.values(), ids=CASES)


def shown(settings: Settings, messages: list[dict]) -> list[tuple[str, str]]:
    """(role, text) of what the last request of a replay sends."""
    return roles_and_texts(
        to_record(m) for m in replay(Conversation(to_messages(messages)), settings).plans[-1].render()
    )


def roles_and_texts(messages) -> list[tuple[str, str]]:
    return [(message["role"], message["content"]) for message in messages]


def names_of(settings: Settings, target: str) -> dict[str, Any]:
    names: dict[str, Any] = {}
    exec(compile(export(settings, target), target, "exec"), names)
    return names


@cases
@pytest.mark.parametrize("target", TARGETS)
def test_the_file_compiles_and_its_settings_send_what_replay_shows(target, settings):
    tree = ast.parse(export(settings, target))
    ours = [n for n in tree.body if isinstance(n, ast.Assign) and n.targets[0].id == "settings"]
    names: dict[str, Any] = {"Settings": Settings}
    exec(compile(ast.Module(ours, []), target, "exec"), names)
    assert roles_and_texts(trim(chat(), names["settings"])) == shown(settings, chat())
    assert any(
        isinstance(n, ast.Call) and n.func.id == "trim"
        for n in ast.walk(tree)
        if hasattr(n, "func") and hasattr(n.func, "id")
    )


# -- OpenAI Agents: its items are dicts, and the file imports nothing of the SDK


@dataclass
class ModelInput:
    input: list[Any]
    instructions: str | None


@dataclass
class CallData:
    model_data: ModelInput


def items(messages: list[dict]) -> list[dict]:
    """The same conversation as items of the Responses API, with thoughts before every call."""
    found = []
    for message in messages[1:]:
        if message["role"] == "tool":
            found.append(
                {"type": "function_call_output", "call_id": message["tool_call_id"], "output": message["content"]}
            )
            continue
        if message.get("tool_calls"):
            found.append({"type": "reasoning", "id": f"r{len(found)}", "summary": []})
        kind = "output_text" if message["role"] == "assistant" else "input_text"
        found.append({"role": message["role"], "content": [{"type": kind, "text": message["content"]}]})
        for made in message.get("tool_calls", ()):
            found.append({"type": "function_call", "call_id": made["id"], **made["function"]})
    return found


def text_of(item: dict) -> str:
    content = item.get("output", item.get("content"))
    return content if isinstance(content, str) else content[0]["text"]


@cases
def test_openai_agents_sends_it_and_its_own_items(settings):
    given = items(chat())
    sent = names_of(settings, "openai_agents")["trim_input"](CallData(ModelInput(given, "You read files.")))
    instructions = [("system", sent.instructions)] if sent.instructions else []
    roles = {"function_call_output": "tool"}
    texts = [
        (roles.get(i.get("type"), i.get("role")), text_of(i)) for i in sent.input if "output" in i or "content" in i
    ]
    assert instructions + texts == shown(settings, chat())
    kept = [item for item in sent.input if any(item is own for own in given)]
    assert len(kept) == len(sent.input) or settings in (CASES["shortened"], CASES["summary"])
    calls = {item["call_id"] for item in sent.input if item.get("type") == "function_call"}
    assert calls == {item["call_id"] for item in sent.input if item.get("type") == "function_call_output"}
    assert sum(item.get("type") == "reasoning" for item in sent.input) == len(calls) / 2


@cases
def test_the_openai_agents_runner_sends_it(settings):
    agents = pytest.importorskip("agents")
    from agents.models.interface import Model

    asked = []

    class Scripted(Model):
        async def get_response(self, system_instructions, input, *args, **kwargs):
            asked.append((system_instructions, input))
            from openai.types.responses import ResponseOutputMessage, ResponseOutputText

            text = ResponseOutputText(text="done", type="output_text", annotations=[])
            answer = ResponseOutputMessage(id="1", content=[text], role="assistant", status="completed", type="message")
            return agents.ModelResponse(output=[answer], usage=agents.Usage(), response_id=None)

        def stream_response(self, *args, **kwargs):
            raise NotImplementedError

    config = agents.RunConfig(
        call_model_input_filter=names_of(settings, "openai_agents")["trim_input"], tracing_disabled=True
    )
    agent = agents.Agent("reader", instructions="You read files.", model=Scripted())
    asyncio.run(agents.Runner.run(agent, items(chat()), run_config=config))
    direct = names_of(settings, "openai_agents")["trim_input"](CallData(ModelInput(items(chat()), "You read files.")))
    assert asked == [(direct.instructions, direct.input)]


# -- LangChain's messages


def plain(messages) -> list[tuple[str, str]]:
    from langchain_core.messages import convert_to_openai_messages

    return [(m["role"], m["content"]) for m in convert_to_openai_messages(messages)]


@cases
def test_langgraph_sends_it_and_its_own_messages(settings):
    core = pytest.importorskip("langchain_core.messages")
    given = core.convert_to_messages(chat())
    sent = names_of(settings, "langgraph")["pre_model_hook"]({"messages": given})["llm_input_messages"]
    assert plain(sent) == shown(settings, chat())
    new = [message for message in sent if not any(message is own for own in given)]
    assert all(isinstance(message, core.SystemMessage | core.ToolMessage) for message in new)
    assert not new or settings in (CASES["shortened"], CASES["summary"])


def fake_model(asked: list):
    """A chat model that notes what it is asked."""
    from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
    from langchain_core.messages import AIMessage

    class Noting(GenericFakeChatModel):
        def _generate(self, messages, *args, **kwargs):
            asked.append(messages)
            return super()._generate(messages, *args, **kwargs)

    return Noting(messages=iter([AIMessage("done")]))


@cases
def test_a_langgraph_agent_sends_it_and_its_state_keeps_everything(settings):
    prebuilt = pytest.importorskip("langgraph.prebuilt")
    from langchain_core.messages import convert_to_messages

    asked: list = []
    hook = names_of(settings, "langgraph")["pre_model_hook"]
    agent = prebuilt.create_react_agent(fake_model(asked), [], pre_model_hook=hook)
    state = agent.invoke({"messages": convert_to_messages(chat())})
    assert plain(asked[0]) == shown(settings, chat())
    assert len(state["messages"]) == len(chat()) + 1


@cases
def test_a_langchain_agent_sends_it_and_its_state_keeps_everything(settings):
    agents = pytest.importorskip("langchain.agents")
    from langchain_core.messages import convert_to_messages

    asked: list = []
    middleware = names_of(settings, "langchain_agents")["TrimHistory"]()
    agent = agents.create_agent(fake_model(asked), [], system_prompt="You read files.", middleware=[middleware])
    state = agent.invoke({"messages": convert_to_messages(chat()[1:])})
    assert plain(asked[0]) == shown(settings, chat())
    assert len(state["messages"]) == len(chat())


# -- Pydantic AI


def model_messages(messages: list[dict]) -> list:
    """The same conversation, without its last message, as Pydantic AI keeps it: results and questions are parts."""
    from pydantic_ai import messages as ai

    found: list = []
    for message in messages[:-1]:
        if message["role"] == "assistant":
            calls = [
                ai.ToolCallPart("read", c["function"]["arguments"], c["id"]) for c in message.get("tool_calls", ())
            ]
            found.append(ai.ModelResponse([ai.TextPart(message["content"]), *calls]))
            continue
        part = {
            "system": lambda m: ai.SystemPromptPart(m["content"]),
            "user": lambda m: ai.UserPromptPart(m["content"]),
            "tool": lambda m: ai.ToolReturnPart("read", m["content"], m["tool_call_id"]),
        }[message["role"]](message)
        if found and isinstance(found[-1], ai.ModelRequest):
            found[-1].parts.append(part)
        else:
            found.append(ai.ModelRequest([part]))
    return found


def parts_of(messages: list) -> list[tuple[str, str]]:
    roles = {"system-prompt": "system", "user-prompt": "user", "tool-return": "tool", "text": "assistant"}
    return [(roles[p.part_kind], p.content) for m in messages for p in m.parts if p.part_kind in roles]


@cases
def test_a_pydantic_ai_agent_sends_it_and_its_history_keeps_everything(settings):
    pydantic_ai = pytest.importorskip("pydantic_ai")
    from pydantic_ai.messages import ModelResponse, TextPart
    from pydantic_ai.models.function import FunctionModel

    asked = []

    def answer(messages, info):
        asked.append(messages)
        return ModelResponse([TextPart("done")])

    agent = pydantic_ai.Agent(FunctionModel(answer), capabilities=[names_of(settings, "pydantic_ai")["hooks"]])
    history = model_messages(chat())
    result = agent.run_sync(chat()[-1]["content"], message_history=history)
    assert parts_of(asked[0]) == shown(settings, chat())
    assert len(result.all_messages()) == len(history) + 2
