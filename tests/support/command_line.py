"""The command in this process: what it printed, and how it ended."""

from __future__ import annotations

from historylab.cli import main


def run(capsys, *arguments: str) -> tuple[int, str, str]:
    """Exit code, stdout and stderr."""
    try:
        code = main.main(arguments)
    except SystemExit as exit:
        code = exit.code
    printed = capsys.readouterr()
    return code, printed.out, printed.err
