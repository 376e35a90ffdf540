"""`historylab run`: starts a program with a proxy in front of its model, shows it live, and ends with it."""

from __future__ import annotations

import argparse
import logging
import os
import shutil
import sys
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager, suppress
from socket import AF_INET, SOCK_STREAM, socket
from subprocess import DEVNULL, Popen, TimeoutExpired
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from historylab.cli.base import Subparsers, print_note
from historylab.cli.foreground import CannotStart, run_in_foreground
from historylab.cli.proxy import UNENCRYPTED, add_recording, check_keep_days, collect_seldom, recording_line
from historylab.errors import HistoryLabError, SettingsError

if TYPE_CHECKING:
    from historylab.proxy.app import Proxy
    from historylab.proxy.programs import Target

SUMMARY = "Start a program, such as claude or codex, and watch, record and trim what it sends to its model"
NOT_FOUND, NOT_EXECUTABLE = 127, 126
"""The exit statuses where there is no such program, and where it can't be started, as shells have them."""
WHOLE = MappingProxyType({"policy": "all", "pruner": "off", "budget": 1_000_000})
"""The settings without --settings: nobody chose what to cut, so nothing is, and no request is over a budget."""
HOST = "127.0.0.1"
MOST_PROBLEMS = 5
SECONDS_TO_STOP = 5
SECONDS_BETWEEN_LOOKS, TIMES_TO_LOOK = 0.2, 150


def add_to(commands: Subparsers) -> None:
    parser = commands.add_parser(
        "run",
        help=SUMMARY,
        description=f"{SUMMARY}. Without --settings it only watches.",
        usage="historylab run [OPTIONS] -- PROGRAM [ARGUMENT ...]",
        allow_abbrev=False,
    )
    parser.set_defaults(run=run)
    parser.add_argument(
        "--upstream", metavar="URL", help="the API (default: the base URL in the environment, else the provider's own)"
    )
    parser.add_argument(
        "--settings", metavar="FILE", help="trim by a .env, export or template; read again when it changes"
    )
    parser.add_argument("--audit", action="store_true", help="only watch, whatever the settings say")
    add_recording(parser, "where to record (default: HISTORYLAB_RECORD, else a folder in your data directory)")
    parser.add_argument("--headless", action="store_true", help="open no page that shows it live")
    parser.add_argument("program", metavar="PROGRAM", nargs=argparse.REMAINDER, help="the program and its arguments")


def run(arguments: argparse.Namespace) -> int:
    """Run the program behind proxies of its own, and return its exit status."""
    check_keep_days(arguments.keep_days)
    name, *rest = _command(arguments.program)
    found = shutil.which(name)
    if found is None and os.path.dirname(name) and os.path.exists(name):
        print_note(f"{name!r:.100} can't be started: it is no program, or may not be executed")
        return NOT_EXECUTABLE
    if found is None:
        print_note(f"there is no program {name!r:.100} to run")
        return NOT_FOUND
    from historylab.proxy.programs import program_of, targets_of, tell
    from historylab.wording.proxy import run_summary

    program = program_of(name)
    targets = targets_of(program, os.environ, arguments.upstream)
    place = _place(arguments.record)
    with _problems() as problems, ExitStack() as until_the_end:
        proxies = {
            target: _open_proxy(target, arguments, place, until_the_end) for target in dict.fromkeys(targets.values())
        }
        own, environment = tell(program, {p: proxies[t].address for p, t in targets.items()}, os.environ)
        try:
            status, fault = _run(name, [found, *own, *rest], environment, list(proxies.values()), arguments, place)
        except CannotStart as problem:
            print_note(f"{found} can't be started: {problem}")
            return NOT_EXECUTABLE
    first = next(iter(proxies.values())).proxy
    for line in run_summary([one.proxy.counts for one in proxies.values()], first.trimming, place, problems):
        print_note(line)
    if fault:
        raise HistoryLabError(f"the proxy failed ({fault}), and {name} was ended")
    return status


class _Listening(NamedTuple):
    """A proxy and the socket that it will answer on."""

    proxy: Proxy
    bound: socket
    address: str


def _command(given: Sequence[str]) -> Sequence[str]:
    """The program and its arguments, with or without `--` before them."""
    command = given[1:] if given[:1] == ["--"] else given
    if not command:
        raise SettingsError("name the program to run: historylab run -- PROGRAM ARGUMENTS")
    return command


def _place(given: str | None) -> str:
    """Return the place to record in, whatever folder the page that shows it is started in."""
    from historylab.recordings.place import default_place, named_place

    place = given or named_place() or default_place()
    return place if "://" in place else os.path.abspath(os.path.expanduser(place))


