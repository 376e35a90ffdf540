"""How long planning every request of a chat takes, what memory its plans add, and how both grow; with peers beside it.

    pip install -e ".[test]" && python benchmarks/replay.py [--sizes 10000 100000]

Each case is replayed in a process of its own (a fork, so on Linux or macOS) that has the chat loaded and counted;
memory is what the process has grown by at its largest. The peers trim the same requests to the same budget, one call of
`langchain_core.messages.trim_messages` each; runs that would take minutes are sampled at every k-th request, scaled,
and marked ≈. For relevance, every question is also scored the bare way: the same postings, those of its stems in all
texts before it, are added up and nothing is chosen. Reading the texts is included in both.
Read the ratios: machines differ, and so do two runs.
"""

from __future__ import annotations

import argparse
import gc
import multiprocessing
import resource
import subprocess
import sys
from collections import defaultdict
from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np
from limits import Watch, exponent
from measured import CASES, LANGCHAIN, LangChain, chat, conversation, heading, in_loads, number, row, spent

from historylab import generate, replay
from historylab.conversation.conversation import Conversation
from historylab.costs.bill import price
from historylab.costs.traffic import traffic
from historylab.counters.base import token_column
from historylab.planning.pipeline import open_instruments
from historylab.planning.replay import Timeline
from historylab.planning.validity import naive_validity, validity
from historylab.pricing import Prices
from historylab.recall.must_remember import track_must_remember
from historylab.recall.retention import retention
from historylab.recall.rules import track_rules
from historylab.relevance.words import split, stems

CHEAP = ("default (lastN 20)", "fifo 8k", "sliding_window", "adaptive", "pairs", "clear")
READ = ("default (lastN 20)", "fifo 8k, down to half", "sliding_window", "clear, fifo 8k")
TURNS = (100, 1000, 3000)  # of about ten messages
READ_EXPONENT, UNJUDGED = 1.15, 2.0  # between the first size and the last; milliseconds
RELEVANCE = "relevance"
SHARES = (0.1, 1, 10)  # of the first size, where every request ranks all before it
EXPONENT = 1.3  # of the time, between the first size and the last
LARGEST = 100_000  # messages, of which a replay takes at most
IN_LOADS, MEGABYTES = 400, 300  # 3 s in json.loads of 10,000 messages, and memory
TIMES = 20  # a replay by relevance takes at most so many times as long for ten times the messages
IMPORTED = 1.4  # `import historylab` beside a bare interpreter's start
MOST_SECONDS = 20.0  # a peer's run is sampled so that it takes about this long at most


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", type=int, nargs="+", default=[10_000, 100_000])
    sizes = parser.parse_args().sizes
    watch = Watch()
    added, bare = import_seconds()
    print(f"import historylab: {added * 1000:.0f} ms of CPU time, a bare interpreter {bare * 1000:.0f}")
    watch.judge("import historylab (beside a bare interpreter)", added / bare, IMPORTED)
    heading("replay: CPU s, MB added", *(f"{size:,} messages" for size in sizes))
    chats = {size: conversation(size) for size in sizes}
    counted(conversation(10))  # loads the tokenizer
    row("reading and counting it", *(number(spent(lambda s=s: counted(conversation(s))).cpu) for s in sizes))
    for source in chats.values():
        counted(source)
    for name in CHEAP:
        found = {size: apart(replayed, source, name) for size, source in chats.items()}
        row(name, *(", ".join(map(number, cell)) for cell in found.values()))
        judge(name, found, watch)
    row("pricing the first", *(number(apart(priced, source, CHEAP[0])[0]) for source in chats.values()))
    readers(watch)
    relevance(sizes, watch)
    peers(sizes[0])
    sys.exit(watch.exceeded)


