"""Applications in production: a client of every kind, its messages as it keeps them, in two processes that restart.

A process is asked with the whole history as a database would give it back: the fields of a body that hold the
conversation. What it was answered, it keeps as the client's own objects for as long as it lives.
"""

from __future__ import annotations

import json
import logging
import os
import re
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, field
from functools import partial
from itertools import count
from typing import Any

from chat_server import ChatServer
from framework_apps import as_items, from_items, history_for, plain, rendered
from loopback_apis import Record, speaks
from thirty_turns import requests_of, thirty_turns

from historylab import Settings, Trimmer
from historylab.planning.plan import HistoryPlan

Body = dict[str, Any]
HOLDERS = {"/v1/chat/completions": "messages", "/v1/responses": "input", "/v1/messages": "messages"}
KEY = {"api_key": "none", "max_retries": 0}


@dataclass
class Process:
    """What one process of an application holds: its trimmer, its client, and the history in the client's objects."""

    settings: Settings
    url: str
    store: str | None
    reassigned: bool
    history: list[Any] = field(default_factory=list)
    trimmer: Trimmer = field(init=False)
    client: Any = None

    def __post_init__(self) -> None:
        self.trimmer = Trimmer(self.settings, store=self.store)

    def asks(self, client: Client, history: Body) -> list[Record]:
        """One request with the history so far; what the model answered, as it is stored."""
        given = history[client.holder]
        self.history = given if self.reassigned else [*self.history, *given[len(self.history) :]]
        answered = client.ask(self, {**history, client.holder: self.history})
        self.history = [*self.history, *answered]
        return [stored(entry) for entry in answered]


def stored(entry: Any) -> Any:
    """An answer's entry as JSON; objects of the clients know how."""
    if hasattr(entry, "model_dump"):
        return entry.model_dump(mode="json", exclude_unset=True)
    if isinstance(entry, Mapping):
        return {key: [stored(e) for e in value] if isinstance(value, list) else value for key, value in entry.items()}
    return entry


@dataclass(frozen=True)
class Client:
    """A way to call a model. `begin` makes the fields of a body from a system prompt, `said` entries of the others.

    `read` has a body as chat messages again; `records` makes of the thirty turns what it can hold. One that runs tools
    by itself is told `once`: it gets no calls, and what was answered is taken from the thirty turns.
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

    @property
    def holder(self) -> str:
        return HOLDERS[self.path]


# -- Chat Completions, through the openai client


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
    """A body as chat messages: a summary stands in tags behind the instructions; reasoning isn't compared."""
    prompt, *summaries = SUMMARY.split(body.get("instructions") or "")
    systems = [{"role": "system", "content": text} for text in (prompt.removesuffix("\n\n"), *summaries) if text]
    return [*systems, *from_items([item for item in body["input"] if item.get("type") != "reasoning"])]


SUMMARY = re.compile(r'<conversation_summary digest="\w+">\n(.*)\n</conversation_summary>', re.DOTALL)


# -- Anthropic Messages


def ask_messages(process: Process, history: Body) -> list[Any]:
    import anthropic

    process.client = process.client or anthropic.Anthropic(base_url=process.url.removesuffix("/v1"), **KEY)
    body = {"model": "claude-tiny", "max_tokens": 1000, "thinking": {"type": "adaptive"}, **history}
    answer = process.client.messages.create(**process.trimmer.trim(body))
    return [{"role": "assistant", "content": answer.content}]


# -- LiteLLM, which speaks either


def ask_litellm(model: str, process: Process, history: Body) -> list[Any]:
    os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"  # else it fetches one
    import litellm

    litellm.suppress_debug_info = litellm.modify_params = True  # the latter lets it write what Anthropic wants
    base = process.url if model.startswith("openai") else process.url.removesuffix("/v1")
    sent = process.trimmer.trim(history["messages"])
    answer = litellm.completion(model=model, api_base=base, api_key="none", max_retries=0, messages=sent, max_tokens=99)
    return [answer.choices[0].message]


def as_turns(records: Sequence[Record]) -> list[Record]:
    """Chat messages as turns; results and what follows them are one turn of the user."""
    turns: list[Record] = []
    for record in records:
        role = "assistant" if record["role"] == "assistant" else "user"
        if turns and turns[-1]["role"] == role:
            turns[-1]["content"] += _as_blocks(record)
        else:
            turns.append({"role": role, "content": _as_blocks(record)})
    return turns


def _as_blocks(record: Record) -> list[Record]:
    content = record["content"]
    if record["role"] == "tool":
        return [{"type": "tool_result", "tool_use_id": record["tool_call_id"], "content": content}]
    parts = [{"type": "text", "text": content}] if isinstance(content, str) else content or []
    calls = [
        {"type": "tool_use", "id": call["id"], "name": used["name"], "input": json.loads(used["arguments"])}
        for call in record.get("tool_calls") or ()
        for used in [call["function"]]
    ]
    return [_as_block(part) for part in parts] + calls


def _as_block(part: Record) -> Record:
    if part["type"] == "text":
        return part
    kind, _, data = part["image_url"]["url"].removeprefix("data:").partition(";base64,")
    return {"type": "image", "source": {"type": "base64", "media_type": kind, "data": data}}


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
        {"id": b["id"], "function": {"name": b["name"], "arguments": json.dumps(b["input"])}}
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


# -- what may differ: where a summary stands, and that turns alternate


