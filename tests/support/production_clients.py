"""The clients that applications call a model with, each with its messages as it keeps them.

A client is given a process of an application: `settings`, `store`, `trimmer`, the `url` of the server, and `client`,
where its own is kept.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
from collections.abc import Callable, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache, partial
from typing import Any

from framework_apps import as_items, from_items, history_for, names_of
from framework_runs import (
    keeping_langchain_agents,
    keeping_langgraph,
    keeping_openai_agents,
    keeping_pydantic_ai,
    with_langchain_agents,
    with_langgraph,
    with_openai_agents_over_responses,
    with_pydantic_ai,
)
from request_forms import as_anthropic
from thirty_turns import thirty_turns

STORE = "HISTORYLAB_STORE"  # where an exported module looks for its store

Record = dict[str, Any]
Body = dict[str, Any]
Process = Any
CHAT = "/v1/chat/completions"
CLAUDE = {"model": "claude-opus-4-6", "max_tokens": 1000, "thinking": {"type": "adaptive"}}
KEY = {"api_key": "none", "max_retries": 0}


@dataclass(frozen=True)
class Client:
    """A way to call a model. `begin` makes the fields of a body from a system prompt, `said` entries of the others.

    `read` has a body as chat messages again; `records` makes of the thirty turns what it can hold. One that runs tools
    by itself is told `once`: it gets no calls, and what was answered is taken from the thirty turns. Where it keeps
    what was sent, `ask` returns that; with a `prompt_unseen` the trimmer isn't given the system prompt then.
    """

    name: str
    path: str
    library: str
    begin: Callable[[str], Body]
    said: Callable[[Sequence[Record]], list[Any]]
    ask: Callable[[Process, Body], list[Any]]
    read: Callable[[Body], list[Record]]
    records: Callable[[Sequence[Record]], list[Record]] = list
    once: bool = False
    prompt_unseen: bool = False

    @property
    def holder(self) -> str:
        """The field with the messages as an application keeps them."""
        return "input" if self.path == "/v1/responses" and not self.once else "messages"


# -- Chat Completions, through the openai client


def chat_messages(body: Body) -> list[Record]:
    return body["messages"]


def begin_chat(prompt: str) -> Body:
    return {"messages": [{"role": "system", "content": prompt}]}


def ask_chat(process: Process, history: Body) -> list[Any]:
    import openai

    process.client = process.client or openai.OpenAI(base_url=process.url, **KEY)
    sent = process.trimmer.trim(history["messages"])
    return [process.client.chat.completions.create(model="tiny", messages=sent).choices[0].message]


# -- Responses


def ask_responses(process: Process, history: Body) -> list[Any]:
    import openai

    process.client = process.client or openai.OpenAI(base_url=process.url, **KEY)
    sent = process.trimmer.trim({"model": "tiny", "store": False, **history})
    return list(process.client.responses.create(**sent).output)


def read_responses(body: Body) -> list[Record]:
    """A body as chat messages: a summary stands behind the instructions; reasoning isn't compared."""
    text = body.get("instructions") or ""
    found = SUMMED_UP.fullmatch(text)
    systems = [{"role": "system", "content": said} for said in (found.groups() if found else [text]) if said]
    return [*systems, *from_items([item for item in body["input"] if item.get("type") != "reasoning"])]


PROMPT = thirty_turns()[0]["content"]
SUMMED_UP = re.compile(rf"(?:({re.escape(PROMPT)})\n\n)?(.*)\n\[end of summary \w+\]", re.DOTALL)


# -- Anthropic Messages


def begin_messages(prompt: str) -> Body:
    return {"system": prompt, "messages": []}


def ask_messages(process: Process, history: Body) -> list[Any]:
    import anthropic

    process.client = process.client or anthropic.Anthropic(base_url=process.url.removesuffix("/v1"), **KEY)
    answer = process.client.messages.create(**process.trimmer.trim({**CLAUDE, **history}))
    return [{"role": "assistant", "content": answer.content}]


# -- LiteLLM, which speaks either


def litellm_for(process: Process) -> Any:
    os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"  # else it fetches one
    import litellm

    litellm.suppress_debug_info = True
    return litellm


def ask_litellm(process: Process, history: Body) -> list[Any]:
    sent = process.trimmer.trim(history["messages"])
    to = {"model": "openai/tiny", "api_base": process.url, "api_key": "none", "max_retries": 0}
    return [litellm_for(process).completion(messages=sent, **to).choices[0].message]


def ask_litellm_messages(process: Process, history: Body) -> list[Any]:
    body = {**CLAUDE, **history, "model": "anthropic/claude-opus-4-6"}
    to = {"api_base": process.url.removesuffix("/v1"), "api_key": "none"}
    thread, runner = loop()
    asked = litellm_for(process).anthropic_messages(**process.trimmer.trim(body), **to)
    return [{"role": "assistant", "content": thread.submit(runner.run, asked).result()["content"]}]


