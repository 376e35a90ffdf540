"""Whether every client sends what the screen shows: thirty turns over real HTTP, in two processes that restart.

    pip install -e ".[test,frameworks]" && python benchmarks/production.py [--clients NAME …] [--presets]

Each client plays thirty turns (60 requests: parallel tool calls, images, updates) under every preset, layout,
projection and stage there is (`--presets`: the presets alone) against a loopback server that speaks its API and refuses
what that refuses. Every second request is made by another process; in the middle both forget all they know; what they
share is an SQLite file. Then once more where a model writes the summaries, another text each time, and the whole is
repeated from the file alone. Then under every preset, its budget made tight, with a list that what was sent takes the
place of: the caller's own, or the one that a framework keeps, where its own means replace that.

*Equal* is a request whose messages are those that `replay` shows; *unsaid* one over its budget without a warning.
"""

from __future__ import annotations

import argparse
import logging
import multiprocessing
import os
import sys
import tempfile
from collections.abc import Iterator, Mapping
from concurrent.futures import Executor, ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "tests" / "support")]

from chat_server import ChatServer, Handler, says  # noqa: E402
from every_way import every_way  # noqa: E402
from measured import heading, row  # noqa: E402
from production import Judged, judged, judged_reassigned, play, shown  # noqa: E402
from production_clients import CLIENTS, Client  # noqa: E402

from historylab import Settings  # noqa: E402
from historylab.stores.base import open_store  # noqa: E402
from historylab.systems.presets.base import presets  # noqa: E402

COLUMNS = ("API", "settings", "requests", "equal to replay", "refused", "over budget unsaid")


@dataclass(frozen=True)
class Run:
    """What all runs share: the second process, a folder for stores, and the model that writes summaries."""

    worker: Executor
    folder: Path
    writer: ChatServer

    def store(self) -> str:
        return f"sqlite:///{tempfile.mktemp(dir=self.folder, suffix='.db')}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--clients", nargs="+", choices=list(CLIENTS), default=list(CLIENTS), metavar="NAME")
    parser.add_argument("--presets", action="store_true", help="the presets alone")
    arguments = parser.parse_args()
    logging.getLogger("historylab").addHandler(logging.NullHandler())
    chosen = [CLIENTS[name] for name in arguments.clients if installed(CLIENTS[name])]
    ways = {name: settings.replace(counter="chars/4") for name, settings in every_way().items()}
    own = {name: settings for name, settings in ways.items() if name.split(",")[0].split()[0] in presets()}
    with everything() as run:
        heading("the whole history kept", *COLUMNS)
        for client in chosen:
            whole(client, own if arguments.presets else ways, run)
        heading("summaries by a model", *COLUMNS, "asked", "asked again")
        for client in chosen:
            with_model(client, ways["pruner summarize"], run)
        heading("what was sent in the list's place", *COLUMNS[:3], "one summary", *COLUMNS[4:])
        for client in chosen:
            reassigned(client, {name: settings for name, settings in own.items() if name.endswith("tight")}, run)


def installed(client: Client) -> bool:
    found = find_spec(client.library.partition(".")[0]) is not None
    if not found:
        print(f"{client.name}: not installed")
    return found


@contextmanager
def everything() -> Iterator[Run]:
    def behave(handler: Handler) -> None:
        says(f"{len(handler.server.requests)}: they asked when ferries leave.")(handler)

    with ChatServer(behave) as writer, tempfile.TemporaryDirectory() as folder:
        os.environ |= {"OPENAI_BASE_URL": writer.url, "OPENAI_API_KEY": "none"}
        with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as worker:
            yield Run(worker, Path(folder), writer)


def whole(client: Client, ways: Mapping[str, Settings], run: Run) -> None:
    found: list[Judged] = []
    for name, settings in ways.items():
        played = play(client, settings, store=run.store(), worker=run.worker)
        found.append(judged(client, played, shown(played, settings)))
        told(client, name, found[-1])
    result(client, len(ways), found)


def with_model(client: Client, settings: Settings, run: Run) -> None:
    store, settings = run.store(), settings.replace(summarizer="model", model="writer")
    before = len(run.writer.requests)
    first = play(client, settings, store=store, worker=run.worker)
    asked = len(run.writer.requests) - before
    again = play(client, settings, store=store, worker=run.worker)
    plans = shown(first, settings, store=open_store(store))
    found = [judged(client, played, plans) for played in (first, again)]
    told(client, "summaries by a model", found[0] + found[1])
    result(client, 1, found, str(asked), str(len(run.writer.requests) - before - asked))


def reassigned(client: Client, ways: Mapping[str, Settings], run: Run) -> None:
    found: list[Judged] = []
    for name, settings in ways.items():
        played = play(client, settings, store=run.store(), worker=run.worker, reassign=True)
        found.append(judged_reassigned(client, played, settings))
        told(client, f"{name}, re-assigned", found[-1])
    result(client, len(ways), found)


def told(client: Client, name: str, found: Judged) -> None:
    """Name what did not hold, on the other stream."""
    if found.equal < found.requests or found.refused or found.unsaid:
        print(f"{client.name}, {name}: {found}", file=sys.stderr, flush=True)


def result(client: Client, ways: int, found: list[Judged], *more: str) -> None:
    total = sum(found, Judged())
    counts = (ways, total.requests, total.equal, total.refused, total.unsaid)
    row(client.name, f"`{client.path}`", *(f"{count:,}" for count in counts), *more)


if __name__ == "__main__":
    main()
