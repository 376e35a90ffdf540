"""Applications of the agent frameworks: a history of theirs made from chat messages, and what a hook makes of it.

What a hook gives back is written as chat messages again, so that it can be compared with what replay shows.
"""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Callable, Coroutine, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from types import SimpleNamespace
from typing import Any

from thirty_turns import requests_of

from historylab import Conversation, Settings, export, replay
from historylab.formats.messages.chat_messages import to_messages, to_record
from historylab.formats.requests.form import LEFT_OUT
from historylab.planning.plan import HistoryPlan

Record = dict[str, Any]


def finished(work: Coroutine[Any, Any, Any]) -> Any:
    """What a coroutine returns, run by a thread of its own: another test may have left a loop running in this one."""
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, work).result()


def names_of(settings: Settings, target: str) -> dict[str, Any]:
    """What an exported module defines; it imports its framework, or the stand-in for it."""
    names: dict[str, Any] = {}
    exec(compile(export(settings, target), target, "exec"), names)
    return names


def rendered(plan: HistoryPlan) -> list[Record]:
    """The request as replay shows it."""
    return [plain(to_record(m) if m.source is None else m.source) for m in plan.render()]


def asked_and_shown(
    records: Sequence[Record], settings: Settings, requests: slice = slice(None)
) -> list[tuple[list[Record], list[Record]]]:
    """Per request, what the application has said so far, and what replay shows of the whole conversation."""
    agent = settings.options.get("projection.point_of_view.agent")
    asked = [history for history, answer in requests_of(records) if answer.get("name", agent) == agent or not agent]
    shown = replay(Conversation(to_messages(records)), settings).plans
    return [(history, rendered(plan)) for history, plan in list(zip(asked, shown, strict=True))[requests]]


def plain(record: Mapping[str, Any]) -> Record:
    """A chat message with arguments parsed, and without the ways to write nothing."""
    calls = [
        {"id": c["id"], "name": c["function"]["name"], "arguments": json.loads(c["function"]["arguments"])}
        for c in record.get("tool_calls") or ()
    ]
    fields = {name: record.get(name) for name in ("role", "name", "tool_call_id")}
    found = {**fields, "content": _content(record.get("content")), "tool_calls": calls}
    return {name: value for name, value in found.items() if value or name == "content"}


def _content(content: Any) -> Any:
    """Parts as they are; text alone as text."""
    if not content or isinstance(content, str):
        return content or ""
    texts = [part.get("text") for part in content]
    return "\n".join(texts) if None not in texts else list(content)


# -- OpenAI Agents: the items of the Responses API


@dataclass
class ModelInput:
    input: list[Any]
    instructions: str | None


def as_items(records: Sequence[Record]) -> list[Record]:
    """Chat messages as items; what the model said has an id, as in a real run."""
    return [item for k, record in enumerate(records) for item in _items(k, record)]


def _items(k: int, record: Record) -> Iterator[Record]:
    role, content = record["role"], record["content"]
    if role == "tool":
        yield {"type": "function_call_output", "call_id": record["tool_call_id"], "output": content}
        return
    if role == "assistant":
        if content:
            text = {"type": "output_text", "text": content, "annotations": []}
            yield {"type": "message", "role": role, "id": f"msg_{k}", "status": "completed", "content": [text]}
        for call in record.get("tool_calls", ()):
            yield {"type": "function_call", "call_id": call["id"], "id": f"fc_{call['id']}", **call["function"]}
        return
    yield {"role": role, "content": content if isinstance(content, str) else [_input_part(part) for part in content]}


def _input_part(part: Record) -> Record:
    if part["type"] == "text":
        return {"type": "input_text", "text": part["text"]}
    return {"type": "input_image", "image_url": part["image_url"]["url"], "detail": part["image_url"]["detail"]}


