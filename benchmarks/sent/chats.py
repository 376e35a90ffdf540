"""Chats of which the whole history is known, as Chat Completions messages: generated ones, and those of transcripts."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from historylab import Conversation, Message, ToolCall, generate, load
from historylab.errors import LoadError
from historylab.formats.messages.chat_messages import to_record

Record = dict[str, Any]
MOST_REQUESTS, MOST_OF_A_TRANSCRIPT = 60, 30
SHORT = ("ok", "continue", "yes", "ok")
STATUS = "On branch main\nnothing to commit, working tree clean"


@dataclass(frozen=True)
class Chat:
    """A whole history; `asked`: its length at each request, of which the message at that place is the answer.

    `generated`: it is no transcript.
    """

    name: str
    records: Sequence[Record]
    asked: Sequence[int]
    generated: bool = True

    @property
    def tokens(self) -> int:
        """Its size, a token per four characters."""
        return sum(map(size_of, self.records))


def size_of(record: Record) -> int:
    """Tokens of a message, one per four characters."""
    return len(json.dumps(record, ensure_ascii=False)) // 4


def generated(seeds: Sequence[int], turns: int) -> Iterator[Chat]:
    """A chat of each generator per seed, and those with tools once more with messages that are equal."""
    tools = {"output_lines": 8, "calls": 3}
    for seed in seeds:
        for name, options in (
            ("planted_facts", {"turns": turns}),
            ("support_desk", {"turns": turns}),
            ("multilingual", {"turns": turns}),
            ("room", {"turns": turns}),
            ("coding_agent", {"turns": max(3, turns // 2), **tools}),
            ("tool_loop", {"turns": max(2, turns // 8), "rounds": 8, **tools}),
        ):
            made = generate(name, seed=seed, **options)
            yield chat_of(made, f"{name} {seed}")
            if name in {"support_desk", "coding_agent"}:
                yield chat_of(Conversation(_with_equal_messages(made)), f"{name} {seed}, equal messages")


def transcripts(paths: Sequence[Path]) -> Iterator[Chat]:
    """The conversations of files that have more than a few requests; each once, as files bring their neighbours."""
    seen = set[str]()
    for path in paths:
        with suppress(LoadError):
            for k, conversation in enumerate(load(path)):
                chat = chat_of(conversation, f"{path.stem[:12]}#{k}", MOST_OF_A_TRANSCRIPT)
                text = json.dumps(chat.records)
                if len(chat.asked) >= 4 and text not in seen:
                    seen.add(text)
                    yield replace(chat, generated=False)


def chat_of(conversation: Conversation, name: str, most: int = MOST_REQUESTS) -> Chat:
    """The conversation up to its last answer, or as many requests as are enough."""
    said = [to_record(m) for m in conversation if m.content or m.tool_calls or m.role == "tool"]
    asked = [
        at for at in range(1, len(said)) if said[at]["role"] == "assistant" and said[at - 1]["role"] in ("user", "tool")
    ]
    asked = asked[:most]
    return Chat(name, said[: asked[-1] + 1] if asked else [], asked)


def _with_equal_messages(conversation: Conversation) -> Iterator[Message]:
    """The same with a user who says little, and an agent that looks at the same status again and again."""
    users = 0
    for message in conversation:
        if message.role != "user":
            yield message
            continue
        users += 1
        yield Message("user", SHORT[users % len(SHORT)]) if users % 3 else message
        if users % 2:
            call = ToolCall(f"status_{users}", "bash", json.dumps({"command": "git status"}))
            yield Message("assistant", "", tool_calls=(call,))
            yield Message("tool", STATUS, tool_call_id=call.id)
