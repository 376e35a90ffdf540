"""`historylab` and `historylab open`: the playground, if asked with a file or with a coding agent's session."""

from __future__ import annotations

import argparse
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from historylab.cli.base import (
    Subparsers,
    add_parser,
    console,
    print_json,
    print_line,
    print_note,
    print_table,
    strip_controls,
)
from historylab.cli.lanes import add_trimmer, lane_as_json, read_trimmer
from historylab.costs.amounts import money
from historylab.errors import HistoryLabError, LoadError, SettingsError

if TYPE_CHECKING:
    from historylab.costs.session_cost import SessionFigures
    from historylab.formats.sessions.find import Session

COLUMNS = ("", "changed", "tool", "project", "first question", "size", "cuts", "cost")
UNBROKEN = ("", "changed", "size", "cuts", "cost")
LEFT_OUT_BELOW = {"size": 100, "project": 80, "tool": 64, "cost": 52}
"""Columns that a terminal narrower than that goes without; number, date, question and cuts are always there."""
LISTED = 30  # sessions shown unless --all asks for more


def add_serving(parser: argparse.ArgumentParser, **default: Any) -> None:
    """The options of serving the playground; `default=SUPPRESS` where they may stand before the command, too."""
    parser.add_argument(
        "--host",
        **{"default": "127.0.0.1", **default},
        help="address to listen on (default: 127.0.0.1, this machine only)",
    )
    parser.add_argument(
        "--port",
        type=port_number,
        **{"default": 8501, **default},
        help="port to listen on, 0 for any free one (default: 8501)",
    )
    parser.add_argument("--headless", action="store_true", **default, help="do not open a web browser")
    parser.add_argument(
        "--template", metavar="FILE", **default, help="settings to start from: AgentDock's JSON, ours, or a .env file"
    )
    parser.add_argument(
        "--record",
        metavar="PLACE",
        **default,
        help="the recording to watch on screen: a folder, a file or a URL",
    )
    parser.add_argument(
        "--debug",
        action="store_true",
        **default,
        help="print the development log (as NODE_ENV=development does)",
    )
    add_trimmer(parser, dest="trimmers" if default else "trimmers_served")


def add_to(commands: Subparsers) -> None:
    parser = add_parser(commands, "open", "Open files, or sessions of coding agents on this machine, on screen", run)
    parser.add_argument(
        "what",
        metavar="FILE or NUMBER",
        nargs="*",
        help="transcripts, folders of them, or numbers of sessions in the list",
    )
    parser.add_argument(
        "--search",
        metavar="WORDS",
        default="",
        help="list sessions with these words in their question, project or path",
    )
    parser.add_argument(
        "--project", metavar="NAME", default="", help="list sessions of projects with this in their path"
    )
    parser.add_argument("--all", action="store_true", help=f"list every session, not only the newest {LISTED}")
    add_serving(parser, default=argparse.SUPPRESS)


def run(arguments: argparse.Namespace) -> int:
    """List the sessions of this machine, or serve the playground with the files, sessions or recording named."""
    if not arguments.what:
        return open_playground(arguments) if arguments.record else _list(arguments)
    from historylab.formats.sessions.databases import database_session
    from historylab.settings.names import OPEN

    paths = [_chosen_file(what) for what in arguments.what]
    for path in paths:
        if not path.exists() and not database_session(str(path)):
            raise LoadError(f"there is no file {strip_controls(str(path), 80)!r}; check the path")
    os.environ[OPEN] = "\n".join(str(path.resolve()) for path in paths)
    return open_playground(arguments)


def open_playground(arguments: argparse.Namespace) -> int:
    """Serve the playground until it is interrupted."""
    from historylab.settings.names import RECORD, STRICT_ENVIRONMENT, TEMPLATE, TRIMMER

    if arguments.debug:
        os.environ["NODE_ENV"] = "development"
    if arguments.strict_environment:
        os.environ[STRICT_ENVIRONMENT] = "true"
    template = arguments.template or os.environ.get(TEMPLATE)
    if template:
        try:
            os.environ[TEMPLATE] = check_template(template)
        except (HistoryLabError, OSError) as problem:
            raise SettingsError(str(problem)) from None
    if lane := read_trimmer(arguments):
        os.environ[TRIMMER] = lane_as_json(lane)
    if arguments.record:
        os.environ[RECORD] = arguments.record if "://" in arguments.record else os.path.abspath(arguments.record)
    from historylab.ui.server import development_log, serve

    development_log.log_to_stderr()
    serve.serve(arguments.host, arguments.port, headless=arguments.headless)
    return 0


