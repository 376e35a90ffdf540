"""How long sweeps take, as ratios within one run: by settings, requests, pruner, memory and processes.

    python benchmarks/sweep.py [--processes] [--dask]

48 settings over one conversation of 1,000 messages with tool calls on one core, and over 60 short chats; growth with
the number of settings, with requests up to 10,000 messages, and per pruner; memory of a replay of 10,000 messages; two
processes against one on a job of more than 20 seconds; two Dask workers over TCP against both. Times are the best
of several runs. Read the ratios: machines differ, and so do two runs. `sweep_parts.py` has sweeps into files.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from functools import partial
from math import ceil
from time import perf_counter, process_time

from limits import Watch
from measured import in_loads
from pandas.testing import assert_frame_equal

from historylab import Conversation, Settings, generate, grid, replay, retention, sweep
from historylab.costs.traffic import traffic
from historylab.registry import members
from historylab.tuning.measures import measure
from historylab.tuning.replayed import MeasureOptions

CHEAP = {"budget": [2000, 4000, 8000, 16_000, 32_000, 64_000], "pruner": ["fifo", "sliding_window"]}
WHOLE = Settings(policy="all", pruner="fifo", budget=8000)
DEFAULT = Settings()
IN_LOADS = 133  # 1 s in json.loads of 10,000 messages, which take 7.5 ms where nothing else runs
ROWS_IN_LOADS = 47  # 0.35 ms a row
WATCH = Watch()
ROUNDS = 3
LEAST_SECONDS = 20.0  # of the distributed job: a shorter one would measure process startup


def tool_conversation(messages: int, seed: int = 0) -> Conversation:
    """At most so many messages of a coding agent at work, ending in a user message."""
    made = generate("coding_agent", turns=max(2, messages // 9), seed=seed)
    users = made.columns.users
    return Conversation(made.messages[: users[users < messages][-1] + 1], made.title)


def many_settings(kind: str) -> list[Settings]:
    """48 settings: pruners that cut at every turn with tool outputs; or a quarter each that summarise and rank."""
    if kind == "cuts":
        return grid(WHOLE, **CHEAP, tool_output=["off", "clear", "truncate", "collapse"])
    pruners = ["fifo", "sliding_window", "summarize", "relevance"]
    return grid(WHOLE, budget=[4000, 8000, 16_000, 32_000], pruner=pruners, tool_output=["off", "clear", "truncate"])


def seconds(work: Callable[[], object], clock: Callable[[], float] = process_time, runs: int = 1) -> float:
    """Seconds of the fastest of several runs."""
    found = []
    for _ in range(runs):
        start = clock()
        work()
        found.append(clock() - start)
    return min(found)


def forty_eight() -> None:
    print("\n48 settings × 1 conversation of 1,000 messages, tokenising included, seconds of one core")
    for kind in ("cuts", "mixed"):
        settings, chat = many_settings(kind), tool_conversation(1000)
        assert len(settings) == 48
        took = seconds(lambda chat=chat, settings=settings: sweep(fresh([chat]), settings), runs=3)
        print(f"  {kind:6} {took:6.2f} s, {took / 48 * 1e3:.0f} ms a row of {len(chat.columns.requests)} requests")
        if kind == "cuts":
            WATCH.judge("48 settings × 1,000 messages (json.loads of 10,000)", in_loads(took), IN_LOADS)


def short_chats() -> None:
    """48 settings that cut, over chats of 32 messages on average: a desk's and a coding agent's in turns."""
    chats = [generate(("support_desk", "coding_agent")[n % 2], turns=(9, 4)[n % 2], seed=n) for n in range(60)]
    cuts = {"budget": [500, 1000, 2000, 4000], "pruner": ["off", "fifo", "sliding_window", "adaptive"]}
    settings = grid(WHOLE, **cuts, tool_output=["off", "clear", "truncate"])
    took = seconds(lambda: sweep(fresh(chats), settings), runs=5)
    some = chats[:6]
    replays = seconds(lambda: [measure(replay(c, s), MeasureOptions()) for c in fresh(some) for s in settings], runs=3)
    a_row, a_replayed = took / len(chats) / 48, replays / len(some) / 48
    mean = sum(map(len, chats)) / len(chats)
    print(f"\n48 settings × {len(chats)} chats of {mean:.0f} messages on average, all included")
    print(
        f"  {a_row * 1e3:.2f} ms a row; by a replay each {a_replayed * 1e3:.2f}, {a_replayed / a_row:.1f} times as long"
    )
    WATCH.judge("1,000 rows over short chats (json.loads of 10,000)", in_loads(a_row * 1000), ROWS_IN_LOADS)


def growth() -> None:
    print("\ngrowth with settings (1,000 messages)                      ÷ the line before")
    chat = tool_conversation(1000)
    sweep(chat, [WHOLE])
    counts = (6, 12, 24, 48)
    table([(n, seconds(lambda n=n: sweep(chat, many_settings("cuts")[:n]), runs=3)) for n in counts], "settings")
    print("\ngrowth with messages (1 settings: replay, retention, traffic; tokenising not included)")
    rows = []
    for size in (625, 1250, 2500, 5000, 10_000):
        chat = tool_conversation(size)
        replay(chat, WHOLE)
        rows.append((len(chat), seconds(lambda chat=chat: measured(chat), runs=5)))
    table(rows, "messages")


def by_pruner() -> None:
    print("\nreplay alone under each pruner, budget 8,000: ms at 1,000 and 10,000 messages, and by how much it grows")
    small, large = tool_conversation(1000), tool_conversation(10_000)
    choices = {"lastN 20 + fifo (default)": DEFAULT, **{name: WHOLE.replace(pruner=name) for name in members("pruner")}}
    for name, settings in choices.items():
        first, second = (replayed(chat, settings) for chat in (small, large))
        print(f"  {name:26} {first * 1e3:7.1f} {second * 1e3:9.1f}  {second / first:5.1f}×")


def replayed(chat: Conversation, settings: Settings) -> float:
    """Seconds of a replay after another one, under other settings, has counted and indexed the messages."""
    replay(chat, settings.replace(budget=settings.budget + 1))
    return seconds(lambda: replay(chat, settings), runs=3)


def measured(chat: Conversation) -> None:
    timeline = replay(chat, WHOLE)
    retention(timeline)
    traffic(timeline)


def table(rows: Sequence[tuple[int, float]], of: str) -> None:
    before = None
    for size, took in rows:
        ratio = f"{size / before[0]:.1f}× the {of}: {took / before[1]:.2f}× the time" if before else ""
        print(f"  {size:7,} {of} {took:7.3f} s  {took / size * 1e3:7.3f} ms each  {ratio}")
        before = (size, took)


def memory() -> None:
    """Peak memory of a replay, in a process of its own; skipped where there is no /proc."""
    if not os.path.exists("/proc/self/status"):
        return
    code = (
        "from historylab import Conversation, Settings, generate, replay, retention\n"
        "from historylab.costs.traffic import traffic\n"
        "def peak(): return int(open('/proc/self/status').read().split('VmHWM:')[1].split()[0]) // 1024\n"
        "chat = Conversation(generate('coding_agent', turns=1111).messages[:10_000]); before = peak()\n"
        "kept = replay(chat, Settings(policy='all', budget=8000)); after = peak(); retention(kept); traffic(kept)\n"
        "print(before, after, peak(), len(kept.plans))"
    )
    env = {**os.environ, "PYTHONPATH": os.getcwd()}
    told = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True, check=True).stdout
    before, after, end, requests = told.split()
    print(f"\nmemory of a replay of 10,000 messages ({requests} requests), MB of the whole process at its largest")
    print(f"  conversation {before}, with its replay {after}, with retention and traffic {end}")


def processes(dask: bool) -> None:
    chats = [tool_conversation(1000, seed) for seed in range(4)]
    once = seconds(lambda: sweep(fresh(chats[:1]), many_settings("mixed")), perf_counter, runs=2)
    settings = many_settings("mixed") * ceil(LEAST_SECONDS / (once * len(chats)))
    settings = [s.replace(budget=s.budget + k) for k, s in enumerate(settings)]  # no two alike, so nothing is reused
    print(f"\n{len(chats)} conversations × {len(settings)} settings, seconds on the wall")
    tables = {}
    took: dict[int, list[float]] = {1: [], 2: []}

    def run(many: int) -> None:
        tables[many] = sweep(fresh(chats), settings, workers=many)

    for _ in range(ROUNDS):  # alternating, so that a slowdown of the machine affects both
        for many, found in took.items():
            found.append(seconds(partial(run, many), perf_counter))
        assert_frame_equal(tables[1], tables[2])
        print(f"  in this process {took[1][-1]:.1f}, two processes {took[2][-1]:.1f}, identical tables")
    one, two = min(took[1]), min(took[2])
    print(f"  the fastest of each: {one:.1f} and {two:.1f}, {one / two:.2f}×")
    if dask:
        print(f"  two Dask workers over TCP {on_dask(fresh(chats), settings, tables[1]):.1f}, identical table")


def fresh(chats: Sequence[Conversation]) -> list[Conversation]:
    """The same conversations without anything they remember."""
    return [Conversation(chat.messages, chat.title) for chat in chats]


def on_dask(chats: Sequence[Conversation], settings: Sequence[Settings], expected: object) -> float:
    from distributed import Client, LocalCluster

    cluster = LocalCluster(2, threads_per_worker=1, processes=True, protocol="tcp://", dashboard_address=None)
    with cluster, Client(cluster) as client, client.get_executor() as executor:
        start = perf_counter()
        assert_frame_equal(sweep(chats, settings, executor=executor, workers=2), expected)
        return perf_counter() - start


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--processes", action="store_true", help="also two processes against one (minutes)")
    parser.add_argument("--dask", action="store_true", help="also a Dask cluster (needs historylab[cluster])")
    arguments = parser.parse_args()
    forty_eight()
    short_chats()
    growth()
    by_pruner()
    memory()
    if arguments.processes or arguments.dask:
        processes(arguments.dask)
    sys.exit(WATCH.exceeded)


if __name__ == "__main__":
    main()
