"""The `historylab` command: without a subcommand it opens the playground; the subcommands work in the terminal."""

from __future__ import annotations

import argparse
import io
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from historylab._version import __version__
from historylab.cli import export, recommend, show, sweep
from historylab.cli.base import INTERRUPTED, add_strict_environment, print_note
from historylab.cli.parser import Parser
from historylab.errors import HistoryLabError, SettingsError, UnknownMember

COMMANDS = (show, sweep, recommend, export)


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command and return its exit code: 0 for success, 1 for a failure, 2 for wrong usage."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # for a terminal or a pipe that is not UTF-8
    arguments = _parser().parse_args(argv)
    try:
        exit_code: int = arguments.run(arguments)
        sys.stdout.flush()
        return exit_code
    except (SettingsError, UnknownMember) as problem:
        return _refuse(problem, code=2)
    except HistoryLabError as problem:
        return _refuse(problem, code=1)
    except BrokenPipeError:  # the reader (`| head`) has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # what is left is flushed at exit
        return 1
    except KeyboardInterrupt:
        return 0 if arguments.run is open_playground else INTERRUPTED


def open_playground(arguments: argparse.Namespace) -> int:
    """Serve the playground until it is interrupted."""
    from historylab.settings.names import STRICT_ENVIRONMENT, TEMPLATE

    if arguments.debug:
        os.environ["NODE_ENV"] = "development"
    if arguments.strict_environment:
        os.environ[STRICT_ENVIRONMENT] = "true"
    template = arguments.template or os.environ.get(TEMPLATE)
    if template:
        try:
            os.environ[TEMPLATE] = check_template(template)
        except (HistoryLabError, OSError) as problem:
            return _refuse(problem, code=2)
    from historylab.ui.server import development_log, serve

    development_log.log_to_stderr()
    serve.serve(arguments.host, arguments.port, headless=arguments.headless)
    return 0


def check_template(path: str) -> str:
    """The template's absolute path, if it can be read as settings."""
    from historylab.settings.sources import read_template

    read_template(Path(path))
    return str(Path(path).resolve())


def _parser() -> argparse.ArgumentParser:
    parser = Parser(
        prog="historylab",
        description="Opens the playground: see which messages of a conversation your model is really sent, and why.",
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=f"historylab {__version__}")
    parser.add_argument(
        "--host", default="127.0.0.1", help="address to listen on (default: %(default)s, this machine only)"
    )
    parser.add_argument(
        "--port", type=_port, default=8501, help="port to listen on, 0 for any free one (default: %(default)s)"
    )
    parser.add_argument("--headless", action="store_true", help="do not open a web browser")
    parser.add_argument(
        "--template", metavar="FILE", help="settings to start from: AgentDock's JSON, ours, or a .env file"
    )
    parser.add_argument("--debug", action="store_true", help="print the development log (as NODE_ENV=development does)")
    add_strict_environment(parser)
    parser.set_defaults(run=open_playground)
    commands = parser.add_subparsers(title="without a screen", metavar="COMMAND")
    for command in COMMANDS:
        command.add_to(commands)
    return parser


def _port(text: str) -> int:
    if not text.isascii() or not text.isdigit() or int(text) > 65535:
        raise argparse.ArgumentTypeError(f"{text!r} is no port; give a number from 0 to 65535")
    return int(text)


def _refuse(problem: Exception, *, code: int) -> int:
    print_note(str(problem))
    return code


if __name__ == "__main__":
    sys.exit(main())
