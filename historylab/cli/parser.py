"""argparse's parser, with a suggestion for an option or a command it doesn't know."""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterable
from difflib import get_close_matches
from typing import Any, NoReturn

COMMANDS = (
    "open",
    "show",
    "why",
    "compare",
    "check",
    "tune",
    "sweep",
    "recommend",
    "export",
    "convert",
    "run",
    "proxy",
)
"""The subcommands, in the order of the help."""


class CommandParser(argparse.ArgumentParser):
    """Refuses unknown arguments itself, so that a subcommand prints its own usage and not the whole command's."""

    def parse_known_args(self, args: Iterable[str] | None = None, namespace: Any = None) -> tuple[Any, list[str]]:
        found, unknown = super().parse_known_args(args, namespace)
        if unknown:
            self.error(f"unrecognized arguments: {' '.join(unknown)}{self._did_you_mean(unknown[0])}")
        return found, unknown

    def error(self, message: str) -> NoReturn:
        command = re.search(r"argument COMMAND: invalid choice: '([^']+)'", message)
        super().error(_unknown_command(command[1]) if command else message)

    def _did_you_mean(self, argument: str) -> str:
        """A hint for an unknown option: the nearest known one, or the setting of a similar name."""
        from historylab.settings.model import setting_names

        name, _, value = argument.partition("=")
        known = {option: option for option in re.findall(r"--[\w-]+", self.format_help())}
        if "--set" in known:
            known |= {
                f"--{setting.replace('_', '-')}": f"--set {setting}={value or '…'}" for setting in setting_names()
            }
        if "--from" in known:  # as `check`, `run` and `proxy` call it
            known["--settings"] = "--from"
        near = get_close_matches(name.replace("_", "-"), known, n=1) if name.startswith("--") else []
        return f"; did you mean {known[near[0]]}?" if near else ""


def _unknown_command(given: str) -> str:
    """The error for an unknown command, with the nearest one."""
    near = get_close_matches(given, COMMANDS, n=1)
    return f"there is no command {given!r}{f'; did you mean {near[0]}?' if near else ''}"
