"""Work for other processes that dies or fails on purpose; a module, because they import it by name."""

from __future__ import annotations

import os
import time
from pathlib import Path

from historylab.tuning.executor import is_ending


def die_once(marker_and_number: tuple[str, int]) -> int:
    """Ends its whole process the first time it meets number 3; elsewhere and later gives ten times the number."""
    marker, number = marker_and_number
    if number == 3 and not Path(marker).exists():
        Path(marker).touch()
        os._exit(1)
    return 10 * number


def always_die(number: int) -> int:
    os._exit(1)


def work_until_stopped(marker: str) -> str:
    """Says by a file that it has begun; gives back its batch once the work is stopped."""
    Path(marker).touch()
    while not is_ending():
        time.sleep(0.01)
    return marker


def fail(number: int) -> int:
    raise ZeroDivisionError(f"batch {number}")
