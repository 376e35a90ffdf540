"""A real `historylab proxy` in a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from server_process import OURS, ROOT, SECONDS_TO_STOP, address

from historylab import Settings
from historylab.exporters.base import export


@dataclass
class ProxyProcess:
    url: str
    process: subprocess.Popen
    _rest: Future[str]

    def said(self) -> str:
        """What it printed after its address, once it has ended."""
        return self._rest.result(SECONDS_TO_STOP)

    def kill(self) -> None:
        """As `kill -9` does."""
        self.process.kill()
        self.process.wait(SECONDS_TO_STOP)


@contextmanager
def proxy_process(upstream: str, *options: str, env: Mapping[str, str] | None = None) -> Iterator[ProxyProcess]:
    """`historylab proxy --upstream … --port 0 …` while the block runs, in a clean environment with `env`."""
    command = [sys.executable, "-m", "historylab", "proxy", "--upstream", upstream, "--port", "0", *options]
    clean = {name: value for name, value in os.environ.items() if not name.startswith(OURS)}
    pipes = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.STDOUT}
    process = subprocess.Popen(command, cwd=ROOT, env={**clean, **(env or {})}, text=True, encoding="utf-8", **pipes)
    with ThreadPoolExecutor(1) as reading:
        try:
            url = address(process)
            yield ProxyProcess(url, process, reading.submit(process.stdout.read))  # a full pipe would stop it
        finally:
            process.terminate()
            process.wait(SECONDS_TO_STOP)


def write_settings(file: Path, settings: Settings) -> Path:
    """Put settings into the file that a proxy reads, all at once, as the playground exports them."""
    draft = file.with_suffix(".draft")
    draft.write_text(export(settings, "json"), encoding="utf-8")
    return draft.replace(file)
