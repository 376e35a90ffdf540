"""A conversation said again to an agent of Google ADK: its model gives the answers in it, and its tools the results."""

from __future__ import annotations

import asyncio

from google.adk.agents import LlmAgent
from google.adk.apps import App
from google.adk.models import BaseLlm, LlmResponse
from google.adk.runners import Runner
from google.adk.sessions import InMemorySessionService
from google.adk.tools import BaseTool
from google.genai import types

from tests.trimmers.by_hand.adk import from_content, to_contents

END = types.Content(role="model", parts=[types.Part(text="The end.")])


def sent_by_agent(conversation, **of_app):
    """What the model was sent at each call, the prompt first."""
    prompts = [message for message in conversation if message.role == "system"]
    messages = [message for message in conversation if message.role != "system"]
    results = {message.tool_call_id: message.content for message in messages if message.role == "tool"}
    names = {call.name for message in messages for call in message.tool_calls}
    answers = to_contents([message for message in messages if message.role == "assistant"])
    model = Replayed(model="replayed", answers=answers, sent=[])
    tools = [Repeated(name, results) for name in names]
    agent = LlmAgent(name="agent", model=model, instruction=lambda _: "Answer.", tools=tools)
    said = [message.content for message in messages if message.role == "user"]
    asyncio.run(say(said, App(name="app", root_agent=agent, **of_app)))
    head = [("system", prompt.content, (), None) for prompt in prompts]
    return [[*head, *(said for content in sent for said in from_content(content))] for sent in model.sent]


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


class Repeated(BaseTool):
    """Gives the result that the call was given."""

    def __init__(self, name, results):
        super().__init__(name=name, description=name)
        self.results = results

    def _get_declaration(self):
        return types.FunctionDeclaration(name=self.name, description=self.name)

    async def run_async(self, *, args, tool_context):
        return self.results[tool_context.function_call_id]
