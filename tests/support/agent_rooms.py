"""Stores of a room's messages, the prompt an agent is sent of them, and scripted summarisers and models."""

from __future__ import annotations

from datetime import UTC, datetime

from stored_messages import fill, ids, posted

from historylab.systems.toolpack import (
    AssemblerOptions,
    InMemoryConversationStore,
    StoredMessage,
    SummarizerOutput,
    assemble_prompt,
)

EVERYTHING = AssemblerOptions(addressed_only_mode=False)
ALICE = {"kind": "user", "id": "U1", "displayName": "Alice"}
NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)


def store_of(*lines: str | StoredMessage) -> InMemoryConversationStore:
    return fill(InMemoryConversationStore(), *(posted(x) if isinstance(x, str) else x for x in lines))


def prompt_of(store, options: AssemblerOptions | None = None, summarizer=None, agent: str = "kael") -> list[str]:
    """The prompt assembled for the agent, as lines "role: content"."""
    assembled = assemble_prompt(store, "room", agent, agent, options, summarizer, now=NOON)
    return [f"{message['role']}: {message['content']}" for message in assembled.messages]


def long_room(turns: int) -> InMemoryConversationStore:
    """Turns t0, t1, … of Alice and kael in turn, a minute apart."""
    lines = (f"{9 + k // 60:02}:{k % 60:02} {'(kael)' if k % 2 else 'alice'}: t{k}" for k in range(turns))
    return store_of(*lines)


def summarizer(text: str = "S", *, calls: list | None = None):
    def summarize(turns, **options):
        if calls is not None:
            calls.append((ids(turns), options))
        return SummarizerOutput(text, len(turns))

    return summarize


class Recorder:
    """A model that answers in order and keeps what it was sent."""

    def __init__(self, *answers: str):
        self.answers, self.sent, self.tools = list(answers) or ["answer"], [], []

    def __call__(self, messages, tools):
        self.sent.append(messages)
        self.tools.append(tools)
        return self.answers[min(len(self.sent), len(self.answers)) - 1]
