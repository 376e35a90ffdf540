"""AutoGen: what its recorder of model calls kept, the states of its agents, and the messages and events of a team."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from historylab.conversation.conversation import Conversation
from historylab.formats.apis.chat_completions import API
from historylab.formats.base import Report
from historylab.formats.files.content import Content
from historylab.formats.messages.fields import as_list, list_in, object_in
from historylab.formats.messages.paths import Located, holds
from historylab.formats.shapes.reading import read_shaped
from historylab.formats.shapes.shape import Shape
from historylab.registry import register

ROLES = {"SystemMessage": "system", "UserMessage": "user", "AssistantMessage": "assistant"}
RESULTS = "FunctionExecutionResultMessage"
CALL = {"call": {"id": "id", "name": "name", "arguments": "arguments"}}
RESULT = {"result": {"id": "call_id", "text": "content"}}
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
        "kinds": {**dict.fromkeys(("id", "name", "arguments"), CALL), **dict.fromkeys(("call_id", "content"), RESULT)},
        "time": "created_at",
        "usage": "models_usage",
    }
)


def looks_like_recorder(content: Content) -> float:
    """1 for a list of model calls as the recorder writes it, or for the states of agents."""
    kinds = tuple(ROLES)
    for _, value in content.values[:40]:
        if holds(value, {"mode": ()}) and holds(value, {"messages.type": kinds}):
            return 1
        if any(holds(held, {"type": kinds}) for held in _states(value).values()):
            return 1
    return 0


@register(
    "format",
    title="AutoGen recording",
    recognise=looks_like_recorder,
    marks="mode messages response",
    source="microsoft/autogen, task_centric_memory/utils/chat_completion_client_recorder.py, 0.7",
    checked="microsoft/autogen, autogen-ext/tests/task_centric_memory/sessions/teachability/session.json",
)
def autogen(content: Content, report: Report) -> Iterator[Conversation]:
    """Calls of models that AutoGen recorded, put together into conversations, and what its agents hold."""
    bodies: list[Located] = []
    for where, value in content.values:
        if states := _states(value):
            bodies += [(f"{where} {name}".strip(), {"messages": _to_chat(held)}) for name, held in states.items()]
            continue
        for i, record in enumerate(value if isinstance(value, list) else [value]):
            at = f"{where}[{i}]" if isinstance(value, list) else where
            if isinstance(record, dict) and isinstance(record.get("messages"), list):
                bodies.append((at, {"messages": _to_chat(record["messages"]), **_answer_in(record)}))
            else:
                report.skip("no call of a model", at)
    yield from API.conversations(bodies, report)


def _states(value: Any) -> dict[str, list[Any]]:
    """Agent → what it holds of the conversation, in the saved state of a team."""
    agents = object_in(value, "agent_states") if isinstance(value, dict) else {}
    inner = {name: object_in(object_in(agents, name), "agent_state") for name in agents}
    return {
        name: held for name, state in inner.items() if (held := list_in(object_in(state, "llm_context"), "messages"))
    }


def _answer_in(record: dict[str, Any]) -> dict[str, Any]:
    answer = object_in(record, "response")
    if not answer:
        return {}
    (said,) = _to_chat([{**answer, "type": "AssistantMessage"}])
    return {"response": {"choices": [{"message": said}], "usage": answer.get("usage")}}


def _to_chat(messages: list[Any]) -> list[Any]:
    """The messages as the Chat Completions API has them."""
    found: list[Any] = []
    for message in messages:
        kind = message.get("type") if isinstance(message, dict) else None
        if kind == RESULTS:
            results = [each for each in list_in(message, "content") if isinstance(each, dict)]
            found += [{"role": "tool", "tool_call_id": r.get("call_id"), "content": r.get("content")} for r in results]
        elif isinstance(kind, str) and kind in ROLES:
            found.append({"role": ROLES[kind], **_words(message)})
        else:
            found.append(message)
    return found


def _words(message: dict[str, Any]) -> dict[str, Any]:
    said = message.get("content")
    calls = [each for each in as_list(said) if isinstance(each, dict) and "arguments" in each]
    texts = [each for each in as_list(said) if isinstance(each, str)]
    images = [{"type": "image_url", "image_url": {"url": ""}} for each in as_list(said) if _is_image(each)]
    parts = [*({"type": "text", "text": text} for text in texts), *images]
    words: dict[str, Any] = {"content": said if isinstance(said, str) else parts or None}
    if calls:
        words["tool_calls"] = [
            {"id": call.get("id"), "type": "function", "function": {k: call.get(k) for k in ("name", "arguments")}}
            for call in calls
        ]
    return words | ({"reasoning_content": thought} if (thought := message.get("thought")) else {})


def _is_image(part: Any) -> bool:
    return isinstance(part, dict) and "data" in part


def looks_like_team(content: Content) -> float:
    """1 for messages and events of a team, two kinds of them or one that is only its."""
    marks = {"source": ()}, {"type": EVENTS[:2] + SAID}
    found = [value for where, value in _messages(content.values[:40])[:40]]
    return 1 if any(all(holds(value, mark) for mark in marks) for value in found) else 0


@register(
    "format",
    title="AutoGen messages",
    recognise=looks_like_team,
    marks="source models_usage",
    source="microsoft/autogen, autogen-agentchat/src/autogen_agentchat/messages.py, 0.7",
)
def autogen_messages(content: Content, report: Report) -> Iterator[Conversation]:
    """Messages and events of AutoGen's teams, as a list, as lines or as the result of a task."""
    yield from read_shaped(TEAM, [(at, _with_thought(value)) for at, value in _messages(content.values)], report)


def _messages(values: list[Located]) -> list[Located]:
    found: list[Located] = []
    for where, value in values:
        held = value.get("messages") if isinstance(value, dict) and "source" not in value else value
        if isinstance(held, list):
            found += [(f"{where}[{i}]", each) for i, each in enumerate(held)]
        else:
            found.append((where, value))
    return found


def _with_thought(value: Any) -> Any:
    if isinstance(value, dict) and value.get("type") == "ThoughtEvent":
        return {**{key: held for key, held in value.items() if key != "content"}, "thought": value.get("content")}
    return value
