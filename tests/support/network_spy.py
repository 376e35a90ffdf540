"""`python network_spy.py LOG …`: the `historylab` command, with every address its process looks up or calls in LOG."""

from __future__ import annotations

import os
import runpy
import sys
from typing import Any

CALLS = ("socket.connect", "socket.getaddrinfo", "socket.gethostbyname", "socket.gethostbyaddr", "socket.sendto")


def note(log: str, event: str, arguments: tuple[Any, ...]) -> None:
    if event in CALLS:
        with open(log, "a", encoding="utf-8") as file:
            file.write(f"{event} {arguments[-1] if event == 'socket.connect' else arguments}\n")


if __name__ == "__main__":
    log, sys.path[0] = sys.argv.pop(1), os.getcwd()  # as `python -m historylab` has it
    open(log, "w", encoding="utf-8").close()
    sys.addaudithook(lambda event, arguments: note(log, event, arguments))
    runpy.run_module("historylab", run_name="__main__", alter_sys=True)
