"""AutoGen: what its recorder of model calls kept, the states of its agents, and the messages and events of a team."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from historylab.conversation.conversation import Conversation
from historylab.conversation.message import Message
from historylab.formats.apis.chat_completions import API
from historylab.formats.base import Report
from historylab.formats.files.content import Content
from historylab.formats.messages.answers import AnswerParts
from historylab.formats.messages.chat_messages import to_record
from historylab.formats.messages.fields import as_list, object_in, text_in
from historylab.formats.messages.paths import Located, holds, value_at
from historylab.formats.messages.record_groups import located_items, value_recogniser
from historylab.formats.messages.walker import table_of, walk_parts
from historylab.formats.shapes.reading import read_shaped
from historylab.formats.shapes.shape import Shape
from historylab.registry import register

ROLES = {"SystemMessage": "system", "UserMessage": "user", "AssistantMessage": "assistant"}
ROLES |= {"FunctionExecutionResultMessage": "tool"}
CALL = {"call": {"id": "id", "name": "name", "arguments": "arguments"}}
RESULT = {"result": {"id": "call_id", "text": "content"}}
KINDS = {**dict.fromkeys(("id", "name", "arguments"), CALL), **dict.fromkeys(("call_id", "content"), RESULT)}
"""Its first field → what a part is."""

SAID = ("TextMessage", "MultiModalMessage", "StopMessage", "HandoffMessage", "ToolCallSummaryMessage")
EVENTS = ("ToolCallRequestEvent", "ToolCallExecutionEvent", "ThoughtEvent")
TEAM = Shape.of(
    {
        "only": {"type": [*SAID, *EVENTS]},
        "role": "source",
        "roles": {"user": "user", "User": "user", "": "assistant"},
        "name": "source",
        "parts": "content",
        "thinking": "thought",
        "kind": "",
        "kinds": KINDS,
        "time": "created_at",
        "usage": "models_usage",
    }
)


def is_recorded_call(value: Any) -> bool:
    """Tell whether it is a model call as the recorder writes it, or the states of agents."""
    kinds = tuple(ROLES)
    if holds(value, {"mode": ()}) and holds(value, {"messages.type": kinds}):
        return True
    return any(holds(held, {"type": kinds}) for held in _states(value).values())


@register(
    "format",
    title="AutoGen recording",
    recognise=value_recogniser(is_recorded_call),
    marks="mode messages response",
    source="microsoft/autogen, task_centric_memory/utils/chat_completion_client_recorder.py, 0.7",
    checked="microsoft/autogen, autogen-ext/tests/task_centric_memory/sessions/teachability/session.json",
)
def autogen(content: Content, report: Report) -> Iterator[Conversation]:
    """Calls of models that AutoGen recorded, put together into conversations, and what its agents hold."""
    bodies: list[Located] = []
    for where, value in located_items(content.values):
        record = value if isinstance(value, dict) else {}
        held = _states(record) or ({"": record["messages"]} if isinstance(record.get("messages"), list) else {})
        if not held:
            report.skip("no call of a model", where)
        for name, messages in held.items():
            at = f"{where} {name}".strip()
            said, answer = [*_to_chat(messages, at, report)], object_in(record, "response")
            body: dict[str, Any] = {"messages": said}
            for made in _to_chat([{**answer, "type": "AssistantMessage"}] if answer else [], at, report):
                body |= {"response": {"choices": [{"message": made}], "usage": answer.get("usage")}}
            bodies.append((at, body))
    yield from API.conversations(bodies, report)


def _states(value: Any) -> dict[str, list[Any]]:
    """Agent → what it holds of the conversation, in the saved state of a team."""
    agents = object_in(value, "agent_states") if isinstance(value, dict) else {}
    held = {name: value_at(agents[name], "agent_state.llm_context.messages") for name in agents}
    return {name: messages for name, messages in held.items() if messages and isinstance(messages, list)}


def _to_chat(messages: list[Any], where: str, report: Report) -> Iterator[Any]:
    """The messages as the Chat Completions API has them."""
    for message in messages:
        kind = text_in(message, "type") if isinstance(message, dict) else None
        if kind not in ROLES:
            yield message
            continue
        said, content, thought = AnswerParts(role=ROLES[kind]), message.get("content"), message.get("thought")
        walk_parts(as_list(content), "", PARTS, said, where, report)
        if said.role == "tool":
            yield from map(to_record, said.results)
            continue
        record: dict[str, Any] = {"role": said.role}
        if said.calls:
            record = to_record(Message(said.role, tool_calls=tuple(said.calls)))
        images = [{"type": "image_url", "image_url": {"url": ""}} for _ in said.media]
        parts = [*({"type": "text", "text": text} for text in said.texts), *images]
        record["content"] = content if isinstance(content, str) else parts or None
        yield {**record, "reasoning_content": thought} if thought else record


def _attach(part: dict[str, Any], said: AnswerParts, where: str, report: Report) -> None:
    said.attach("image")


PARTS = table_of({**KINDS, "data": _attach})


def is_of_team(value: Any) -> bool:
    """Tell whether it is a message or an event of a team: its kind, but for a thought alone, and who it is from."""
    return holds(value, {"source": ()}) and holds(value, {"type": EVENTS[:2] + SAID})


@register(
    "format",
    title="AutoGen messages",
    recognise=value_recogniser(is_of_team, 1, "messages"),
    marks="source models_usage",
    source="microsoft/autogen, autogen-agentchat/src/autogen_agentchat/messages.py, 0.7",
    checked="Arize-ai/openinference, instrumentation of autogen-agentchat, tests/test_instrumentor.py (a result)",
)
def autogen_messages(content: Content, report: Report) -> Iterator[Conversation]:
    """Messages and events of AutoGen's teams, as a list, as lines or as the result of a task."""
    events = [(at, _with_thought(value)) for at, value in located_items(content.values, "messages")]
    yield from read_shaped(TEAM, events, report)


def _with_thought(value: Any) -> Any:
    thinks = isinstance(value, dict) and value.get("type") == "ThoughtEvent"
    return {**value, "content": None, "thought": value.get("content")} if thinks else value
