"""A real `historylab` server in a process of its own, for the tests that need one."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).parents[2]
COMMAND = ("-m", "historylab")
SPY, FAULTY = (Path(__file__).with_name(name) for name in ("network_spy.py", "faulty_server.py"))
"""Scripts that start it otherwise: the one writes a line for every address looked up or called to the file it is given,
with the other choosing a system fails while that file is there.
"""
SECONDS_TO_STOP = 20
OURS = ("HISTORYLAB_", "NEXT_PUBLIC_", "STREAMLIT_", "NODE_ENV")


@contextmanager
def playground(
    *options: str, env: Mapping[str, str] | None = None, script: Sequence[str | Path] = COMMAND
) -> Iterator[str]:
    """The address of a headless server on a free port, stopped on leaving. `env` is added to a clean environment."""
    process = start(*options, env=env, script=script)
    try:
        yield address(process)
    finally:
        process.terminate()
        process.wait(SECONDS_TO_STOP)
        process.stdout.close()


def start(
    *options: str, env: Mapping[str, str] | None = None, script: Sequence[str | Path] = COMMAND
) -> subprocess.Popen:
    """`historylab --headless --port 0 …`, its output and errors in one pipe."""
    command = [sys.executable, *map(str, script), "--headless", "--port", "0", *options]
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
