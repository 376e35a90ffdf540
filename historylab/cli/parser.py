"""How arguments are read: as argparse does, but what is not understood is said with what may have been meant."""

from __future__ import annotations

import argparse
import os
import re
import shlex
from collections.abc import Sequence
from difflib import get_close_matches
from typing import Any, NoReturn


class Parser(argparse.ArgumentParser):
    """Refuses what it doesn't know itself, so that a subcommand shows its own usage and not everybody's."""

    def parse_known_args(self, args: Sequence[str] | None = None, namespace: Any = None) -> tuple[Any, list[str]]:
        found, unknown = super().parse_known_args(args, namespace)
        if unknown:
            self.error(f"unrecognized arguments: {' '.join(unknown)}{self._meant(unknown[0])}")
        return found, unknown

    def error(self, message: str) -> NoReturn:
        command = re.search(r"argument COMMAND: invalid choice: '([^']+)'", message)
        super().error(_no_command(command[1]) if command else message)

    def _meant(self, argument: str) -> str:
        """A hint for an option nobody knows: the nearest one, or the setting that is named like it."""
        from historylab.settings.model import setting_names

        name, _, value = argument.partition("=")
        known = {option: option for option in re.findall(r"--[\w-]+", self.format_help())}
        if "--set" in known:
            known |= {
                f"--{setting.replace('_', '-')}": f"--set {setting}={value or '…'}" for setting in setting_names()
            }
        near = get_close_matches(name.replace("_", "-"), known, n=1) if name.startswith("--") else []
        return f"; did you mean {known[near[0]]}?" if near else ""


def _no_command(given: str) -> str:
    """What to do with a word where a command should be: a file is shown, another may be one mistyped."""
    if os.path.exists(given) or "." in given:
        return f"{given!r} is no command; to see a conversation in a file: historylab show {shlex.quote(given)}"
    near = get_close_matches(given, ("show", "sweep", "recommend", "export"), n=1)
    return f"there is no command {given!r}{f'; did you mean {near[0]}?' if near else ''}"
