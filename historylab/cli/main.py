"""The `historylab` command: without a subcommand it opens the playground; the subcommands work in the terminal."""

from __future__ import annotations

import argparse
import io
import os
import sys
from collections.abc import Sequence

from historylab._version import __version__
from historylab.cli import check, compare, convert, export, proxy, recommend, run, show, sweep, tune, why
from historylab.cli import open as opening
from historylab.cli.base import INTERRUPTED, add_strict_environment, print_note
from historylab.cli.files import recordings_as_files
from historylab.cli.lanes import WITH_A_VALUE, trimmers_aside
from historylab.cli.parser import COMMANDS, CommandParser
from historylab.errors import HistoryLabError, SettingsError, UnknownMember, needs

MODULES = (opening, show, why, compare, check, tune, sweep, recommend, export, convert, run, proxy)
TAKE_A_VALUE = ("--host", "--port", "--template", "--record", *WITH_A_VALUE)
"""Options before a command whose value is the next argument."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command and return its exit code: 0 for success, 1 for a failure, 2 for wrong usage."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # for a terminal or a pipe that is not UTF-8
    arguments = _parser().parse_args(_with_open(sys.argv[1:] if argv is None else argv))
    try:
        with needs("historylab", "this command"), recordings_as_files(arguments), trimmers_aside(arguments):
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
        return 0 if arguments.run in (opening.open_playground, opening.run, proxy.run) else INTERRUPTED


def _with_open(argv: Sequence[str]) -> list[str]:
    """The arguments, with `open` before a file where a command is meant to stand: `historylab FILE` opens it."""
    given, value_of = list(argv), False
    for i, argument in enumerate(given):
        if not value_of and not argument.startswith("-"):
            is_file = argument not in COMMANDS and (os.path.exists(argument) or any(c in argument for c in "./\\"))
            return [*given[:i], "open", *given[i:]] if is_file else given
        value_of = argument in TAKE_A_VALUE
    return given


def _parser() -> argparse.ArgumentParser:
    parser = CommandParser(
        prog="historylab",
        description="Opens the playground: see which messages of a conversation your model is really sent, and why. "
        "`historylab FILE` opens a transcript of yours in it.",
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=f"historylab {__version__}")
    opening.add_serving(parser)
    add_strict_environment(parser)
    parser.set_defaults(run=opening.open_playground)
    commands = parser.add_subparsers(title="commands", metavar="COMMAND")
    for module in MODULES:
        module.add_to(commands)
    return parser


def _refuse(problem: Exception, *, code: int) -> int:
    print_note(str(problem))
    return code


if __name__ == "__main__":
    sys.exit(main())
