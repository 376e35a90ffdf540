"""Work for other processes that dies or fails on purpose; a module, because they import it by name."""

from __future__ import annotations

import os
from pathlib import Path


def die_once(marker_and_number: tuple[str, int]) -> int:
    """Ends its whole process the first time it meets number 3; elsewhere and later gives ten times the number."""
    marker, number = marker_and_number
    if number == 3 and not Path(marker).exists():
        Path(marker).touch()
        os._exit(1)
    return 10 * number


def always_die(number: int) -> int:
    os._exit(1)


def fail(number: int) -> int:
    raise ZeroDivisionError(f"batch {number}")