def read_messages(body: Body) -> list[Record]:
    """A body as chat messages: its blocks apart, texts and calls of the assistant as one."""
    prompts = body.get("system") or []
    texts = [prompts] if isinstance(prompts, str) else [block["text"] for block in prompts]
    found: list[Record] = [{"role": "system", "content": text} for text in texts]
    for turn in body["messages"]:
        content = turn["content"]
        blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content
        found += _of_assistant(blocks) if turn["role"] == "assistant" else _of_user(blocks)
    return found


def _of_assistant(blocks: Sequence[Record]) -> list[Record]:
    calls = [
        {"id": b["id"], "function": {"name": b["name"], "arguments": json.dumps(b["input"], ensure_ascii=False)}}
        for b in blocks
        if b["type"] == "tool_use"
    ]
    texts = [block["text"] for block in blocks if block["type"] == "text"]
    return [{"role": "assistant", "content": "\n".join(texts), "tool_calls": calls}]


def _of_user(blocks: Sequence[Record]) -> list[Record]:
    results = [
        {"role": "tool", "tool_call_id": block["tool_use_id"], "content": block["content"]}
        for block in blocks
        if block["type"] == "tool_result"
    ]
    said = [_as_part(block) for block in blocks if block["type"] != "tool_result"]
    return results + ([{"role": "user", "content": said}] if said else [])


def _as_part(block: Record) -> Record:
    if block["type"] == "text":
        return {"type": "text", "text": block["text"]}
    source = block["source"]
    url = f"data:{source['media_type']};base64,{source['data']}"
    return {"type": "image_url", "image_url": {"url": url, "detail": "low"}}


def without_updates(records: Sequence[Record]) -> list[Record]:
    """Only the leading system message: this API has no others."""
    return [record for k, record in enumerate(records) if not k or record["role"] != "system"]


def with_objects(records: Sequence[Record]) -> list[Record]:
    """And arguments written anew, as they are objects there."""
    return history_for("anthropic", without_updates(records))


# -- the agent frameworks, with the hooks that were exported for them


def ask_framework(
    target: str, run: Callable[..., Any], keeping: Callable[..., Any], process: Process, history: Body
) -> list[Any]:
    """One run over the whole history, which is made anew, as an application does that loads it."""
    if process.client is None:
        os.environ[STORE] = process.store or ""
        process.client = names_of(process.settings, target)
    thread, runner = loop()
    asked = (keeping if process.reassigned else run)(process.client, history["messages"], process.url)
    return thread.submit(runner.run, asked).result() or []


@cache
def loop() -> tuple[Executor, asyncio.Runner]:
    """The event loop of this process, in a thread: libraries keep connections, which belong to it."""
    return ThreadPoolExecutor(1), asyncio.Runner()


def framework(
    name: str,
    target: str,
    library: str,
    run: Callable[..., Any],
    keeping: Callable[..., Any],
    path: str = CHAT,
    prompt_unseen: bool = False,
) -> Client:
    read = read_responses if path == "/v1/responses" else chat_messages
    ask, records = partial(ask_framework, target, run, keeping), partial(history_for, target)
    return Client(name, path, library, begin_chat, list, ask, read, records, once=True, prompt_unseen=prompt_unseen)


CLIENTS = {
    client.name: client
    for client in (
        Client(
            *("openai, Chat Completions", CHAT, "openai"),
            *(begin_chat, list, ask_chat, chat_messages),
        ),
        Client(
            *("openai, Responses", "/v1/responses", "openai"),
            lambda prompt: {"instructions": prompt, "input": []},
            *(as_items, ask_responses, read_responses),
        ),
        Client(
            *("anthropic, Messages", "/v1/messages", "anthropic"),
            *(begin_messages, as_anthropic, ask_messages, read_messages, with_objects),
        ),
        Client("LiteLLM, Chat Completions", CHAT, "litellm", begin_chat, list, ask_litellm, chat_messages),
        Client(
            *("LiteLLM, Anthropic Messages", "/v1/messages", "litellm"),
            *(begin_messages, as_anthropic, ask_litellm_messages, read_messages, with_objects),
        ),
        *(
            framework("LangGraph", "langgraph", "langgraph.prebuilt", with_langgraph, keeping_langgraph),
            framework(
                *("LangChain", "langchain_agents", "langchain.agents", with_langchain_agents),
                *(keeping_langchain_agents, CHAT, True),
            ),
            framework("Pydantic AI", "pydantic_ai", "pydantic_ai", with_pydantic_ai, keeping_pydantic_ai),
            framework(
                *("OpenAI Agents", "openai_agents", "agents", with_openai_agents_over_responses),
                *(keeping_openai_agents, "/v1/responses"),
            ),
        ),
    )
}