def from_items(items: Sequence[Record]) -> list[Record]:
    """Items as chat messages: calls belong to the answer before them."""
    found: list[Record] = []
    for item in items:
        if item.get("type") == "function_call_output":
            found.append({"role": "tool", "tool_call_id": item["call_id"], "content": item["output"]})
        elif item.get("type") == "function_call":
            if not found or found[-1]["role"] != "assistant":
                found.append({"role": "assistant", "content": None})
            function = {"name": item["name"], "arguments": item["arguments"]}
            found[-1].setdefault("tool_calls", []).append({"id": item["call_id"], "function": function})
        else:
            found.append({"role": item["role"], "content": _content(_chat_content(item["content"]))})
    return found


def _chat_content(content: Any) -> Any:
    if isinstance(content, str):
        return content
    pictures = [part["type"] == "input_image" for part in content]
    return [
        {"type": "image_url", "image_url": {"url": part["image_url"], "detail": part["detail"]}}
        if picture
        else {"type": "text", "text": part["text"]}
        for part, picture in zip(content, pictures, strict=True)
    ]


# -- Pydantic AI: requests and responses of parts, by its own classes or those of the stand-in


def pydantic_messages(records: Sequence[Record]) -> list[Any]:
    """Chat messages as Pydantic AI keeps them: results, updates and questions are parts of one request."""
    ai = sys.modules["pydantic_ai.messages"]
    found: list[Any] = []
    tools: dict[str, str] = {}
    for record in records:
        if record["role"] == "assistant":
            calls = [(c["function"]["name"], c["function"]["arguments"], c["id"]) for c in record.get("tool_calls", ())]
            tools |= {id_: name for name, _, id_ in calls}
            text = [ai.TextPart(record["content"])] if record["content"] else []
            found.append(ai.ModelResponse([*text, *(ai.ToolCallPart(*call) for call in calls)]))
            continue
        part = _request_part(ai, record, tools)
        if found and isinstance(found[-1], ai.ModelRequest):
            found[-1].parts.append(part)
        else:
            found.append(ai.ModelRequest([part]))
    return found


def _request_part(ai: Any, record: Record, tools: Mapping[str, str]) -> Any:
    content = record["content"]
    if record["role"] == "tool":
        return ai.ToolReturnPart(tools[record["tool_call_id"]], content, record["tool_call_id"])
    if record["role"] == "system":
        return ai.SystemPromptPart(content)
    if isinstance(content, str):
        return ai.UserPromptPart(content)
    return ai.UserPromptPart(
        [
            p["text"] if p["type"] == "text" else ai.ImageUrl(p["image_url"]["url"], vendor_metadata={"detail": "low"})
            for p in content
        ]
    )


def from_pydantic(messages: Sequence[Any]) -> list[Record]:
    return [record for message in messages for record in _pydantic_records(message)]


def _pydantic_records(message: Any) -> Iterator[Record]:
    if message.kind == "response":
        text = "".join(part.content for part in message.parts if part.part_kind == "text")
        calls = [
            {"id": part.tool_call_id, "function": {"name": part.tool_name, "arguments": part.args}}
            for part in message.parts
            if part.part_kind == "tool-call"
        ]
        yield {"role": "assistant", "content": text, "tool_calls": calls}
        return
    roles = {"system-prompt": "system", "user-prompt": "user", "tool-return": "tool"}
    for part in message.parts:
        pieces = part.content if isinstance(part.content, list) else None
        content = part.content if pieces is None else [_chat_part(piece) for piece in pieces]
        record = {"role": roles[part.part_kind], "content": content}
        yield record | ({"tool_call_id": part.tool_call_id} if part.part_kind == "tool-return" else {})


def _chat_part(piece: Any) -> Record:
    if isinstance(piece, str):
        return {"type": "text", "text": piece}
    return {"type": "image_url", "image_url": {"url": piece.url, **piece.vendor_metadata}}


# -- Anthropic's SDK: turns of blocks, results and questions in those of the user


def as_turns(records: Sequence[Record]) -> list[Record]:
    turns: list[Record] = []
    for record in records:
        role = "assistant" if record["role"] == "assistant" else "user"
        if not turns or turns[-1]["role"] != role:
            turns.append({"role": role, "content": []})
        turns[-1]["content"] += _blocks(record)
    return turns


