"""A real `historylab` server in a process of its own, for the tests that need one."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).parents[2]
SPY = Path(__file__).with_name("network_spy.py")
FAULTY = Path(__file__).with_name("faulty_server.py")
SECONDS_TO_STOP = 20
OURS = ("HISTORYLAB_", "NEXT_PUBLIC_", "STREAMLIT_", "NODE_ENV")


@contextmanager
def playground(
    *options: str, env: Mapping[str, str] | None = None, calls: Path | None = None, fault: Path | None = None
) -> Iterator[str]:
    """The address of a headless server on a free port, stopped on leaving. `env` is added to a clean environment.

    `calls` is a file that gets a line for every address the server looks up or calls. While the file `fault` is there,
    choosing a system fails.
    """
    process = start(*options, env=env, calls=calls, fault=fault)
    try:
        yield address(process)
    finally:
        process.terminate()
        process.wait(SECONDS_TO_STOP)
        process.stdout.close()


def start(
    *options: str, env: Mapping[str, str] | None = None, calls: Path | None = None, fault: Path | None = None
) -> subprocess.Popen:
    """`historylab --headless --port 0 …`, its output and errors in one pipe."""
    ours = [SPY, calls] if calls else [FAULTY, fault] if fault else ["-m", "historylab"]
    command = [sys.executable, *map(str, ours), "--headless", "--port", "0", *options]
    clean = {name: value for name, value in os.environ.items() if not name.startswith(OURS)}
    pipes = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.STDOUT}
    return subprocess.Popen(command, cwd=ROOT, env={**clean, **(env or {})}, text=True, encoding="utf-8", **pipes)


def address(process: subprocess.Popen) -> str:
    """Wait for the line that says where it is."""
    said = []
    for line in process.stdout:
        said.append(line)
        if found := re.search(r"http://\S+", line):
            return found.group()
    raise AssertionError(f"the server ended before it was up: {''.join(said)}")
