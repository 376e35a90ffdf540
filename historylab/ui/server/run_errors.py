"""Faults that end a run of a page, handed to what shows them: the server is up before any page, which brings that."""

from __future__ import annotations

from collections.abc import Callable

Show = Callable[[Exception], bool]
_shown_by: list[Show] = []


def show_by(show: Show) -> None:
    """Have what ends a run shown by this from now on; it returns whether it does."""
    _shown_by[:] = [show]


def hand_on(problem: Exception) -> bool:
    """Tell whether what ended a run is shown by ours, not by Streamlit: before the first page, nothing is."""
    return any(show(problem) for show in _shown_by)
