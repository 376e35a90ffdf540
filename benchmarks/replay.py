"""How long planning and pricing every request takes, compared with the library most applications use for planning one.

    pip install -e ".[bench]" && python benchmarks/replay.py [--sizes 100 1000 10000]

Each conversation is generated with tool calls, tokenised, and replayed twice to a budget of 8,000 tokens: over the
whole history (a lastN that never binds + fifo), and over the last 20 user messages (lastN 20 + fifo). The peer gets
the same messages and the same exact counter and does the same work for every request: the same slice, if any, then
`langchain_core.messages.trim_messages`. It runs twice: counting on every call (as it is used) and with all counts
cached (its best case). Runs that would take minutes are sampled at every k-th request, scaled, and marked ≈. Read the
ratios: machines differ, and so do two runs.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from collections.abc import Callable
from time import perf_counter

from historylab import Settings, replay
from historylab.conversation.conversation import Conversation
from historylab.conversation.message import Message, ToolCall
from historylab.costs.bill import price
from historylab.costs.traffic import traffic
from historylab.counters.base import token_column
from historylab.formats.messages.chat_messages import to_record
from historylab.planning.pipeline import open_instruments
from historylab.pricing import Prices

WHOLE = Settings(policy="lastN", length=1_000_000, pruner="fifo", budget=8000)
LAST_20 = WHOLE.replace(length=20)
MOST_SECONDS = 20.0  # a peer's run is sampled so that it takes about this long at most


def conversation(size: int) -> Conversation:
    """A tool-using conversation of about `size` messages of 50 words; every third turn has two calls."""
    messages = [Message("system", "You are a careful assistant. " * 20)]
    turn = 0
    while len(messages) < size:
        messages.append(Message("user", f"Question {turn}: " + f"what about item {turn * 7919 % 10007}? " * 8))
        if turn % 3 == 0:
            calls = tuple(ToolCall(f"c{turn}_{j}", "look_up", f'{{"item": {turn * 31 + j}}}') for j in range(2))
            messages.append(Message("assistant", "", tool_calls=calls))
            messages += [Message("tool", f"record {turn} " * 20, tool_call_id=c.id) for c in calls]
        messages.append(Message("assistant", f"Answer {turn}: " + f"item {turn} is in aisle {turn % 41}. " * 8))
        turn += 1
    return Conversation(messages[:-1] if messages[-1].role == "assistant" else messages)


def best_of(work: Callable[[], object], times: int = 5) -> float:
    """Seconds of the fastest of several runs."""
    seconds = []
    for _ in range(times):
        start = perf_counter()
        work()
        seconds.append(perf_counter() - start)
    return min(seconds)


def tokenising(source: Conversation) -> float:
    """Seconds to count every message once."""
    counter = open_instruments(WHOLE).counter
    return best_of(lambda: token_column(Conversation(source.messages), counter))


def replaying(source: Conversation, settings: Settings) -> float:
    """Seconds to plan every request, tokenising not included."""
    instruments = open_instruments(settings)
    token_column(source, instruments.counter)
    return best_of(lambda: replay(source, settings, instruments=instruments))


def pricing(source: Conversation, settings: Settings) -> float:
    """Seconds to price every request of a finished replay."""
    instruments = open_instruments(settings)
    timelines = iter(
        [replay(source, settings, instruments=instruments) for _ in range(5)]
    )  # each remembers its traffic
    return best_of(lambda: price(traffic(next(timelines)), Prices(input=4, output=20), "explicit").total)


def langchain(source: Conversation, settings: Settings, *, remembered: bool) -> tuple[float, bool]:
    """Seconds LangChain takes for the same requests, and whether they were sampled and scaled."""
    from langchain_core.messages import convert_to_messages, trim_messages

    counter = open_instruments(settings).counter
    messages = convert_to_messages([to_record(m) for m in source])
    original = {id(m): ours for m, ours in zip(messages, source, strict=True)}
    column = {id(m): int(n) for m, n in zip(messages, token_column(source, counter), strict=True)}

    def count(found: list) -> int:
        if remembered:
            return sum(column[id(m)] for m in found)
        return int(counter.count([original[id(m)] for m in found]).sum())

    def request(size: int) -> None:
        users = source.columns.users[: source.columns.users_before[size]]
        start = int(users[-settings.length]) if len(users) > settings.length else 1
        trim_messages(
            [messages[0], *messages[start:size]],
            max_tokens=settings.budget,
            strategy="last",
            token_counter=count,
            include_system=True,
            start_on="human",
        )

    return sampled(request, source.columns.requests.tolist())


def sampled(request: Callable[[int], None], sizes: list[int]) -> tuple[float, bool]:
    """Run as many evenly spread requests as time allows; scale to all of them."""
    start = perf_counter()
    request(sizes[-1])
    step = max(1, int((perf_counter() - start) * len(sizes) / MOST_SECONDS))
    chosen = sizes[::step]
    start = perf_counter()
    for size in chosen:
        request(size)
    return (perf_counter() - start) * len(sizes) / len(chosen), step > 1


def import_seconds() -> float:
    """Seconds `import historylab` adds to a bare interpreter."""

    def start(code: str) -> float:
        return best_of(lambda: subprocess.run([sys.executable, "-c", code], check=True), 7)

    return start("import historylab") - start("pass")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--sizes", type=int, nargs="+", default=[100, 1000, 10_000])
    sizes = parser.parse_args().sizes
    print(f"import historylab: {import_seconds() * 1000:.0f} ms\n")
    columns = "replay      a request  pricing     LangChain        counts remembered"
    print("messages  requests  tokenise   work              " + columns)
    for size in sizes:
        source = conversation(size)
        head = f"{len(source):8,}  {len(source.columns.requests):8,}  {tokenising(source) * 1e3:6.1f} ms"
        for name, settings in (("whole history", WHOLE), ("last 20 users", LAST_20)):
            print(f"{head}  {name}  {row(source, settings)}")
            head = " " * len(head)


def row(source: Conversation, settings: Settings) -> str:
    seconds = replaying(source, settings)
    per_request = seconds / len(source.columns.requests)
    peers = (peer(source, settings, seconds, remembered) for remembered in (False, True))
    bill = pricing(source, settings)
    return f"{seconds * 1e3:8.1f} ms {per_request * 1e6:8.1f} µs {bill * 1e3:8.1f} ms" + "".join(peers)


def peer(source: Conversation, settings: Settings, seconds: float, remembered: bool) -> str:
    try:
        theirs, scaled = langchain(source, settings, remembered=remembered)
    except ImportError:
        return "   not installed"
    return f"  {('≈' if scaled else '') + f'{theirs:.2f}':>8} s ={theirs / seconds:6,.0f}×"


if __name__ == "__main__":
    main()
