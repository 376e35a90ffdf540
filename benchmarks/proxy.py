"""What `historylab proxy` adds to a request: CPU and latency, beside none, an empty relay, and LiteLLM's proxy.

    python benchmarks/proxy.py [--sizes 10 100 1000] [--rounds 3] [--seconds 10] [--litellm FOLDER]

Chats of so many messages (1,000 are 0.43 MB) grow by a turn a request, in the default settings; each round is a chat
of its own, the first request of which is not measured. All ways take turns in one run. *CPU* is what the relay's or
the proxy's process spent on a request, of the best round; *latency* the median, by the clock of a client that opens no
new connections: to the end of an answer, or to the first event of a stream. LiteLLM's proxy passes on what comes, by
its newest release, which is installed into FOLDER; where it can't be, that is said. Then how many requests a minute
eight chats of the largest size get answered, and fifty conversations at once, each answer checked for whose it is. At
last, where there is a Chromium, the seconds from the end of an answer to its column on the Live page. Read the
differences: machines differ.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from http.client import HTTPConnection
from itertools import count
from pathlib import Path

from measured import chat, heading, number, row
from relay import PATH
from servers import SECONDS, free_port, server
from trim import requests_from

ROOT = str(Path(__file__).resolve().parents[1])
CALLS = {10: 200, 100: 100, 1000: 40}
CHATS, MANY, TURNS = 8, 50, 20
DRAWN, PAUSE = 20, 1.0
NONCE = "chat 00000"
ABOVE = "above the relay"
COLUMNS = ("CPU ms", ABOVE, "latency ms", "above direct", "first event ms", "streamed CPU ms", ABOVE)
SERVES_LITELLM = ("litellm.proxy.proxy_cli", "--host", "127.0.0.1")
PLACE = Path(tempfile.gettempdir()) / "historylab-clients" / "litellm-proxy"
LITELLM = """general_settings: {{dangerously_permit_weak_or_unset_master_key: true}}
model_list:
  - model_name: "*"
    litellm_params: {{model: "openai/*", api_base: "http://127.0.0.1:{upstream}/v1", api_key: none}}
"""
numbers = count(1)


@dataclass
class Way:
    """A way to the upstream: its port, and the process whose CPU is measured."""

    name: str
    port: int
    process: int | None
    cpu: dict[bool, list[float]] = field(default_factory=lambda: {False: [], True: []})
    latency: dict[bool, list[float]] = field(default_factory=lambda: {False: [], True: []})

    def spent(self) -> float:
        """CPU seconds of the process so far, user's and system's."""
        return time.clock_gettime((~self.process << 3) | 2) if self.process else 0.0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", nargs="+", type=int, default=list(CALLS))
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=10)
    parser.add_argument("--litellm", type=Path, default=PLACE)
    arguments = parser.parse_args()
    with ways(arguments.litellm) as found:
        heading("messages", "way", *COLUMNS)
        for size in arguments.sizes:
            added(size, found(), arguments.rounds)
        heading(f"{CHATS} chats of {arguments.sizes[-1]:,} messages", "requests a minute")
        for way in found():
            row(way.name, f"{sustained(way, arguments.sizes[-1], arguments.seconds):,.0f}")
        heading(f"{MANY} conversations at once", "requests", "seconds", "median ms", "slowest ms", "of another")
        for way in found():
            row(way.name, *at_once(way))
    if chromium := shutil.which("chromium") or shutil.which("chromium-browser"):
        heading("Live page, messages of the chat", "requests", "median s", "slowest s")
        for size in arguments.sizes:
            row(f"{size:,}", *until_drawn(size, chromium))


@contextlib.contextmanager
def ways(litellm: Path) -> Iterator[Callable[[], list[Way]]]:
    with contextlib.ExitStack() as stack:
        started = starting(stack)
        folder = stack.enter_context(tempfile.TemporaryDirectory())
        upstream, _ = started("benchmarks.relay", "upstream")
        to = ("--upstream", f"http://127.0.0.1:{upstream}")
        found = {"direct": (upstream, None), "empty relay": started("benchmarks.relay", "relay", *to)}
        for mode in ("audit", "trim"):
            proxy = ("historylab", "proxy", *to, "--mode", mode)
            found[f"proxy, {mode}"] = started(*proxy)
            found[f"proxy, {mode}, recorded"] = started(*proxy, "--record", f"{folder}/{mode}")
        if python := install_litellm(litellm):
            config = Path(folder) / "litellm.yaml"
            config.write_text(LITELLM.format(upstream=upstream))
            found["LiteLLM's proxy"] = started(*SERVES_LITELLM, "--config", str(config), python=python)
        yield lambda: [Way(name, port, process) for name, (port, process) in found.items()]


def starting(stack: contextlib.ExitStack) -> Callable[..., tuple[int, int]]:
    """Starts servers that end with the stack: port and process of each."""

    def started(*command: str, **options: str) -> tuple[int, int]:
        port = free_port()
        _, process = stack.enter_context(server(*command, "--port", str(port), port=port, cwd=ROOT, **options))
        return port, process

    return started


def install_litellm(folder: Path) -> str:
    """The Python that has the newest LiteLLM; "" where it can't be installed, which is said."""
    python = folder / "venv" / "bin" / "python"
    pip = [str(python), "-m", "pip", "install", "--quiet", "--no-compile", "--upgrade", "litellm[proxy]"]
    for command in ([sys.executable, "-m", "venv", str(folder / "venv")], pip):
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            print(f"LiteLLM's proxy is left out: {' / '.join(done.stderr.strip().splitlines()[-1:])}", file=sys.stderr)
            return ""
    return str(python)


