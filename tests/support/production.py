"""Applications in production: a client of every kind, its messages as it keeps them, in two processes that restart.

A process is asked with the whole history as a database would give it back: the fields of a body that hold the
conversation. What it was answered, it keeps as the client's own objects for as long as it lives.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import astuple, dataclass, field
from itertools import count
from typing import Any

from chat_server import ChatServer
from framework_apps import plain, rendered
from loopback_apis import speaks
from production_clients import CLIENTS, Body, Client, Record
from thirty_turns import requests_of, thirty_turns

from historylab import Conversation, Settings, Trimmer, replay
from historylab.counters.base import Counter
from historylab.formats.messages.chat_messages import to_messages
from historylab.formats.requests.form import LEFT_OUT
from historylab.planning.pipeline import open_instruments, plan_history
from historylab.planning.plan import HistoryPlan
from historylab.planning.strategies.returned import read_summary
from historylab.summarizers.reply_cache import REPLIES


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
        REPLIES.forget()  # what models answered, which another process doesn't know
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

    `reassign`: what was sent takes the history's place, as in `messages = trim(messages)` or in a framework's state.
    A prompt that the trimmer isn't given then is overhead.
    """
    records = client.records(thirty_turns())
    if reassign and client.prompt_unseen:
        prompt = open_instruments(settings).counter.count(to_messages(records[:1]))
        settings = settings.replace(overhead=settings.overhead + int(prompt.sum()))
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
                answer, said = entries if client.once else client.said([recorded]), False
            if reassign and client.once:
                entries = answer
            elif reassign:
                history = {name: server.requests[-1].get(name, "") for name in history}
                entries = history[client.holder]
            history = {**history, client.holder: [*entries, *([recorded] if client.once else answer)]}
            known = len(whole) + 1
            over.append(said)
        PROCESSES.clear()
        REPLIES.forget()
        return Played(server.requests, over, refused, records)


# -- what may differ: where a summary stands, and that turns alternate


def shown_to(client: Client, plan: HistoryPlan) -> list[Record]:
    """The request as replay shows it, in this client's API: a summary belongs to the prompt, a role has one turn."""
    records = rendered(plan)
    if client.holder == "input" and plan.summary:
        summary = next(m for m in records if m["role"] == "system" and m["content"] == plan.summary.text)
        records.remove(summary)
        leads = bool(records) and records[0]["content"] == plan.history.conversation[0].content
        records.insert(int(leads), summary)
    return in_turns(records) if client.path == "/v1/messages" else records


def received_by(client: Client, body: Body) -> list[Record]:
    """A body as chat messages, without the words that stand where Anthropic's API wants a user's."""
    records = [plain(record) for record in client.read(body)]
    return in_turns([r for r in records if r["content"] != LEFT_OUT]) if client.path == "/v1/messages" else records


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


# -- what a run shows


@dataclass(frozen=True)
class Judged:
    """Of so many requests: how many were what was wanted, refused, and over their budget without a word."""

    requests: int = 0
    equal: int = 0
    refused: int = 0
    unsaid: int = 0

    def __add__(self, other: Judged) -> Judged:
        return Judged(*(one + more for one, more in zip(astuple(self), astuple(other), strict=True)))


def shown(played: Played, settings: Settings, **given: Any) -> tuple[HistoryPlan, ...]:
    """What replay shows of the whole conversation."""
    return replay(Conversation(to_messages(played.records)), settings, **given).plans


def judged(client: Client, played: Played, plans: Sequence[HistoryPlan]) -> Judged:
    """Equal are the requests that replay shows."""
    pairs = list(zip(played.bodies, plans, strict=True))
    equal = sum(received_by(client, body) == shown_to(client, plan) for body, plan in pairs)
    over = [plan.over_budget or tokens_of(client, body, plan.history.counter) > plan.budget for body, plan in pairs]
    unsaid = sum(is_over and not said for is_over, said in zip(over, played.over_said, strict=True))
    return Judged(len(pairs), equal, len(played.refused), unsaid)


def judged_reassigned(client: Client, played: Played, settings: Settings) -> Judged:
    """Where what was sent takes the history's place: equal are the requests with one summary of ours at most.

    Beside it no system message may stand that the conversation hasn't.
    """
    given = {m["content"] for m in played.records if m["role"] == "system"}
    budget = plan_history(Conversation(to_messages(played.records)), settings).budget
    counter = open_instruments(settings).counter
    equal = unsaid = 0
    for body, said in zip(played.bodies, played.over_said, strict=True):
        read = to_messages(client.read(body))
        new = [m for m in read if m.role == "system" and m.content not in given]
        equal += len(new) <= 1 and all(read_summary(m, settings.summary_heading) for m in new)
        unsaid += not said and tokens_of(client, body, counter) > budget
    return Judged(len(played.bodies), equal, len(played.refused), unsaid)


def tokens_of(client: Client, body: Body, counter: Counter) -> int:
    """What a body counts, but for the mark of a summary in the instructions."""
    return int(counter.count(to_messages(client.read(body))).sum()) + counter.per_request