def port_number(text: str) -> int:
    """A port, or 0 for any free one."""
    if not text.isascii() or not text.isdigit() or int(text) > 65535:
        raise argparse.ArgumentTypeError(f"{text!r} is no port; give a number from 0 to 65535")
    return int(text)


def check_template(path: str) -> str:
    """The template's absolute path, if it can be read as settings."""
    from historylab.settings.sources import read_template

    read_template(Path(path))
    return str(Path(path).resolve())


def _chosen_file(what: str) -> Path:
    """The file of that path; or of the session with that number, if no file is called so."""
    from historylab.costs.session_cost import MOST_READ
    from historylab.formats.load import load
    from historylab.formats.sessions.find import find_sessions

    if not what.isdecimal() or os.path.exists(what):
        return Path(what)
    listed, number = find_sessions(), int(what)
    if not 1 <= number <= len(listed):
        raise HistoryLabError(f"there is no session {number}; this machine has {len(listed):,} (historylab open)")
    chosen = listed[number - 1]
    if (chosen.size or 0) <= MOST_READ:  # what can't be read is told here, before a browser opens
        load(chosen.path)
    return chosen.path


def _list(arguments: argparse.Namespace) -> int:
    from historylab.costs.session_cost import MOST_MEASURED, measure_sessions
    from historylab.formats.sessions.find import find_sessions, matching_sessions
    from historylab.wording.loading import unread_sessions

    listed = find_sessions()
    numbers = {session.path: number for number, session in enumerate(listed, 1)}
    found = matching_sessions(listed, arguments.search, arguments.project)
    shown = found if arguments.all else found[:LISTED]
    measured = [*zip((numbers[session.path] for session in shown), shown, measure_sessions(shown), strict=True)]
    if arguments.json:
        sessions = [_session_as_json(*each) for each in measured]
        unread = [{"path": str(path), "reason": reason} for path, reason in listed.unread]
        print_json({"version": 1, "sessions": sessions, "more": len(found) - len(shown), "unread": unread})
        return 0
    for path, reason in listed.unread:
        print_note(unread_sessions(path, reason))
    if not shown:
        print_line(_none_found(any_listed=bool(listed)))
        return 0
    part = f": {len(found):,} of {len(listed):,}" if len(found) < len(listed) else ""
    _print_sessions(f"Sessions on this machine{part}", [_row(*each) for each in measured])
    more = f", {len(found) - len(shown):,} more with --all" if len(shown) < len(found) else ""
    print_line(f"historylab open NUMBER opens one{more}.")
    if len(shown) > MOST_MEASURED:
        print_line(f"Cuts and cost are read of the newest {MOST_MEASURED} listed; --search and --project list fewer.")
    return 0


def _print_sessions(title: str, rows: list[tuple[Any, ...]]) -> None:
    """The table, with as many columns as the terminal has room for."""
    width = console().width
    held = [k for k, column in enumerate(COLUMNS) if width >= LEFT_OUT_BELOW.get(column, 0)]
    print_table(title, [COLUMNS[k] for k in held], [[row[k] for k in held] for row in rows], unbroken=UNBROKEN)


def _none_found(*, any_listed: bool) -> str:
    from historylab.formats.sessions.places import tools

    if any_listed:
        return "No session of this machine matches."
    *first, last = tools()
    return f"No session of {', '.join(first)} or {last} was found on this machine: historylab open FILE"


def _row(number: int, session: Session, figures: SessionFigures | None) -> tuple[Any, ...]:
    from historylab.wording.loading import NO_QUESTION, file_size, home_as_tilde

    changed, size = f"{session.changed.astimezone():%Y-%m-%d %H:%M}", session.size
    cuts, dollars = (figures.compactions, figures.dollars) if figures else (None, None)
    cost = None if dollars is None else money(dollars)
    project, held = home_as_tilde(session.project), None if size is None else file_size(size)
    return number, changed, session.tool, project, session.question or NO_QUESTION, held, cuts, cost


def _session_as_json(number: int, session: Session, figures: SessionFigures | None) -> dict[str, Any]:
    return {
        "number": number,
        "tool": session.tool,
        "path": str(session.path),
        "question": session.question,
        "project": session.project,
        "changed": session.changed.isoformat(),
        "size": session.size,
        "compactions": figures.compactions if figures else None,
        "dollars": figures.dollars if figures else None,
    }
