"""`python -m historylab.proxy.scripted_upstream`: a model server on this machine that needs no key and no network."""

from __future__ import annotations

import argparse
import socket
import sys
from functools import partial

import uvicorn

from historylab.proxy.scripted_upstream.app import WINDOW, ScriptedUpstream

HOST = "127.0.0.1"


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m historylab.proxy.scripted_upstream", description=__doc__)
    parser.add_argument("--port", type=int, default=8900, help="default: %(default)s; 0 for any that is free")
    parser.add_argument(
        "--window", type=int, default=WINDOW, metavar="TOKENS", help="longer requests are refused; default: %(default)s"
    )
    arguments = parser.parse_args()
    log = partial(print, flush=True)
    try:
        listener = socket.create_server((HOST, arguments.port))
    except OSError as problem:
        sys.exit(f"port {arguments.port} can't be had: {problem.strerror}")
    log(f"Scripted model server on http://{HOST}:{listener.getsockname()[1]}, no key needed. Stop it with Ctrl+C.")
    upstream = ScriptedUpstream(arguments.window, log)
    uvicorn.Server(uvicorn.Config(upstream.app(), log_level="warning")).run([listener])


if __name__ == "__main__":
    main()