def judge(name: str, found: Mapping[int, tuple[float, ...]], watch: Watch) -> None:
    """CPU seconds and megabytes of replays by their size."""
    first, last = min(found), max(found)
    if first < last:
        watch.judge(f"replay, {name}, exponent", exponent(found[last][0] / found[first][0], last / first), EXPONENT)
    if last == LARGEST:
        watch.judge(f"replay, {name}, {last:,} messages (in json.loads)", in_loads(found[last][0]), IN_LOADS)
        watch.judge(f"replay, {name}, {last:,} messages, MB", found[last][1], MEGABYTES)


def readers(watch: Watch) -> None:
    """Measure the questions asked of all requests of a coding agent's session: each on a timeline whose ranges are
    known, and all together on a new one."""
    chats = [generate("coding_agent", turns=turns, seed=1) for turns in TURNS]
    growth = len(chats[-1]) / len(chats[0])
    for name in READ:
        heading(f"{name}: CPU ms", *(f"{len(source):,} messages" for source in chats), "exponent")
        found: dict[str, list[float]] = defaultdict(list)
        for source in chats:
            replayed(source, name)
            for what, milliseconds in reading(source, name).items():
                found[what].append(milliseconds)
        for what, times in found.items():
            grown = exponent(max(times[-1], 1e-3) / max(times[0], 1e-3), growth)
            row(what, *map(number, times), number(grown))
            if times[-1] >= UNJUDGED:
                watch.judge(f"{what}, {name}, exponent", grown, READ_EXPONENT)


