"""The parts that `replay.py` and `trim.py` share: a generated chat, settings to try, CPU time beside wall time and
another measure of it, and the peers."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from time import perf_counter, process_time
from typing import Any

from historylab import Settings
from historylab.conversation.conversation import Conversation
from historylab.counters.base import token_column
from historylab.formats.messages.chat_messages import to_messages
from historylab.planning.pipeline import open_instruments

Record = dict[str, Any]
BUDGET = 8000
TO_8K = {"policy": "all", "budget": BUDGET}
IN_32K = {"policy": "all", "window": 32_000}
CASES: Mapping[str, Settings] = {
    "default (lastN 20)": Settings(),
    "fifo 8k": Settings(pruner="fifo", **TO_8K),
    "fifo 8k, down to half": Settings(pruner="fifo", **{"pruner.fifo.trim_to": 0.5}, **TO_8K),
    "sliding_window": Settings(pruner="sliding_window", policy="all"),
    "adaptive": Settings(pruner="adaptive", **TO_8K),
    "pairs": Settings(pruner="pairs", policy="all"),
    "clear": Settings(tool_output="clear", pruner="off", policy="all"),
    "clear, fifo 8k": Settings(tool_output="clear", pruner="fifo", **TO_8K),
    "relevance": Settings(pruner="relevance", **TO_8K),
    "at_threshold, window 32k": Settings(compaction="at_threshold", **IN_32K),
    "summarize 8k": Settings(pruner="summarize", **TO_8K),
    "tool results cut short": Settings(tool_output="truncate", **{"tool_output.truncate.limit": 20}, **TO_8K),
    "a projection that rewrites": Settings(projection="collapsed_tools", **TO_8K),
}
CARRIED = ("fifo 8k, down to half", "at_threshold, window 32k", "summarize 8k")
"""Cases whose cuts or summaries are carried from one request to the next."""


@dataclass
class Spent:
    """Seconds of this process and by the clock, added up over `with` blocks."""

    cpu: float = 0.0
    wall: float = 0.0
    calls: int = 0

    def __enter__(self) -> Spent:
        self._cpu, self._wall = process_time(), perf_counter()
        return self

    def __exit__(self, *_: object) -> None:
        self.cpu += process_time() - self._cpu
        self.wall += perf_counter() - self._wall
        self.calls += 1

    def ms(self) -> str:
        """Milliseconds a block: CPU, and the clock's in brackets where another tenth passed."""
        cpu, wall = self.cpu / self.calls * 1e3, self.wall / self.calls * 1e3
        return number(cpu) + (f" ({number(wall)})" if wall > 1.1 * cpu + 0.01 else "")


def spent(work: Callable[[], object], times: int = 1) -> Spent:
    """Of the fastest of several runs."""
    runs = []
    for _ in range(times):
        with Spent() as run:
            work()
        runs.append(run)
    return min(runs, key=lambda run: run.cpu)


def in_loads(seconds: float) -> float:
    """As many times as `json.loads` of a chat of 10,000 messages takes just now: 7.5 ms where limits were set."""
    return seconds / spent(lambda: json.loads(LOADED), 3).cpu


def number(value: float) -> str:
    """Three digits that count."""
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def row(first: str, *cells: str) -> None:
    """A line of a Markdown table."""
    print(f"| {first} |", *(f"{cell} |" for cell in cells), flush=True)


def heading(first: str, *cells: str) -> None:
    print()
    row(first, *cells)
    row("---", *("---" for _ in cells))


def chat(size: int) -> list[Record]:
    """A tool-using chat of about `size` dicts of 50 words, a question last; every third turn has two calls."""
    records: list[Record] = [{"role": "system", "content": "You are a careful assistant. " * 20}]
    turn = 0
    while len(records) < size:
        records.append(
            {"role": "user", "content": f"Question {turn}: " + f"what about item {turn * 7919 % 10007}? " * 8}
        )
        if turn % 3 == 0:
            calls = [
                {
                    "id": f"c{turn}_{j}",
                    "type": "function",
                    "function": {"name": "look_up", "arguments": f'{{"item": {turn * 31 + j}}}'},
                }
                for j in range(2)
            ]
            records.append({"role": "assistant", "content": None, "tool_calls": calls})
            records += [{"role": "tool", "tool_call_id": c["id"], "content": f"record {turn} " * 20} for c in calls]
        records.append(
            {"role": "assistant", "content": f"Answer {turn}: " + f"item {turn} is in aisle {turn % 41}. " * 8}
        )
        turn += 1
    return records[:-1]


def conversation(size: int) -> Conversation:
    return Conversation(to_messages(chat(size)))


LOADED = json.dumps(chat(10_000))


# -- the peers


class ByHand:
    """What an application writes itself: counts kept beside the messages, the newest that fit, a user message first."""

    def __init__(self) -> None:
        self.counter = open_instruments(CASES["fifo 8k"]).counter
        self.counts: list[int] = []

    def __call__(self, messages: Sequence[Record]) -> list[Record]:
        if new := messages[len(self.counts) :]:
            self.counts += self.counter.count(to_messages(new)).tolist()
        room, first = BUDGET - self.counts[0], len(messages)
        while first > 1 and self.counts[first - 1] <= room:
            first -= 1
            room -= self.counts[first]
        while first < len(messages) and messages[first]["role"] != "user":
            first += 1
        return [messages[0], *messages[first:]]


class LangChain:
    """`langchain_core.messages.trim_messages`: our counter, exact at every call or with counts kept, or its guess."""

    def __init__(self, records: Sequence[Record], how: str, settings: Settings = CASES["fifo 8k"]) -> None:
        from langchain_core.messages import convert_to_messages
        from langchain_core.messages.utils import count_tokens_approximately

        self.messages, ours = convert_to_messages(list(records)), to_messages(records)
        counter = open_instruments(settings).counter
        original = {id(m): message for m, message in zip(self.messages, ours, strict=True)}
        kept = {}
        if how == "counts kept":
            column = token_column(Conversation(ours), counter)
            kept = {id(m): int(n) for m, n in zip(self.messages, column, strict=True)}
        self.count: Callable[[Any], int] = {
            "exact": lambda found: int(counter.count([original[id(m)] for m in found]).sum()),
            "counts kept": lambda found: sum(kept[id(m)] for m in found),
            "approximate": count_tokens_approximately,
        }[how]

    def __call__(self, size: int, start: int = 1) -> object:
        from langchain_core.messages import trim_messages

        return trim_messages(
            [self.messages[0], *self.messages[start:size]],
            max_tokens=BUDGET,
            strategy="last",
            token_counter=self.count,
            include_system=True,
            start_on="human",
        )


LANGCHAIN = ("exact", "counts kept", "approximate")
