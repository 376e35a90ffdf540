"""A recording that can't be read: shown as a notice that names it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from historylab.errors import StoreError
from historylab.recordings.place import named_place, place_in_words
from historylab.ui.shared.notice import notice
from historylab.wording.library import cannot_read


def unreadable(problem: str) -> None:
    """Show why the recording is missing, if it is."""
    if problem:
        notice(cannot_read(place_in_words(named_place()), problem), "error")


@contextmanager
def store_errors_shown() -> Iterator[None]:
    """Wraps what reads the recording: if that fails, the rest of the page is this notice."""
    try:
        yield
    except StoreError as problem:
        unreadable(str(problem))
