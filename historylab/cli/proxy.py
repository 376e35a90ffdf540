"""`historylab proxy`: in front of any app's model, it sends what the settings leave of each request."""

from __future__ import annotations

import argparse
import gc
import logging
import os
import re

from historylab.cli.base import Subparsers, print_line, whole_number
from historylab.cli.open import port_number
from historylab.costs.amounts import count_of
from historylab.errors import SettingsError

PORT = 8484
KEEP_DAYS = 30
OBJECTS_BETWEEN_COLLECTIONS = 50_000
"""A long history is thousands of new objects, none of them in a circle; by Python's own threshold each request would be
searched for garbage several times."""
SUMMARY = "Stand in front of a model's API: trim, watch and record the requests of any app"
UNENCRYPTED = "the upstream is asked without encryption, so whoever is on the way there can read keys and texts"


def add_to(commands: Subparsers) -> None:
    parser = commands.add_parser("proxy", help=SUMMARY, description=f"{SUMMARY}.", allow_abbrev=False)
    parser.set_defaults(run=run)
    parser.add_argument("--upstream", metavar="URL", required=True, help="the API, such as https://api.openai.com/v1")
    parser.add_argument("--settings", metavar="FILE", help="a .env, export or template; read again when it changes")
    parser.add_argument("--mode", choices=("trim", "audit"), default="trim", help="audit only watches (default: trim)")
    add_recording(parser, "record requests in a folder, an SQLite file or a database")
    parser.add_argument("--port", type=port_number, default=PORT, help=f"0 for any free one (default: {PORT})")
    parser.add_argument("--host", default="127.0.0.1", help="address to listen on (default: this machine only)")
    parser.add_argument(
        "--token",
        action="append",
        default=[],
        metavar="TEXT",
        help="what apps must send in the header historylab-token, or set HISTORYLAB_PROXY_TOKEN; repeatable",
    )


def add_recording(parser: argparse.ArgumentParser, help: str) -> None:
    """--record, and what is kept there for how long."""
    parser.add_argument("--record", metavar="PLACE", help=help)
    parser.add_argument(
        "--redact",
        metavar="REGEX",
        action="append",
        default=[],
        help="text that is never recorded, as keys aren't; repeatable",
    )
    parser.add_argument(
        "--keep-days",
        metavar="N",
        type=whole_number,
        default=KEEP_DAYS,
        help=f"delete recorded conversations N days after their last request; 0: never (default: {KEEP_DAYS})",
    )


def run(arguments: argparse.Namespace) -> int:
    """Serve the proxy until it is interrupted."""
    tokens = _tokens(arguments)
    check_keep_days(arguments.keep_days)
    from historylab.proxy.open import open_proxy
    from historylab.proxy.serve import Server
    from historylab.recordings.place import named_place
    from historylab.serving.address import listen, url_of
    from historylab.wording.proxy import Start, start_block

    logging.basicConfig(format="%(asctime)s %(message)s", level=logging.WARNING)
    record = arguments.record or named_place() or None
    if arguments.redact and record is None:
        raise SettingsError("--redact says what is never recorded, and nothing is: give --record, too")
    with listen(arguments.host, arguments.port) as bound:
        proxy = open_proxy(
            arguments.upstream,
            settings=arguments.settings,
            mode=arguments.mode,
            record=record,
            redact=arguments.redact,
            keep_days=arguments.keep_days or None,
            host=arguments.host,
            tokens=tokens,
        )
        start = Start(
            url_of(arguments.host, bound.getsockname()[1]),
            proxy.upstream.url,
            arguments.mode,
            proxy.trimming.settings.settings,
            proxy.trimming.settings.path,
            recording_line(record, arguments.keep_days, len(arguments.redact)),
            records=record is not None,
            token=bool(tokens),
            warnings=(UNENCRYPTED,) if proxy.upstream.shows_keys else (),
        )
        collect_seldom()
        Server(proxy, lambda: print_block(start_block(start))).run([bound])
    return 0


def check_keep_days(days: int) -> None:
    """Raises SettingsError for a number of days that means nothing."""
    if days < 0:
        raise SettingsError("--keep-days is a number of days, or 0 to delete nothing")


def collect_seldom() -> None:
    """Have Python search for garbage as seldom as a server of long histories needs."""
    gc.freeze()
    gc.set_threshold(OBJECTS_BETWEEN_COLLECTIONS)


def print_block(text: str) -> None:
    """Each of its lines, at once, as a pipe would hold them back."""
    for line in text.splitlines():
        print_line(line)


def _tokens(arguments: argparse.Namespace) -> list[str]:
    from historylab.serving.callers import is_loopback
    from historylab.settings.names import PROXY_TOKEN

    tokens = [token for token in (*arguments.token, os.environ.get(PROXY_TOKEN, "")) if token]
    if any(not re.fullmatch(r"[!-~]{8,}", token) for token in tokens):
        raise SettingsError("a token has 8 characters or more, and no blanks")
    if not tokens and not is_loopback(arguments.host):
        raise SettingsError(f"--host {arguments.host} lets others in: give --token or set {PROXY_TOKEN}")
    return tokens


def recording_line(place: str | None, keep_days: int, patterns: int) -> str:
    """The recording: its place, for how long it is kept, and without what."""
    if place is None:
        return "nothing is kept (--record FOLDER keeps each request, for the Live page)"
    from historylab.recordings.place import place_in_words

    kept = f"for {keep_days:,} days" if keep_days else "for ever"
    more = f", without keys and {count_of(patterns, 'pattern')} of yours" if patterns else ", without keys"
    return f"{place_in_words(place)}, {kept}{more}"