def _blocks(record: Record) -> Iterator[Record]:
    content = record["content"] or []
    if record["role"] == "tool":
        yield {"type": "tool_result", "tool_use_id": record["tool_call_id"], "content": content}
        return
    for part in [{"type": "text", "text": content}] if isinstance(content, str) else content:
        kind, _, data = part.get("image_url", {}).get("url", "").removeprefix("data:").partition(";base64,")
        source = {"type": "base64", "media_type": kind, "data": data}
        yield {"type": "image", "source": source} if kind else part
    for call in record.get("tool_calls", ()):
        used = call["function"]
        yield {"type": "tool_use", "id": call["id"], "name": used["name"], "input": json.loads(used["arguments"])}


def from_turns(body: Record) -> list[Record]:
    prompts = body.get("system") or []
    texts = [prompts] if isinstance(prompts, str) else [block["text"] for block in prompts]
    systems = [record for text in texts for record in _system(text)]
    return [*systems, *(record for turn in body["messages"] for record in _said(turn["role"], turn["content"]))]


def _said(role: str, content: Any) -> Iterator[Record]:
    parts, calls = [], []
    for block in [{"type": "text", "text": content}] if isinstance(content, str) else content:
        if block["type"] == "tool_result":
            yield {"role": "tool", "tool_call_id": block["tool_use_id"], "content": block["content"]}
        elif block["type"] == "tool_use":
            function = {"name": block["name"], "arguments": json.dumps(block["input"])}
            calls.append({"id": block["id"], "function": function})
        elif block["type"] == "text":
            parts.append({"type": "text", "text": block["text"]})
        else:
            url = f"data:{block['source']['media_type']};base64,{block['source']['data']}"
            parts.append({"type": "image_url", "image_url": {"url": url, "detail": "low"}})
    if parts or calls:
        yield {"role": role, "content": parts, "tool_calls": calls}


def in_turns(records: Sequence[Record]) -> list[Record]:
    """Plain records as they are sent there: system messages first, what one side says in a row joined, a user first."""
    found = [record for record in records if record["role"] == "system"]
    said = [record for record in records if record["role"] != "system"]
    if said and said[0]["role"] != "user":
        said.insert(0, {"role": "user", "content": LEFT_OUT})
    for record in said:
        last = found[-1] if found else {"role": ""}
        if record["role"] == last["role"] != "tool":
            found[-1] = {**last, **record, "content": [*_listed(last["content"]), *_listed(record["content"])]}
        else:
            found.append(record)
    return [{**record, "content": _content(record["content"])} for record in found]


def _listed(content: Any) -> list[Record]:
    return [{"type": "text", "text": content}] if isinstance(content, str) else content


# -- what a hook sends, called as its framework calls it


def through_openai_agents(names: Mapping[str, Any], records: Sequence[Record]) -> list[Record]:
    system, rest = apart(records)
    given = SimpleNamespace(model_data=ModelInput(as_items(rest), system))
    sent = finished(names["trim_input"](given))
    return [*_system(sent.instructions), *from_items(sent.input)]


def langchain_messages(records: Sequence[Record]) -> list[Any]:
    return list(sys.modules["langchain_core.messages"].convert_to_messages(records))


def through_langgraph(names: Mapping[str, Any], records: Sequence[Record]) -> list[Record]:
    core = sys.modules["langchain_core.messages"]
    sent = names["pre_model_hook"]({"messages": langchain_messages(records)})["llm_input_messages"]
    return [core.convert_to_openai_messages(message) for message in sent]


@dataclass
class AgentRequest:
    system_message: Any
    messages: list[Any]

    def override(self, **changes: Any) -> AgentRequest:
        return replace(self, **changes)


