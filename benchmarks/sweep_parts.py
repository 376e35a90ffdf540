"""The cost of a sweep into a file: to the process that asks for it, and to all of them after a stop or a lost worker.

    python benchmarks/sweep_parts.py [--dask] [--rows 1000 10000 50000] [--merge]

48 settings over generated chats of about 32 messages in one JSON Lines file, by two processes or two Dask workers over
TCP: CPU and memory of the client and bytes of the parts by the number of rows, and their slope; then a worker is killed
(SIGKILL), or the client stopped (SIGTERM) and started again, in the middle. CPU seconds, of two cores shared with
whatever else runs. `--merge` has the client's own work at the end alone. Each limit is printed as kept or EXCEEDED.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

from pyarrow import parquet

from historylab import Settings, generate, grid
from historylab.costs.caches.base import all_caches
from historylab.formats.messages.chat_messages import to_record
from historylab.tuning.lanes import measure_lanes
from historylab.tuning.parts import Done, PartRows, make_part, write_part
from historylab.tuning.replayed import MeasureOptions
from historylab.tuning.sweep import Sweep
from historylab.tuning.table import write_tables

CLIENT = """
import json, sys, time
from historylab import Settings, grid
from historylab.cli.progress import interruptible
from historylab.tuning.replayed import MeasureOptions
from historylab.tuning.sweep import Sweep

def peak(): return int(open('/proc/self/status').read().split('VmHWM:')[1].split()[0]) / 1024

if __name__ == "__main__":
    path, out, address = sys.argv[1:]
    executor = None
    if address:
        from distributed import Client
        executor = Client(address).get_executor()
    axes = {"budget": [1000, 2000, 4000, 8000], "pruner": ["fifo", "sliding_window", "adaptive", "off"]}
    candidates = grid(Settings(policy="all"), **axes, tool_output=["off", "clear", "truncate"])
    first = []
    with interruptible() as stopped:
        work = Sweep(path, candidates, MeasureOptions(), 2, executor, cancelled=stopped)
        ledger = work.ledger(out)
        before, cpu, start = peak(), time.process_time(), time.monotonic()
        swept = work.write(ledger, out, lambda now: first or first.append(time.monotonic() - start))
    told = {"rows": swept.rows, "before": swept.before, "cpu": time.process_time() - cpu, "mb": peak() - before,
            "start": before, "first": first[0] if first else 0.0}
    print(json.dumps(told))
"""
SETTINGS = 48
LIMITS = {"µs of the client, a row more": 30.0, "bytes of the parts, a row more": 60.0, "MB the client grows": 60.0}
SECONDS = 1.0  # of each worker's work that may be done again


def limit(name: str, value: float, most: float) -> None:
    print(f"  {name:44} {value:8.1f}  (at most {most:g}: {'kept' if value <= most else 'EXCEEDED'})")


def write_chats(path: str, many: int) -> None:
    with open(path, "w", encoding="utf-8") as file:
        for n in range(many):
            chat = generate("coding_agent", turns=3 + n % 3, seed=n)
            file.write(json.dumps({"title": chat.title, "messages": [to_record(m) for m in chat]}) + "\n")


class Engine:
    """Two workers: processes of the client's own, or of a Dask cluster, whose CPU is asked for."""

    def __init__(self, cluster: Any = None, client: Any = None):
        self.address, self._client = cluster.scheduler_address if cluster else "", client

    def cpu(self) -> float:
        """CPU seconds of workers so far; of a client's own processes, those that have ended."""
        if self._client:
            return float(sum(self._client.run(time.process_time).values()))
        found = os.times()
        return found.children_user + found.children_system

    def pids(self, client: int) -> list[int]:
        if self._client:
            return [int(pid) for pid in self._client.run(os.getpid).values()]
        return workers_of(client)


def workers_of(client: int) -> list[int]:
    """The processes of a pool: children of the client that don't keep track of semaphores."""
    found = []
    for pid in Path(f"/proc/{client}/task/{client}/children").read_text().split():
        if b"spawn_main" in Path(f"/proc/{pid}/cmdline").read_bytes():
            found.append(int(pid))
    return found


@contextlib.contextmanager
def opened(dask: bool) -> Iterator[Engine]:
    if not dask:
        yield Engine()
        return
    from distributed import Client, LocalCluster

    cluster = LocalCluster(2, threads_per_worker=1, processes=True, protocol="tcp://", dashboard_address=None)
    with cluster, Client(cluster) as client:
        yield Engine(cluster, client)


def start(path: str, out: str, engine: Engine) -> subprocess.Popen[str]:
    code = Path(path).with_name("client.py")
    code.write_text(CLIENT, encoding="utf-8")
    env = {**os.environ, "PYTHONPATH": os.getcwd()}
    command = [sys.executable, str(code), path, out, engine.address]
    return subprocess.Popen(command, env=env, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)


def ended(process: subprocess.Popen[str]) -> dict[str, float]:
    said, _ = process.communicate()
    return dict(json.loads(said.splitlines()[-1]))


def parts(out: str) -> tuple[int, int]:
    """Rows and bytes of the parts of a table."""
    found = list(Path(f"{out}.parts").glob("*.parquet"))
    return sum(parquet.read_metadata(one).num_rows for one in found), sum(one.stat().st_size for one in found)


