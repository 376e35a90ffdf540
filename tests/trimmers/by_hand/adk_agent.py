"""A conversation said again to an agent of Google ADK: its model gives the answers in it, and its tools the results."""

from __future__ import annotations

import asyncio

from google.adk.agents import LlmAgent
from google.adk.apps import App
from google.adk.apps.app import EventsCompactionConfig
from google.adk.apps.llm_event_summarizer import LlmEventSummarizer
from google.adk.models import BaseLlm, LlmResponse
from google.adk.runners import Runner
from google.adk.sessions import InMemorySessionService
from google.adk.tools import BaseTool
from google.genai import types

from historylab.trimmers.stand_in import write_summary
from tests.trimmers.by_hand.adk import from_content, to_contents

END = types.Content(role="model", parts=[types.Part(text="The end.")])


def events_compaction(conversation, **options):
    """What each request sends of an app that compacts its events."""
    summarizer = LlmEventSummarizer(Summarizing(model="summarizing"), "{conversation_history}")
    config = EventsCompactionConfig(summarizer=summarizer, **options)
    return sent_by_agent(conversation, events_compaction_config=config)


def sent_by_agent(conversation, **of_app):
    """What the model was sent at each call, the prompt first."""
    prompt, *messages = conversation
    results = {message.tool_call_id: message.content for message in messages if message.role == "tool"}
    names = {call.name for message in messages for call in message.tool_calls}
    answers = to_contents([message for message in messages if message.role == "assistant"])
    model = Replayed(model="replayed", answers=answers, sent=[])
    tools = [Repeated(name, results) for name in names]
    agent = LlmAgent(name="agent", model=model, instruction=lambda _: prompt.content, tools=tools)
    said = [message.content for message in messages if message.role == "user"]
    asyncio.run(say(said, App(name="app", root_agent=agent, **of_app)))
    head = ("system", prompt.content, (), None)
    return [[head, *(said for content in sent for said in from_content(content))] for sent in model.sent]


async def say(texts, app):
    sessions = InMemorySessionService()
    runner = Runner(app=app, session_service=sessions)
    session = await sessions.create_session(app_name="app", user_id="user")
    for text in texts:
        message = types.Content(role="user", parts=[types.Part(text=text)])
        async for _ in runner.run_async(user_id="user", session_id=session.id, new_message=message):
            pass


class Replayed(BaseLlm):
    """Gives the answers in turn."""

    answers: list
    sent: list

    async def generate_content_async(self, llm_request, stream=False):
        self.sent.append(llm_request.contents)
        yield LlmResponse(content=self.answers.pop(0) if self.answers else END)


class Summarizing(BaseLlm):
    """Summarises as the stand-in does."""

    async def generate_content_async(self, llm_request, stream=False):
        text = write_summary(llm_request.contents[0].parts[0].text)
        yield LlmResponse(content=types.Content(role="model", parts=[types.Part(text=text)]))


class Repeated(BaseTool):
    """Gives the result that the call was given."""

    def __init__(self, name, results):
        super().__init__(name=name, description=name)
        self.results = results

    def _get_declaration(self):
        return types.FunctionDeclaration(name=self.name, description=self.name)

    async def run_async(self, *, args, tool_context):
        return self.results[tool_context.function_call_id]
