"""`openai_agents`: an input filter for the OpenAI Agents SDK that trims every request.

Source: the SDK's `RunConfig.call_model_input_filter`, which sees every request with its instructions before it is sent
and doesn't change what a session keeps. Its items are those of the Responses API.
"""

from collections.abc import Sequence

from historylab.exporters.python_module import python_module
from historylab.registry import register
from historylab.settings.model import Settings

USE = (
    "`RunConfig(call_model_input_filter=trim_input)`; it needs `pip install openai-agents` and `pip "
    "install .` in a clone of HistoryLab"
)
CODE = '''
async def trim_input(data):
    """Only what is sent is trimmed, a session keeps everything. Tools count as overhead.

    It needs the whole history in every request: not with conversation_id or previous_response_id.
    """
    given = data.model_data
    system = {"role": "system", "content": given.instructions}
    messages = [*([{**system, "items": [system]}] if given.instructions else []), *as_messages(given.input)]
    own = {id(message) for message in messages}
    sent = await trimmer.atrim(messages)
    items = [item for message in sent for item in (message["items"] if id(message) in own else as_items(message))]
    if items and items[0] is system:  # unless the settings leave it out, or a layout moves it
        return replace(given, input=items[1:])
    return replace(given, instructions=None, input=items)


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
            if begins_an_answer(kind, messages[-1] if messages else {"role": ""}):
                messages.append({"role": "assistant", "content": [], "tool_calls": [], "items": []})
            add_to_answer(messages[-1], kind, item)
    return messages


def begins_an_answer(kind, last):
    if last["role"] != "assistant":
        return True
    return kind in ("message", "reasoning") and bool(last["content"]) and not last["tool_calls"]


def add_to_answer(message, kind, item):
    message["items"].append(item)
    if kind == "message":
        content = item["content"]
        message["content"] += [content] if isinstance(content, str) else content
    elif kind == "function_call":
        function = {"name": item["name"], "arguments": item["arguments"]}
        message["tool_calls"].append({"id": item["call_id"], "type": "function", "function": function})


def as_items(message):
    """New items for what is summarised, shortened or rewritten; what the model said keeps its id."""
    role, content = message["role"], message.get("content") or ""
    if role == "tool":
        return [{"type": "function_call_output", "call_id": message["tool_call_id"], "output": content}]
    item = next((item for item in message.get("items", ()) if item.get("role") == role), {"role": role})
    if role == "assistant":
        text = content if isinstance(content, str) else "\\n".join(part.get("text", "") for part in content)
        content = [{"type": "output_text", "text": text, "annotations": []}] if "id" in item else text
    elif not isinstance(content, str):
        content = [{**part, "type": "input_text"} if "text" in part else part for part in content]
    said = [{**item, "content": content}] if message.get("content") or role != "assistant" else []
    calls = message.get("tool_calls") or []
    return said + [{"type": "function_call", "call_id": call["id"], **call["function"]} for call in calls]
'''


@register(
    "exporter",
    title="OpenAI Agents",
    use=USE,
    file_name="historylab_openai_agents.py",
    mime="text/x-python",
    language="python",
    facts=frozenset(),
)
def openai_agents(settings: Settings, names: Sequence[str]) -> str:
    """An input filter for the OpenAI Agents SDK, which trims every request with these settings."""
    return python_module(settings, names, "openai_agents", CODE, standard=["from dataclasses import replace"])
