"""What a call of a Trimmer costs as a chat grows, and of `trim()`, in CPU milliseconds, beside peers in the same run.

    pip install -e ".[test]" && python benchmarks/trim.py [--sizes 10 100 1000 10000] [--calls 60] [--growing 1000]

A Trimmer is given a chat of so many messages once; then each call adds one answer and what follows it (a question, or
results of tools) to the caller's own list, and is measured. *Parsed* is the same list parsed anew before every call.
Where something is carried, the average is over as many calls as it takes until a summary was written. Then each store
has a chat that another process planned, and a new one goes on with it. Clock time stands
in brackets where it differs. Read the ratios: machines differ, and so do two runs.
"""

from __future__ import annotations

import argparse
import gc
import json
import logging
import sys
import tempfile
from collections.abc import Callable, Sequence
from itertools import islice
from operator import is_

from limits import Watch
from measured import (
    CARRIED,
    CASES,
    LANGCHAIN,
    ByHand,
    LangChain,
    Record,
    Spent,
    chat,
    heading,
    in_loads,
    number,
    row,
    spent,
)

from historylab import Conversation, Settings, Trimmer, replay, trim
from historylab.formats.messages.chat_messages import to_messages
from historylab.stores.base import open_store

A_CALL = 0.04  # of json.loads of 10,000 messages: 0.3 ms
DEARER = 0.13  # 1 ms: where a summary is written now and then, texts are scored, or messages are made anew
RESTARTED = {
    "default (lastN 20)": CASES["default (lastN 20)"],
    **{name: CASES[name] for name in (*CARRIED, "adaptive")},
    "rolling": Settings(compaction="rolling", pruner="off", policy="all"),
}
STORES = ("memory://", "sqlite:///{folder}/chats.db")
A_RESTART = 10.7  # of json.loads of 10,000 messages: 80 ms
MORE = 900  # messages that a chat still grows by
MOST_PARSED = 12  # calls that are measured with parsed messages


def requests_from(records: Sequence[Record], size: int) -> list[int]:
    """How many messages each request has, from the first with `size` of them on."""
    asked = Conversation(to_messages(records)).columns.requests.tolist()
    return [request for request in asked if request >= size]


def growing(records: Sequence[Record], sizes: Sequence[int], call: Callable[[list[Record]], object]) -> Spent:
    """The first call is not measured; then the caller's own list grows from request to request."""
    messages = list(records[: sizes[0]])
    call(messages)
    total = Spent()
    for size in sizes[1:]:
        messages += records[len(messages) : size]
        with total:
            call(messages)
    return total


def parsed(records: Sequence[Record], sizes: Sequence[int], call: Callable[[list[Record]], object]) -> Spent:
    """The same with dicts that are equal and never the same."""
    total = Spent()
    texts = (json.dumps(records[:size]) for size in sizes[: MOST_PARSED + 1])
    call(json.loads(next(texts)))
    for text in texts:
        messages = json.loads(text)
        with total:
            call(messages)
    return total


def floors(records: Sequence[Record], sizes: Sequence[int]) -> tuple[Spent, Spent]:
    """One pass over the list: whether it holds the same objects as the list before, and whether it holds equal ones."""
    before = list(records)
    same = growing(records, sizes, lambda now: all(map(is_, before, now)))
    return same, parsed(records, sizes, lambda now: now == before[: len(now)])


def once(records: Sequence[Record], sizes: Sequence[int], settings: Settings) -> Spent:
    """`trim()` of the caller's own growing list: nothing is kept for another call."""
    return growing(records, sizes, lambda now: trim(now, settings))