def through_langchain_agents(names: Mapping[str, Any], records: Sequence[Record]) -> list[Record]:
    core = sys.modules["langchain_core.messages"]
    messages = core.convert_to_messages(records)
    leading = messages[:1] if records[0]["role"] == "system" else []
    request = AgentRequest(leading[0] if leading else None, messages[len(leading) :])

    async def handler(given: AgentRequest) -> AgentRequest:
        return given

    middleware = names["trim_history"]
    sent = finished(middleware.awrap_model_call(request, handler))
    assert middleware.wrap_model_call(request, lambda given: given) == sent
    found = [*([sent.system_message] if sent.system_message else []), *sent.messages]
    return [core.convert_to_openai_messages(message) for message in found]


def through_pydantic_ai(names: Mapping[str, Any], records: Sequence[Record]) -> list[Record]:
    return from_pydantic(names["trim_history"].to_send(pydantic_messages(records)))


def through_litellm(names: Mapping[str, Any], records: Sequence[Record]) -> list[Record]:
    body = {"model": "m", "messages": list(records), "metadata": {"user_api_key": None}}
    sent = finished(names["trim_history"].async_pre_call_hook(None, None, body, "acompletion"))
    assert sent == {**body, "messages": sent["messages"]}
    return list(sent["messages"])


def through_anthropic_sdk(names: dict[str, Any], records: Sequence[Record]) -> list[Record]:
    system, rest = apart(records)
    client, sent = names.get("client"), names.setdefault("sent", [])
    if client is None:
        client = names["client"] = names["wrap"](_anthropic_client(sent))
    client.messages.create(model="m", max_tokens=9, messages=as_turns(rest), **({"system": system} if system else {}))
    return from_turns(sent.pop())


def _anthropic_client(sent: list[Record]) -> Any:
    """A client whose requests go nowhere but into that list."""
    import anthropic
    import httpx2

    def answer(request: Any) -> Any:
        sent.append(json.loads(request.content))
        said = {"type": "message", "id": "m", "role": "assistant", "model": "m", "content": [], "usage": {}}
        return httpx2.Response(200, json=said)

    http_client = anthropic.DefaultHttpxClient(transport=httpx2.MockTransport(answer))
    return anthropic.Anthropic(api_key="none", http_client=http_client)


def apart(records: Sequence[Record]) -> tuple[str | None, Sequence[Record]]:
    """The system prompt, which some frameworks keep apart, and the rest."""
    return (records[0]["content"], records[1:]) if records[0]["role"] == "system" else (None, records)


def _system(text: str | None) -> list[Record]:
    return [{"role": "system", "content": text}] if text else []


HOOKS: dict[str, Callable[[dict[str, Any], Sequence[Record]], list[Record]]] = {
    "openai_agents": through_openai_agents,
    "langgraph": through_langgraph,
    "langchain_agents": through_langchain_agents,
    "pydantic_ai": through_pydantic_ai,
    "litellm": through_litellm,
    "anthropic_sdk": through_anthropic_sdk,
}
WITHOUT_NAMES = frozenset({"openai_agents", "pydantic_ai", "anthropic_sdk"})
"""Frameworks whose messages have no author."""
AS_GIVEN = frozenset({"openai_agents", "pydantic_ai", "litellm"})
"""Those that keep a call's arguments as text."""


def as_sent(target: str, shown: list[Record]) -> list[Record]:
    """What replay shows, as the framework's API has it."""
    return in_turns(shown) if target == "anthropic_sdk" else shown


def history_for(target: str, records: Sequence[Record]) -> list[Record]:
    """The records as the framework holds them: some know no names, some write a call's arguments anew.

    Anthropic's API has no system messages but the first.
    """
    if target == "anthropic_sdk":
        records = [record for k, record in enumerate(records) if not k or record["role"] != "system"]
    if target in WITHOUT_NAMES:
        records = [{name: value for name, value in record.items() if name != "name"} for record in records]
    if target in AS_GIVEN:
        return list(records)
    return [_written_anew(record) if record.get("tool_calls") else record for record in records]


def _written_anew(record: Record) -> Record:
    calls = [
        {
            **c,
            "function": {
                **c["function"],
                "arguments": json.dumps(json.loads(c["function"]["arguments"]), ensure_ascii=False),
            },
        }
        for c in record["tool_calls"]
    ]
    return {**record, "tool_calls": calls}
