"""Google ADK called by hand, on contents made here: its plugin before each request, its compaction after each run."""

from __future__ import annotations

import asyncio
import json
from types import SimpleNamespace

from google.adk.agents import LlmAgent
from google.adk.apps import App
from google.adk.apps.app import EventsCompactionConfig
from google.adk.apps.compaction import _run_compaction_for_sliding_window
from google.adk.apps.llm_event_summarizer import LlmEventSummarizer
from google.adk.events import Event
from google.adk.flows.llm_flows.context._contents import _get_contents
from google.adk.models import BaseLlm, LlmResponse
from google.adk.plugins.context_filter_plugin import ContextFilterPlugin
from google.adk.sessions import InMemorySessionService
from google.genai import types

from historylab.trimmers.stand_in import write_summary


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


def events_compaction(conversation, **options):
    """What each request sends of a session that is compacted when an invocation has ended, the prompt first."""
    return asyncio.run(compact(list(conversation), conversation.columns.requests, compaction_config(**options)))


def compaction_config(**options):
    summarizer = LlmEventSummarizer(Summarizing(model="summarizing"), "{conversation_history}")
    return EventsCompactionConfig(summarizer=summarizer, **options)


async def compact(messages, requests, config):
    prompt = at = next(i for i, message in enumerate(messages) if message.role != "system")
    agent = LlmAgent(name="agent", model=Summarizing(model="none"))
    app, sessions = App(name="app", root_agent=agent, events_compaction_config=config), InMemorySessionService()
    session = await sessions.create_session(app_name="app", user_id="user")
    sent, runs, last, time = [], 0, "", 0.0
    for length in requests:
        for content in to_contents(messages[at:length]):
            author = "user" if from_content(content)[0][0] == "user" else "agent"
            if author == "user" and last != "user":
                async for summary in _run_compaction_for_sliding_window(app, session, sessions):
                    await sessions.append_event(session, summary)
                runs += 1
            last, time = author, time + 1
            event = Event(author=author, invocation_id=str(runs), content=content, timestamp=time)
            await sessions.append_event(session, event)
        at = length
        contents = _get_contents(None, session.events, "agent", preserve_function_call_ids=True)
        systems = [("system", message.content, (), None) for message in messages[:prompt]]
        sent.append(systems + [said for content in contents for said in from_content(content)])
    return sent


class Summarizing(BaseLlm):
    """Summarises as the stand-in does."""

    async def generate_content_async(self, llm_request, stream=False):
        text = write_summary(llm_request.contents[0].parts[0].text)
        yield LlmResponse(content=types.Content(role="model", parts=[types.Part(text=text)]))


DRIVERS = {"adk.ContextFilterPlugin": context_filter, "adk.EventsCompactionConfig": events_compaction}
