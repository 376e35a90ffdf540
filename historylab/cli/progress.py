"""The progress of a long command, on stderr, and a stop by Ctrl-C or SIGTERM that keeps what is done."""

from __future__ import annotations

import contextlib
import signal
import threading
from collections.abc import Callable, Iterator

from historylab.cli.base import console


@contextlib.contextmanager
def progress_bar(doing: str) -> Iterator[Callable[[int, int], None] | None]:
    """A progress bar on stderr, named by what is done; takes (done, in all). None if stderr is no terminal."""
    screen = console(stderr=True)
    if not screen.is_terminal:
        yield None
        return
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

    with Progress(TextColumn(doing), BarColumn(), MofNCompleteColumn(), console=screen, transient=True) as bar:
        task = bar.add_task("", total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)


@contextlib.contextmanager
def interruptible() -> Iterator[Callable[[], bool]]:
    """Tell whether to stop, by Ctrl-C or SIGTERM: what is done is then kept. A second one ends it as always."""
    stopped = False

    def stop(*_: object) -> None:
        nonlocal stopped
        stopped = True
        restore()

    def restore() -> None:
        for number, handler in before.items():
            signal.signal(number, handler)

    if threading.current_thread() is not threading.main_thread():  # only the main thread is told of signals
        yield lambda: False
        return
    before = {number: signal.signal(number, stop) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield lambda: stopped
    finally:
        restore()