def reading(source: Conversation, name: str) -> dict[str, float]:
    """CPU milliseconds by reader, each the best of three."""
    instruments = open_instruments(CASES[name])
    marks = [len(source) * k // 15 for k in range(15)]
    asked: dict[str, Callable[[Timeline], object]] = {
        "retention": retention,
        "must-remember": lambda timeline: track_must_remember(timeline, marks),
        "rules": track_rules,
        "validity": validity,
        "naive validity": naive_validity,
        "tokens by kind": lambda timeline: timeline.tokens_by_kind,
        "block changes": lambda timeline: timeline.block_changes,
        "traffic": traffic,
    }

    def best(read: Callable[[Timeline], object], first: Callable[[Timeline], object]) -> float:
        times = []
        for _ in range(3):
            timeline = replay(source, CASES[name], instruments=instruments)
            first(timeline)
            gc.collect()
            times.append(spent(lambda timeline=timeline: read(timeline)).cpu * 1000)
        return min(times)

    found = {what: best(read, lambda timeline: timeline.shortened) for what, read in asked.items()}
    return found | {"all of them": best(lambda t: [read(t) for read in asked.values()], lambda _: None)}


def counted(source: Conversation) -> None:
    token_column(source, open_instruments(CASES["fifo 8k"]).counter)


def replayed(source: Conversation, name: str) -> tuple[float, ...]:
    """CPU seconds, and megabytes the process grew by."""
    instruments = open_instruments(CASES[name])
    gc.collect()
    before = resident()
    run = spent(lambda: replay(source, CASES[name], instruments=instruments))
    return run.cpu, max(0.0, largest() - before)


def priced(source: Conversation, name: str) -> tuple[float, ...]:
    timeline = replay(source, CASES[name])
    return (spent(lambda: price(traffic(timeline), Prices(input=4, output=20), "explicit").total).cpu,)


def relevance(sizes: list[int], watch: Watch) -> None:
    """Bare scoring grows with the square of the chat, so it is left out of the longest."""
    sizes = [int(sizes[0] * share) for share in SHARES]
    heading("relevance: CPU s, MB added", *(f"{size:,} messages" for size in sizes))
    chats = [conversation(size) for size in sizes]
    for source in chats:
        counted(source)
    bare_scores(conversation(10))  # loads the stemmer
    cells = [apart(replayed, source, RELEVANCE) for source in chats]
    bare = [apart(postings_summed, source, RELEVANCE)[0] for source in chats[:-1]]
    row("replay", *(", ".join(map(number, cell)) for cell in cells))
    times = cells[-1][0] / cells[-2][0]
    watch.judge("replay, relevance, ten times the messages", times, TIMES)
    row("a bare sum over the postings", *map(number, bare))
    row("ratio", *(number(cell[0] / sums) for cell, sums in zip(cells, bare, strict=False)))


def postings_summed(source: Conversation, name: str) -> tuple[float, ...]:
    """CPU seconds to read every text once, and to add up for each request what the stems of its question weigh."""
    return (spent(lambda: bare_scores(source)).cpu,)


def bare_scores(source: Conversation) -> float:
    postings: dict[str, list[int]] = defaultdict(list)
    texts = (" ".join([message.content, *(call.arguments for call in message.tool_calls)]) for message in source)
    words = [set(stems(split(text), "english")) for text in texts]
    for i, found in enumerate(words):
        for word in found:
            postings[word].append(i)
    arrays = {word: np.array(found) for word, found in postings.items()}
    total = 0.0
    users = source.columns.users
    for size in source.columns.requests.tolist():
        asked = int(users[int(source.columns.users_before[size]) - 1])
        scores = np.zeros(size)
        for word in words[asked]:
            held = arrays[word]
            held = held[: int(held.searchsorted(size))]
            np.add.at(scores, held, np.log1p(size / len(held)))
        total += scores.max()
    return total


def peers(size: int) -> None:
    """The same requests, each trimmed to 8,000 tokens: all of them, and among the last 20 user messages."""
    source = conversation(size)
    counted(source)
    heading(f"{len(source.columns.requests):,} requests, CPU s", "whole history", "last 20 user messages")
    settings = CASES["fifo 8k"], CASES["fifo 8k"].replace(policy="lastN", length=20)
    ours = [spent(lambda chosen=chosen: replay(source, chosen), 3).cpu for chosen in settings]
    row("replay", *map(number, ours))
    for how in LANGCHAIN:
        try:
            peer = LangChain(chat(size), how)
        except ImportError:
            row(f"LangChain, {how}", "not installed", "not installed")
            continue
        cells = [sampled(peer, source, last) for last in (None, 20)]
        row(
            f"LangChain, {how}",
            *(f"{mark}{number(s)} = {number(s / o)}×" for (s, mark), o in zip(cells, ours, strict=True)),
        )


def sampled(peer: LangChain, source: Conversation, last: int | None) -> tuple[float, str]:
    """CPU seconds of a peer for every request, and "≈" where it ran for some of them and is scaled."""
    sizes, users = source.columns.requests.tolist(), source.columns.users

    def request(size: int) -> None:
        before = users[: source.columns.users_before[size]]
        peer(size, int(before[-last]) if last and len(before) > last else 1)

    step = max(1, int(spent(lambda: request(sizes[-1])).cpu * len(sizes) / MOST_SECONDS))
    chosen = sizes[::step]
    return spent(lambda: [request(size) for size in chosen]).cpu * len(sizes) / len(chosen), "≈" if step > 1 else ""


# -- a process of its own


def apart(work: Callable[[Conversation, str], tuple[float, ...]], source: Conversation, name: str) -> tuple[float, ...]:
    """What the work returns in a fork of this process, whose memory starts as this one's."""
    context = multiprocessing.get_context("fork")
    results = context.SimpleQueue()
    process = context.Process(target=lambda: results.put(work(source, name)))
    process.start()
    found = results.get()
    process.join()
    return found


def resident() -> float:
    """Megabytes of this process now; at its largest where the system doesn't say."""
    pages = Path("/proc/self/statm")
    return int(pages.read_text().split()[1]) * resource.getpagesize() / 1e6 if pages.exists() else largest()


def largest() -> float:
    """Megabytes of this process at its largest."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024) / 1e6


def import_seconds() -> tuple[float, float]:
    """CPU seconds `import historylab` adds to a bare interpreter, and those of that."""

    def start(code: str) -> float:
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        for _ in range(5):
            subprocess.run([sys.executable, "-c", code], check=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime) / 5

    bare = min(start("pass") for _ in range(3))
    return min(start("import historylab") for _ in range(3)) - bare, bare


if __name__ == "__main__":
    main()
