"""A real `historylab proxy` in a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping
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
    try:
        url = address(process)
        threading.Thread(target=process.stdout.read, daemon=True).start()  # a full pipe would stop it
        yield ProxyProcess(url, process)
    finally:
        process.terminate()
        process.wait(SECONDS_TO_STOP)


def write_settings(file: Path, settings: Settings) -> None:
    """Put settings into the file that a proxy reads, all at once."""
    draft = file.with_suffix(".draft")
    draft.write_text(export(settings, "json"))
    draft.replace(file)
