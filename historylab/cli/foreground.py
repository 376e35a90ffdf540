"""A program in the foreground: it has the terminal, its signals and its job control as if it had been called alone."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from types import FrameType

FORWARDED = ("SIGTERM", "SIGHUP")
FROM_THE_KEYBOARD = ("SIGINT", "SIGQUIT")
"""Signals that the terminal sends to every process in its foreground: the program has had them already."""


class CannotStart(Exception):
    """The program can't be started; why, in the system's words."""


def run_in_foreground(
    command: Sequence[str], environment: Mapping[str, str], started: Callable[[Callable[[], None]], None]
) -> int:
    """Run a program to its end and return its exit status as shells know it: 128 and the number of a signal.

    `started` is handed what ends the program. Signals sent here go to it; what the terminal sends it gets by itself.
    Raises CannotStart.
    """
    running: list[subprocess.Popen[bytes]] = []
    early: list[int] = []

    def forward(number: int, _frame: FrameType | None = None) -> None:
        if not running:
            early.append(number)
        elif number in _numbers(FORWARDED) or not _has_the_terminal():
            _send(running[0], number)

    with _signal_handlers(forward):
        # files that the caller left open for it stay open, as in a shell; ours are closed by themselves
        try:
            running.append(subprocess.Popen(command, env=environment, close_fds=False))
        except OSError as problem:
            raise CannotStart(problem.strerror or str(problem)) from None
        started(lambda: _send(running[0], signal.SIGTERM))
        for number in early:
            forward(number)
        return _wait_for_end(running[0])


@contextmanager
def _signal_handlers(forward: Callable[[int, FrameType | None], None]) -> Iterator[None]:
    """Handle signals, but for those that the caller ignores; a program that is started gets the usual handlers."""
    numbers = [n for n in _numbers((*FORWARDED, *FROM_THE_KEYBOARD)) if signal.getsignal(n) is not signal.SIG_IGN]
    before = {number: signal.signal(number, forward) for number in numbers}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _numbers(names: Sequence[str]) -> list[int]:
    """The signals that this system has."""
    return [getattr(signal, name) for name in names if hasattr(signal, name)]


def _wait_for_end(process: subprocess.Popen[bytes]) -> int:
    if os.name == "nt":
        return process.wait()
    while True:
        _, status = os.waitpid(process.pid, os.WUNTRACED)
        if not os.WIFSTOPPED(status):
            process.returncode = os.waitstatus_to_exitcode(status)
            return process.returncode if process.returncode >= 0 else 128 - process.returncode
        if _has_the_terminal():  # the shell takes over, and `fg` goes on here
            os.kill(os.getpid(), signal.SIGSTOP)
            _send(process, signal.SIGCONT)


def _send(process: subprocess.Popen[bytes], number: int) -> None:
    """Popen's own would wait for the process first, and its status then be gone."""
    if process.returncode is None:
        os.kill(process.pid, number)


def _has_the_terminal() -> bool:
    """Tell whether this process is in the foreground of a terminal."""
    if os.name == "nt":
        return True
    for standard in range(3):
        try:
            return os.tcgetpgrp(standard) == os.getpgrp()
        except OSError:
            continue
    return False
