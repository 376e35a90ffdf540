"""A real proxy over real HTTP, on a free loopback port, in a thread of this process.

with running_proxy(upstream.url, Settings(budget=500)) as proxy: requests.post(f"{proxy.url}/v1/chat/completions", …)
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from historylab.proxy.app import Proxy
from historylab.proxy.callers import known_names
from historylab.proxy.patience import PatientStore
from historylab.proxy.serve import Server
from historylab.proxy.settings_file import SettingsFile
from historylab.proxy.trimming import Trimming
from historylab.proxy.upstream import Upstream
from historylab.recordings.noted_state import NotedState
from historylab.recordings.recorder import Recorder
from historylab.serving.address import listen
from historylab.stores.base import open_store

PATIENCE = 20.0
"""Seconds that a request waits to be recorded: more than a busy machine takes."""


@dataclass
class RunningProxy:
    url: str
    app: Proxy
    server: Server

    @property
    def address(self) -> tuple[str, int]:
        host, _, port = self.url.rpartition("/")[2].partition(":")
        return host, int(port)


@contextmanager
def running_proxy(
    upstream: str,
    file: Path | None = None,
    *,
    mode: str = "trim",
    recorder: Recorder | None = None,
    store: PatientStore | None = None,
    **options: Any,
) -> Iterator[RunningProxy]:
    """A proxy under the settings of a file, while the block runs."""
    store = store or PatientStore(open_store("memory://"), PATIENCE)
    trimming, names = Trimming(SettingsFile(file), NotedState(store), mode), known_names("127.0.0.1")
    with serving(Proxy(Upstream(upstream), trimming, recorder, names=names, store=store, **options)) as running:
        yield running


@contextmanager
def serving(app: Proxy) -> Iterator[RunningProxy]:
    """That proxy, while the block runs; it is closed at its end."""
    listening, bound = threading.Event(), listen("127.0.0.1", 0)
    server = Server(app, listening.set, grace=1)
    thread = threading.Thread(target=server.run, args=([bound],), daemon=True)
    thread.start()
    try:
        assert listening.wait(30)
        yield RunningProxy(f"http://127.0.0.1:{bound.getsockname()[1]}", app, server)
    finally:
        server.should_exit = True
        thread.join(10)


def chat(*said: str, **fields: Any) -> dict[str, Any]:
    """A request of Chat Completions: user and assistant in turn, from the user on."""
    roles = ("user", "assistant")
    messages = [{"role": roles[k % 2], "content": text} for k, text in enumerate(said)]
    return {"model": "gpt-5.5", "messages": messages, **fields}


def until(holds: Callable[[], object], seconds: float = 30) -> Any:
    """What that gives once it holds. Fails where it doesn't in time."""
    deadline = time.monotonic() + seconds
    while not (found := holds()):
        assert time.monotonic() < deadline, "it didn't happen in time"
        time.sleep(0.005)
    return found