# -- one request after the other


def added(size: int, ways: Sequence[Way], rounds: int) -> None:
    """The rows of chats of that size."""
    bodies = {streamed: bodies_of(size, CALLS.get(size, 40), streamed) for streamed in (False, True)}
    for _ in range(rounds):
        for streamed, prepared in bodies.items():
            for way in ways:
                measure(way, prepared, streamed)
    direct, relay = ways[:2]
    for way in ways:
        cpu, streamed_cpu = (min(way.cpu[streamed], default=0.0) for streamed in (False, True))
        above, streamed_above = (value - min(relay.cpu[s]) for s, value in enumerate((cpu, streamed_cpu)))
        latency, first = (statistics.median(way.latency[streamed]) for streamed in (False, True))
        slower = latency - statistics.median(direct.latency[False])
        told = way not in (direct, relay)
        row(
            f"{size:,}",
            way.name,
            *(number(1e3 * cpu) if way.process else "", f"{1e3 * above:+.2f}" if told else ""),
            *(number(1e3 * latency), f"{1e3 * slower:+.2f}" if way is not direct else "", number(1e3 * first)),
            *(number(1e3 * streamed_cpu) if way.process else "", f"{1e3 * streamed_above:+.2f}" if told else ""),
        )


def bodies_of(size: int, calls: int, streamed: bool, model: str = "tiny") -> list[bytes]:
    """The bodies of a chat of that size, and of those it grows into."""
    records = chat(size + 4 * calls + 20)
    for record in records[:2]:
        record["content"] = f"{NONCE}. {record['content']}"
    head = {"model": model, **({"stream": True} if streamed else {})}
    sizes = requests_from(records, size)[: calls + 1]
    return [json.dumps({**head, "messages": records[:end]}).encode() for end in sizes]


def anew(bodies: Sequence[bytes]) -> list[bytes]:
    """The same as a chat that no proxy has seen."""
    nonce = f"chat {next(numbers):05}".encode()
    return [body.replace(NONCE.encode(), nonce) for body in bodies]


def measure(way: Way, bodies: Sequence[bytes], streamed: bool) -> None:
    first, *rest = anew(bodies)
    with contextlib.closing(HTTPConnection("127.0.0.1", way.port, timeout=60)) as connection:
        ask(connection, first)
        before = way.spent()
        way.latency[streamed] += [ask(connection, body, streamed) for body in rest]
        way.cpu[streamed].append((way.spent() - before) / len(rest))