def per_call(sizes: Sequence[int], calls: int, watch: Watch) -> None:
    figures: dict[str, float] = {}
    chats = {size: chat(size + MORE) for size in sizes}
    gc.freeze()  # what is looked at by collections is what a call leaves, not the other chats
    asked = {size: requests_from(chats[size], size) for size in sizes}
    few = {size: list(islice(asked[size], calls + 1)) for size in sizes}
    heading("a Trimmer, ms a call", *(f"{size:,}" for size in sizes), "parsed", "trim() once")
    for name, settings in CASES.items():
        spans = asked if name in CARRIED else few
        found = [growing(chats[s], spans[s], Trimmer(settings).trim) for s in sizes]
        cells = [each.ms() for each in found]
        calls = {size: each.cpu / each.calls for size, each in zip(sizes, found, strict=True) if size >= 100}
        figures[name] = max(calls.values(), default=0.0)
        at = sizes[-1]
        again = parsed(chats[at], few[at], Trimmer(settings).trim)
        row(name, *cells, again.ms(), once(chats[at], few[at][: 2 if name in CARRIED else 9], settings).ms())
        gc.collect()
    for name, seconds in figures.items():
        plain = not name.startswith((*CARRIED[1:], "relevance", "a projection"))
        watch.judge(f"a Trimmer's call, {name} (in json.loads)", in_loads(seconds), A_CALL if plain else DEARER)
    floor = {size: floors(chats[size], few[size]) for size in sizes}
    row("floor: one pass over the list", *(floor[s][0].ms() for s in sizes), floor[sizes[-1]][1].ms(), "")
    row("a loop by hand that keeps counts", *(growing(chats[s], few[s], ByHand()).ms() for s in sizes), "", "")
    for how in LANGCHAIN:
        row(f"LangChain's trim_messages, {how}", *(of_langchain(chats[s], few[s], how) for s in sizes), "", "")


def of_langchain(records: Sequence[Record], sizes: Sequence[int], how: str) -> str:
    try:
        peer = LangChain(records, how)
    except ImportError:
        return "not installed"
    return growing(records, sizes[: MOST_PARSED + 1], lambda now: peer(len(now))).ms()


def whole_chat(size: int) -> None:
    """A chat that grows from nothing, request by request, beside one replay of all of it."""
    records = chat(size)
    heading(f"a chat growing to {size:,} messages", "CPU s", "one replay", "ratio")
    for name in CARRIED:
        trimmer = Trimmer(CASES[name])
        grown = growing(records, [1, *requests_from(records, 1)], trimmer.trim)
        shown = spent(lambda chosen=CASES[name]: replay(Conversation(to_messages(records)), chosen))
        row(name, number(grown.cpu), number(shown.cpu), number(grown.cpu / shown.cpu))


def restarts(size: int, watch: Watch) -> None:
    """The first call of a process on a chat that another one has planned, both with one store."""
    records = chat(size)
    heading(f"a restart at {size:,} messages, ms", "never seen", *(store.partition(":")[0] for store in STORES))
    for name, settings in RESTARTED.items():
        cells, slowest, before = list[str](), 0.0, Spent()
        for place in STORES:
            with tempfile.TemporaryDirectory() as folder:
                store = open_store(place.format(folder=folder))
                with Spent() as before:
                    Trimmer(settings, store=store).trim(records)
                again = spent(lambda s=settings, store=store: Trimmer(s, store=store).trim(records), 5)
                store.close()
            cells.append(again.ms())
            slowest = max(slowest, in_loads(again.cpu))
        row(name, before.ms(), *cells)
        watch.judge(f"a restart, {name} (in json.loads)", slowest, A_RESTART)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", type=int, nargs="+", default=[10, 100, 1000, 10_000])
    parser.add_argument("--calls", type=int, default=60)
    parser.add_argument("--growing", type=int, default=1000)
    arguments = parser.parse_args()
    logging.getLogger("historylab").addHandler(logging.NullHandler())
    watch = Watch()
    per_call(arguments.sizes, arguments.calls, watch)
    whole_chat(arguments.growing)
    restarts(arguments.sizes[-1], watch)
    sys.exit(watch.exceeded)


if __name__ == "__main__":
    main()