def _open_proxy(target: Target, arguments: argparse.Namespace, place: str, until_the_end: ExitStack) -> _Listening:
    """A proxy in front of that target, on a free port. Raises SettingsError."""
    from historylab.proxy.open import open_proxy
    from historylab.proxy.upstream import Upstream
    from historylab.serving.address import listen, url_of

    proxy = open_proxy(
        Upstream(target.url, exact=target.exact),
        settings=arguments.settings,
        otherwise=WHOLE,
        mode="trim" if arguments.settings and not arguments.audit else "audit",
        record=place,
        redact=arguments.redact,
        keep_days=arguments.keep_days or None,
    )
    bound = until_the_end.enter_context(listen(HOST, 0))
    return _Listening(proxy, bound, url_of(HOST, bound.getsockname()[1]))


def _run(
    name: str,
    command: Sequence[str],
    environment: Mapping[str, str],
    proxies: Sequence[_Listening],
    arguments: argparse.Namespace,
    place: str,
) -> tuple[int, str]:
    """The program's exit status, and why the proxies failed, if they did."""
    from historylab.proxy.serve import Serving
    from historylab.wording.proxy import PERSONAL_DATA, run_block

    program: list[Callable[[], None]] = []

    def take(end: Callable[[], None]) -> None:
        program.append(end)
        if serving.fault:
            end()

    collect_seldom()
    listening = [(one.proxy, one.bound) for one in proxies]
    with Serving(listening, lambda: _call(program)) as serving, _page(arguments, place) as page:
        kept = recording_line(place, arguments.keep_days, len(arguments.redact))
        warnings = [UNENCRYPTED] if any(one.proxy.upstream.shows_keys for one in proxies) else []
        ways = [(one.address, one.proxy.upstream.url) for one in proxies]
        for line in run_block(
            os.path.basename(name),
            ways,
            proxies[0].proxy.trimming,
            (f"recording: {kept}", PERSONAL_DATA, page, *warnings),
        ):
            print_note(line)
        status = run_in_foreground(command, environment, take)
    return status, serving.fault


def _call(ends: Sequence[Callable[[], None]]) -> None:
    for end in ends:
        end()


@contextmanager
def _page(arguments: argparse.Namespace, place: str) -> Iterator[str]:
    """Open Live on the recording while the block runs, and yield its address; without a browser, how to open it."""
    from historylab.serving.address import listen
    from historylab.settings.names import RECORD
    from historylab.wording.proxy import how_to_watch

    if arguments.headless or not _has_browser():
        yield how_to_watch(place)
        return
    with listen(HOST, 0) as free:
        port = free.getsockname()[1]
    options = ["--template", arguments.settings] if arguments.settings else []
    server = _quiet("historylab", "--headless", "--port", str(port), *options, environment={RECORD: place})
    over = threading.Event()
    opening = threading.Thread(target=_open_when_there, args=(port, over), daemon=True)
    opening.start()
    try:
        yield f"live: http://{HOST}:{port}/live"
    finally:
        over.set()
        server.terminate()
        with suppress(TimeoutExpired):
            server.wait(SECONDS_TO_STOP)
        server.kill()


def _has_browser() -> bool:
    """Tell whether a web browser can open a window: one in the terminal would be in the program's way."""
    if os.name == "nt" or sys.platform == "darwin":
        return "SSH_CONNECTION" not in os.environ
    return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))


def _open_when_there(port: int, over: threading.Event) -> None:
    for _ in range(TIMES_TO_LOOK):
        if over.wait(SECONDS_BETWEEN_LOOKS):
            return
        with closing(socket(AF_INET, SOCK_STREAM)) as probe:
            if probe.connect_ex((HOST, port)) == 0:
                _quiet("webbrowser", f"http://{HOST}:{port}/live")
                return


def _quiet(module: str, *arguments: str, environment: Mapping[str, str] = MappingProxyType({})) -> Popen[bytes]:
    """A module in a process that has nothing of the terminal, neither its keys nor its screen.

    -P: it imports nothing from the folder that the program is run in.
    """
    command = [sys.executable, "-P", "-m", module, *arguments]
    env = {**os.environ, **environment}
    return Popen(command, env=env, stdin=DEVNULL, stdout=DEVNULL, stderr=DEVNULL, start_new_session=True)


@contextmanager
def _problems() -> Iterator[Counter[str]]:
    """Collect what is logged while the block runs, by how often; it is said at the end, when the screen is free."""
    held = _Held()
    logging.captureWarnings(True)
    logging.getLogger().addHandler(held)
    try:
        yield held.said
    finally:
        logging.getLogger().removeHandler(held)
        logging.captureWarnings(False)


class _Held(logging.Handler):
    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.said: Counter[str] = Counter()

    def emit(self, record: logging.LogRecord) -> None:
        text = record.getMessage()
        self.said[text if text in self.said or len(self.said) < MOST_PROBLEMS else "and other warnings"] += 1