def ask(connection: HTTPConnection, body: bytes, first_event: bool = False, model: str = "tiny") -> float:
    """Seconds to the end of the answer, or to its first event. An answer for another model is an AssertionError."""
    start = time.perf_counter()
    connection.request("POST", PATH, body, {"Content-Type": "application/json", "Authorization": "Bearer none"})
    response = connection.getresponse()
    beginning = response.readline() if first_event else b""
    took = time.perf_counter() - start
    content = beginning + response.read()
    assert response.status == 200 and re.search(rb'"model": ?"%s"' % model.encode(), content), content[:300]
    return took if first_event else time.perf_counter() - start


# -- many at once


def sustained(way: Way, size: int, seconds: float) -> float:
    """Requests a minute that chats of that size get answered, each client waiting for its answer."""
    prepared = [anew(bodies_of(size, 40, False)) for _ in range(CHATS)]
    stop = threading.Event()

    def talk(bodies: Sequence[bytes]) -> int:
        answered = 0
        with contextlib.closing(HTTPConnection("127.0.0.1", way.port, timeout=60)) as connection:
            while not stop.is_set():
                ask(connection, bodies[answered % len(bodies)])
                answered += 1
        return answered

    with ThreadPoolExecutor(CHATS) as threads:
        start = time.perf_counter()
        talks = [threads.submit(talk, bodies) for bodies in prepared]
        stop.wait(seconds)
        stop.set()
        answered = sum(talk.result() for talk in talks)
        return 60 * answered / (time.perf_counter() - start)


def at_once(way: Way) -> tuple[str, ...]:
    """Fifty conversations that grow by a turn a request, streamed every second one; each asks a model of its own."""
    others = count()

    def talk(place: int) -> list[float]:
        model, took = f"tiny-{place}", []
        bodies = anew(bodies_of(2, TURNS, bool(place % 2), model))
        with contextlib.closing(HTTPConnection("127.0.0.1", way.port, timeout=60)) as connection:
            for body in bodies:
                try:
                    took.append(ask(connection, body, model=model))
                except AssertionError:
                    next(others)
        return took

    start = time.perf_counter()
    with ThreadPoolExecutor(MANY) as threads:
        took = [seconds for talked in threads.map(talk, range(MANY)) for seconds in talked]
    whole = time.perf_counter() - start
    return (
        f"{len(took):,}",
        number(whole),
        number(1e3 * statistics.median(took)),
        number(1e3 * max(took)),
        f"{next(others)}",
    )


# -- on screen


def until_drawn(size: int, chromium: str) -> tuple[str, ...]:
    """How long it takes until requests are drawn, one after the other, and how many they were."""
    from playwright.sync_api import sync_playwright

    took = []
    with contextlib.ExitStack() as stack:
        started = starting(stack)
        folder = stack.enter_context(tempfile.TemporaryDirectory())
        upstream, _ = started("benchmarks.relay", "upstream")
        proxy, _ = started("historylab", "proxy", "--upstream", f"http://127.0.0.1:{upstream}", "--record", folder)
        playground, _ = started("historylab", "--headless", "--record", folder)
        browser = stack.enter_context(sync_playwright()).chromium.launch(
            executable_path=chromium, args=["--no-sandbox"]
        )
        connection = stack.enter_context(contextlib.closing(HTTPConnection("127.0.0.1", proxy, timeout=60)))
        first, *rest = anew(bodies_of(size, DRAWN, False))
        ask(connection, first)
        page = browser.new_page(viewport={"width": 1440, "height": 900})
        page.goto(f"http://127.0.0.1:{playground}/live")
        slider = page.locator("[role=slider][aria-valuemax]").first
        slider.wait_for(timeout=SECONDS * 1000)
        requests = int(slider.get_attribute("aria-valuemax"))
        for number_of, body in enumerate(rest, requests + 1):
            time.sleep(PAUSE * (1 + number_of % 7 / 7))  # at no fixed time after the page looked last
            ask(connection, body)
            start = time.perf_counter()
            page.locator(f'[role=slider][aria-valuemax="{number_of}"]').first.wait_for(timeout=SECONDS * 1000)
            took.append(time.perf_counter() - start)
        browser.close()
    return f"{len(took)}", number(statistics.median(took)), number(max(took))


if __name__ == "__main__":
    main()
