"""`python -m historylab.proxy.scripted_upstream`: a model server on this machine that needs no key and no network."""

from __future__ import annotations

import argparse
import sys
from functools import partial

import uvicorn

from historylab.proxy.scripted_upstream.app import WINDOW, ScriptedUpstream
from historylab.proxy.scripted_upstream.endpoints import endpoints
from historylab.serving.address import HOST, CannotListen, listen, url_of


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m historylab.proxy.scripted_upstream", description=__doc__)
    parser.add_argument("--port", type=int, default=8900, help="default: %(default)s; 0 for any that is free")
    parser.add_argument(
        "--window", type=int, default=WINDOW, metavar="TOKENS", help="longer requests are refused; default: %(default)s"
    )
    parser.add_argument(
        "--tool-turns",
        type=int,
        metavar="N",
        help='call tools for N turns at each question that doesn\'t say so itself ("call tools 30 times"); '
        "default: once, at every third question",
    )
    arguments = parser.parse_args()
    log = partial(print, flush=True)
    try:
        bound = listen(HOST, arguments.port)
    except CannotListen as problem:
        sys.exit(str(problem))
    bound.listen()
    log(f"Scripted model server: {url_of(HOST, bound.getsockname()[1])}, no key needed (Ctrl-C stops it)")
    upstream = ScriptedUpstream(arguments.window, log, arguments.tool_turns)
    uvicorn.Server(uvicorn.Config(endpoints(upstream), log_level="error", ws="none")).run([bound])


if __name__ == "__main__":
    main()
