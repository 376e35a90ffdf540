"""Long work done in the page, with a progress bar: its result so far, and whether it may begin or must stop."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from threading import Lock
from typing import Any

from streamlit.runtime.scriptrunner import get_script_run_ctx
from streamlit.runtime.scriptrunner_utils.script_requests import ScriptRequestType


class ClickWaits(Exception):
    """A click came during work that it doesn't interrupt by itself."""


def give_way() -> None:
    """Raise ClickWaits if the browser sent something meanwhile. Streamlit lets no click in a fragment end a run."""
    # Its public ways to ask take the request, or say nothing of a fragment's. Without the field nothing is interrupted.
    requests = getattr(get_script_run_ctx(suppress_warning=True), "script_requests", None)
    if getattr(requests, "_state", None) == ScriptRequestType.RERUN:
        raise ClickWaits


@dataclass(eq=False)
class Work:
    """Work that is done once and kept: its result so far, and whether a click started or stopped it.

    A click starts the page anew while the run before may still be at its last step: the run that works holds `lock`.
    """

    result: Any = None  # what `fill` of work_progress puts there: rows, loads
    done: bool = False
    wanted: bool = False
    stopped: bool = False
    lock: Lock = field(default_factory=Lock)

    def stop(self) -> None:
        self.stopped, self.wanted = True, False

    def want(self) -> None:
        self.stopped, self.wanted = False, True


class Interruption:
    """Catches what Streamlit raises when a click interrupts the work, so that the rows done so far are kept.

    Call `step` after each row with what `show` takes, stop once it `has_happened()`, and `pass_on()` at the end.
    """

    def __init__(self, show: Callable[..., None]):
        self._show = show
        self._caught: BaseException | None = None

    def step(self, *now: Any) -> None:
        try:
            self._show(*now)
        except BaseException as rerun:  # it is no Exception
            self._caught = rerun

    def has_happened(self) -> bool:
        return self._caught is not None

    def pass_on(self) -> None:
        if self._caught is not None:
            raise self._caught
