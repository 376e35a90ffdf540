"""`openai_agents`: an input filter for the OpenAI Agents SDK that sends exactly what the playground shows.

Source: the SDK's `RunConfig.call_model_input_filter`, which sees every request with its instructions before it is sent
and doesn't change what a session keeps. Its items are those of the Responses API.
"""

from collections.abc import Sequence

from historylab.exporters.python_module import python_module
from historylab.registry import register
from historylab.settings.model import Settings

USE = "`pip install historylab openai-agents`, then RunConfig(call_model_input_filter=trim_input)"
CODE = '''
def trim_input(data):
    """Only what is sent is trimmed, a session keeps everything. Tools count as overhead.

    It needs the whole history in every request: not with conversation_id or previous_response_id.
    """
    given = data.model_data
    system = {"role": "system", "content": given.instructions}
    sent = trim([*([system] if given.instructions else []), *as_messages(given.input)], settings)
    instructions = given.instructions if any(message is system for message in sent) else None
    items = [item for message in sent if message is not system for item in as_items(message)]
    return replace(given, instructions=instructions, input=items)


def as_messages(items):
    """Chat messages of the items. What the model said in one answer is one message, with its calls and thoughts."""
    messages = []
    for item in items:
        kind = item.get("type", "message")
        if kind == "function_call_output":
            result = {"role": "tool", "tool_call_id": item["call_id"], "content": item["output"]}
            messages.append({**result, "items": [item]})
        elif kind == "message" and item["role"] != "assistant":
            messages.append({"role": item["role"], "content": item["content"], "items": [item]})
        else:
            if not messages or messages[-1]["role"] != "assistant":
                messages.append({"role": "assistant", "content": [], "tool_calls": [], "items": []})
            add_to_answer(messages[-1], kind, item)
    return messages


def add_to_answer(message, kind, item):
    message["items"].append(item)
    if kind == "message":
        content = item["content"]
        message["content"] += [content] if isinstance(content, str) else content
    elif kind == "function_call":
        function = {"name": item["name"], "arguments": item["arguments"]}
        message["tool_calls"].append({"id": item["call_id"], "type": "function", "function": function})


def as_items(message):
    """Your own items; new ones for a summary, and for a result that was shortened."""
    if "items" not in message:
        return [{"role": message["role"], "content": message["content"]}]
    if message["role"] == "tool" and message["content"] != message["items"][0]["output"]:
        return [{**message["items"][0], "output": message["content"]}]
    return message["items"]
'''


@register(
    "exporter",
    title="OpenAI Agents",
    file_name="historylab_openai_agents.py",
    mime="text/x-python",
    language="python",
)
def openai_agents(settings: Settings, names: Sequence[str]) -> str:
    """An input filter for the OpenAI Agents SDK: every run sends what the playground shows."""
    return python_module(settings, names, USE, CODE, "from dataclasses import replace")
