"""Servers in processes of their own, one of them with an empty page, and the time that they and a browser compute."""

from __future__ import annotations

import os
import re
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.error import HTTPError

EMPTY = """import streamlit as st
st.session_state.n = st.session_state.get("n", 0) + 1
st.button("Again")
st.html(f'<h1 id="n">{st.session_state.n}</h1>')
"""
SECONDS = 120


@contextmanager
def server(*command: str, port: int, cwd: str | None = None, python: str = sys.executable) -> Iterator[tuple[str, int]]:
    """The address of a server process, once it answers, and its number."""
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    process = subprocess.Popen([python, "-m", *command], cwd=cwd, **quiet)
    address = f"http://127.0.0.1:{port}"
    try:
        for _ in range(SECONDS * 4):
            try:
                urllib.request.urlopen(f"{address}/_stcore/health", timeout=1).close()
                break
            except HTTPError:  # it answers, that it has no such page
                break
            except OSError:
                time.sleep(0.25)
        yield address, process.pid
    finally:
        process.terminate()
        process.wait(20)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@contextmanager
def empty_page() -> Iterator[tuple[str, int]]:
    """An empty page as Streamlit serves it by itself: in a folder of its own, where our configuration isn't read."""
    port = free_port()
    with tempfile.TemporaryDirectory() as folder:
        script = Path(folder) / "empty.py"
        script.write_text(EMPTY)
        options = {"server.port": port, "server.headless": "true", "browser.gatherUsageStats": "false"}
        said = [part for name, value in options.items() for part in (f"--{name}", str(value))]
        with server("streamlit", "run", str(script), *said, port=port, cwd=folder) as found:
            yield found


def resident(process: int) -> float:
    """Megabytes of memory that a process holds (on Linux)."""
    return int(re.search(r"VmRSS:\s+(\d+)", Path(f"/proc/{process}/status").read_text())[1]) / 1024


def computed(servers: set[int]) -> dict[tuple[str, int], float]:
    """Milliseconds computed so far by each ("server" or "browser", process) that this one started; {} where unknown."""
    parents, used = {}, {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text("utf-8", "replace").rpartition(")")[2].split()
        except OSError:  # it has ended
            continue
        parents[int(stat.parent.name)] = int(fields[1])
        used[int(stat.parent.name)] = int(fields[11]) + int(fields[12])
    found = {}
    for process, ticks in used.items():
        line, above = {process}, process
        while (above := parents.get(above, 0)) and above != os.getpid():
            line.add(above)
        if above == os.getpid():
            found["server" if line & servers else "browser", process] = 1000 * ticks / os.sysconf("SC_CLK_TCK")
    return found


def spent(before: dict[tuple[str, int], float], after: dict[tuple[str, int], float], side: str) -> float:
    """Milliseconds that side computed in between, in processes that are still there."""
    return sum(now - before.get(process, 0) for process, now in after.items() if process[0] == side)
