"""`python faulty_server.py FILE …`: the `historylab` command, in which no system can be chosen while FILE is there."""

from __future__ import annotations

import os
import runpy
import sys
from pathlib import Path
from typing import Any

SECRET = "the key is sk-917"


def failing(callback: Any, fault: Path) -> Any:
    def fails_or_calls(*args: Any, **more: Any) -> Any:
        if fault.exists():
            raise KeyError(SECRET)
        return callback(*args, **more)

    return fails_or_calls


if __name__ == "__main__":
    fault, sys.path[0] = Path(sys.argv.pop(1)), os.getcwd()  # as `python -m historylab` has it
    from historylab.ui.session import chosen_system

    chosen_system.choose_preset = failing(chosen_system.choose_preset, fault)
    runpy.run_module("historylab", run_name="__main__", alter_sys=True)
