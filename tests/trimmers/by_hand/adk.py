"""Google ADK called by hand: its plugin asked before each request, on contents made here."""

from __future__ import annotations

import asyncio
import json
from types import SimpleNamespace

from google.adk.plugins.context_filter_plugin import ContextFilterPlugin
from google.genai import types


def context_filter(conversation, **options):
    """What each request sends, the prompt first."""
    plugin = ContextFilterPlugin(**options)
    messages = list(conversation)
    prompt = next(i for i, message in enumerate(messages) if message.role != "system")
    for length in conversation.columns.requests:
        request = SimpleNamespace(contents=to_contents(messages[prompt:length]))
        asyncio.run(plugin.before_model_callback(callback_context=None, llm_request=request))
        systems = [("system", message.content, (), None) for message in messages[:prompt]]
        yield systems + [said for content in request.contents for said in from_content(content)]


def to_contents(messages):
    contents, names, gives = [], {}, False
    for message in messages:
        if message.role == "tool":
            response = {"result": message.content}
            part = types.Part.from_function_response(name=names.get(message.tool_call_id, ""), response=response)
            part.function_response.id = message.tool_call_id
            if gives:
                contents[-1].parts.append(part)
            else:
                contents.append(types.Content(role="user", parts=[part]))
            gives = True
            continue
        gives = False
        parts = [types.Part(text=message.content)] if message.content else []
        for call in message.tool_calls:
            names[call.id] = call.name
            asked = types.FunctionCall(id=call.id, name=call.name, args=json.loads(call.arguments))
            parts.append(types.Part(function_call=asked))
        contents.append(types.Content(role="model" if message.role == "assistant" else "user", parts=parts))
    return contents


def from_content(content):
    results = [part.function_response for part in content.parts if part.function_response]
    if results:
        return [("tool", result.response["result"], (), result.id) for result in results]
    text = "".join(part.text for part in content.parts if part.text)
    asked = [part.function_call for part in content.parts if part.function_call]
    calls = tuple((call.id, call.name, call.args) for call in asked)
    return [("assistant" if content.role == "model" else "user", text, calls, None)]