def by_rows(folder: str, rows: Sequence[int], engine: Engine) -> None:
    seen = []
    for most in rows:
        path, out = f"{folder}/{most}.jsonl", f"{folder}/{most}.parquet"
        write_chats(path, max(1, most // SETTINGS))
        told, size = ended(start(path, out, engine)), parts(out)[1]
        seen.append((told["rows"], told["cpu"], size))
        print(
            f"  {told['rows']:7,.0f} rows: client {told['cpu']:.2f} CPU s, {told['start']:.0f} MB + {told['mb']:.0f}; "
            f"{size / told['rows']:.0f} B a row in parts; table {os.path.getsize(out) / told['rows']:.0f} B a row; "
            f"first rows after {told['first']:.1f} s on the wall",
            flush=True,
        )
    (few, less, small), (many, more, large) = seen[-2:]
    values = ((more - less) / (many - few) * 1e6, (large - small) / (many - few), told["mb"])
    for (name, allowed), value in zip(LIMITS.items(), values, strict=True):
        limit(name, value, allowed)


def merged(folder: str, rows: int, at_once: int = 620) -> None:
    """The client's own work without workers: the table of rows that a few chats gave, in parts of a second each."""
    path, out = f"{folder}/merged.jsonl", f"{folder}/merged.parquet"
    write_chats(path, rows // SETTINGS)
    axes: dict[str, list[Any]] = {
        "budget": [1000, 2000, 4000, 8000],
        "pruner": ["fifo", "sliding_window", "adaptive", "off"],
    }
    lanes = grid(Settings(policy="all"), **axes, tool_output=["off", "clear", "truncate"])
    chats = [generate("coding_agent", turns=3 + n % 3, seed=n) for n in range(12)]
    found = [list(measure_lanes(chat, lanes, MeasureOptions())) for chat in chats]
    ledger = Sweep(path, lanes, MeasureOptions()).ledger(out)
    todo, names = ledger.todo(), dict(enumerate(ledger.sources))
    each = rows // SETTINGS // len(todo)
    every = (
        Done(task.number, k, c, each, found[k % 12][c]) for task in todo for k in range(each) for c in range(len(lanes))
    )
    for some in iter(lambda: list(islice(every, at_once)), []):
        part = PartRows()
        for done in some:
            part.add(done)
        write_part(ledger.home, make_part(part, names, ledger.settings, all_caches()))
    begun = time.process_time()
    ledger.read()
    read = time.process_time()
    many = write_tables(ledger.tables(), out)
    took, size = time.process_time() - read, parts(out)[1]
    print(
        f"  {many:7,} rows in parts of {at_once}: ledger {(read - begun) / many * 1e6:.1f} µs a row, "
        f"table {took / many * 1e6:.1f} µs a row; {size / many:.0f} B a row in parts"
    )


def interrupted(folder: str, rows: int, engine: Engine) -> None:
    """A worker killed and, in another run, the client stopped, at about 40 %; each to the end, beside one go."""
    path, whole = f"{folder}/{rows}.jsonl", f"{folder}/one.parquet"
    begun = engine.cpu()
    total = ended(start(path, whole, engine))["rows"]
    usual = engine.cpu() - begun
    print(f"  in one go: {usual:.1f} CPU s of workers, {total / usual:.0f} rows a CPU second")
    for how in ("a worker killed", "stopped and started again"):
        out, begun = f"{folder}/{how[:5]}.parquet", engine.cpu()
        process = start(path, out, engine)
        while not os.path.isdir(f"{out}.parts") or parts(out)[0] < 0.4 * total:
            time.sleep(0.1)
        if how == "a worker killed":
            os.kill(engine.pids(process.pid)[0], signal.SIGKILL)
        else:
            process.send_signal(signal.SIGTERM)
        told, there = ended(process), parts(out)[0]
        if told["rows"] < total:
            told = ended(start(path, out, engine))
            print(f"  {how}: {there:,} rows had been written, {told['before']:,.0f} of them taken up")
        twice = parts(out)[0] - total
        took = engine.cpu() - begun
        print(f"  {how}: {took:.1f} CPU s of workers (Dask's without the killed one), {twice:.0f} rows written twice")
        limit("seconds of a worker, by its rows", twice / (total / usual), SECONDS)
        with open(out, "rb") as one, open(whole, "rb") as other:
            print(f"    the table is that of one go: {'kept' if one.read() == other.read() else 'EXCEEDED'}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--dask", action="store_true", help="on two Dask workers (needs historylab[cluster])")
    parser.add_argument("--rows", type=int, nargs="+", default=[1000, 10_000, 50_000])
    parser.add_argument("--merge", action="store_true", help="only the table of parts that are there, in this process")
    arguments = parser.parse_args()
    if arguments.merge:
        with tempfile.TemporaryDirectory() as folder:
            return merged(folder, arguments.rows[-1])
    with tempfile.TemporaryDirectory() as folder, opened(arguments.dask) as engine:
        print(f"\n48 settings, two {'Dask workers' if arguments.dask else 'processes'}")
        by_rows(folder, arguments.rows, engine)
        print(f"\ninterrupted, about {arguments.rows[-2]:,} rows")
        interrupted(folder, arguments.rows[-2], engine)


if __name__ == "__main__":
    main()