def shown_to(client: Client, plan: HistoryPlan) -> list[Record]:
    """The request as replay shows it, in this client's API: a summary belongs to the prompt, a role has one turn."""
    records = rendered(plan)
    if client.path == "/v1/responses" and plan.summary:
        summary = next(m for m in records if m["role"] == "system" and m["content"] == plan.summary.text)
        records.remove(summary)
        leads = bool(records) and records[0]["content"] == plan.history.conversation[0].content
        records.insert(int(leads), summary)
    return in_turns(records) if client.path == "/v1/messages" else records


def received_by(client: Client, body: Body) -> list[Record]:
    """A body as chat messages, without the words that stand where Anthropic's API wants a user's."""
    records = [plain(record) for record in client.read(body)]
    return in_turns([r for r in records if r["content"] != LEFT_OUT]) if client.path == "/v1/messages" else records


LEFT_OUT = "(Messages are left out here.)"


def in_turns(records: Sequence[Record]) -> list[Record]:
    """What a user or the assistant says in a row as one message."""
    found: list[Record] = []
    for record in records:
        if found and record["role"] == found[-1]["role"] and record["role"] in ("user", "assistant"):
            found[-1] = joined(found[-1], record)
        else:
            found.append(record)
    return found


def joined(one: Record, other: Record) -> Record:
    parts = [
        part
        for content in (one["content"], other["content"])
        for part in ([{"type": "text", "text": content}] if isinstance(content, str) else content)
        if part.get("text") != ""
    ]
    calls = [*one.get("tool_calls", ()), *other.get("tool_calls", ())]
    texts = [part.get("text") for part in parts]
    content = parts if None in texts else "\n".join(texts)
    return {"role": one["role"], "content": content, **({"tool_calls": calls} if calls else {})}


CLIENTS = {
    client.name: client
    for client in (
        Client(
            *("openai, Chat Completions", "/v1/chat/completions", "openai"),
            *(begin_chat, list, ask_chat, lambda body: body["messages"]),
        ),
        Client(
            *("openai, Responses", "/v1/responses", "openai"),
            lambda prompt: {"instructions": prompt, "input": []},
            *(as_items, ask_responses, read_responses),
        ),
        Client(
            *("anthropic, Messages", "/v1/messages", "anthropic"),
            lambda prompt: {"system": prompt, "messages": []},
            *(as_turns, ask_messages, read_messages, with_objects),
        ),
        Client(
            *("LiteLLM, Chat Completions", "/v1/chat/completions", "litellm", begin_chat, list),
            *(partial(ask_litellm, "openai/tiny"), lambda body: body["messages"]),
        ),
        Client(
            *("LiteLLM, Anthropic Messages", "/v1/messages", "litellm", begin_chat, list),
            *(partial(ask_litellm, "anthropic/claude-tiny"), read_messages, without_updates),
        ),
    )
}


# -- the thirty turns, in two processes


class OverBudget(logging.Handler):
    """How many requests the logger said to be over their budget."""

    said = 0

    def emit(self, record: logging.LogRecord) -> None:
        self.said += record.getMessage().startswith("A request has ")


LOG = OverBudget()
PROCESSES: dict[Any, Process] = {}
RUNS = count()


def ask_here(key: Any, name: str, given: tuple[Any, ...], history: Body) -> tuple[list[Record], bool]:
    """A request made by this process: the answer, and whether it was said to be over the budget. Also in a worker."""
    logger = logging.getLogger("historylab")
    if LOG not in logger.handlers:
        logger.addHandler(LOG)
        logger.setLevel(logging.INFO)
    LOG.said = 0
    if key not in PROCESSES:
        PROCESSES[key] = Process(*given)
    try:
        return PROCESSES[key].asks(CLIENTS[name], history), bool(LOG.said)
    except Exception as problem:  # those of some clients can't be handed to another process
        raise RuntimeError(f"{type(problem).__name__}: {problem}") from None


@dataclass
class Played:
    """What a server got, and whether each request was said to be over its budget; `refused` are the refusals."""

    bodies: list[Body]
    over_said: list[bool]
    refused: list[str]
    records: list[Record]


def play(
    client: Client,
    settings: Settings,
    *,
    store: str | None = None,
    worker: Executor | None = None,
    reassign: bool = False,
) -> Played:
    """The thirty turns: every second request is the worker's, and in the middle all that processes remember is gone.

    `reassign`: what was sent takes the history's place, as in `messages = trim(messages)`.
    """
    records = client.records(thirty_turns())
    asked = list(requests_of(records))
    refused: list[str] = []
    over: list[bool] = []
    history, known, run = client.begin(records[0]["content"]), 1, next(RUNS)
    with ChatServer(speaks((answer for _, answer in asked if not client.once), refused)) as server:
        for number, (whole, recorded) in enumerate(asked):
            entries = [*history[client.holder], *client.said(whole[known:])]
            there = worker is not None and number % 2 == 1
            key = run, number < len(asked) // 2
            given = settings, server.url, store, reassign
            arguments = key, client.name, given, {**history, client.holder: entries}
            accepted = len(refused)
            try:
                answer, said = worker.submit(ask_here, *arguments).result() if there else ask_here(*arguments)
            except RuntimeError:
                if len(refused) == accepted:
                    raise
                answer, said = client.said([recorded]), False
            if reassign:
                history = {name: server.requests[-1][name] for name in history}
                entries = history[client.holder]
            history = {**history, client.holder: [*entries, *([recorded] if client.once else answer)]}
            known = len(whole) + 1
            over.append(said)
        PROCESSES.clear()
        return Played(server.requests, over, refused, records)
