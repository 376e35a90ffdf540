"""What a tab remembers of a search for better settings, and work that fills in while somebody watches."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from threading import Lock
from typing import Any

from historylab.formats.load import Conversations

FEW, MORE, MANY = 50, 150, 500


@dataclass
class TuneChoices:
    """The choices made on the pages Tune and Corpus."""

    turned: list[str] | None = None  # the knobs a search turns; None: the usual ones
    most: int = FEW
    everywhere: bool = False  # over all conversations of the file, not the open one alone
    musts: list[str] = field(default_factory=list)
    aim: str = "balanced"
    cache: str = ""  # empty: the one that goes with the model's prices
    words: str = ""
    picked: str = ""  # key of the candidate looked at; empty: the recommended one
    uploads: dict[str, Conversations] = field(default_factory=dict)
    volume: int = 10_000  # conversations a month


@dataclass(eq=False)
class Work:
    """Work that is done once and kept: its result so far, and what this person said: start it, or stop.

    A click starts the page anew while the run before may still be at its last step: who works holds `lock`.
    """

    result: Any = None
    done: bool = False
    wanted: bool = False
    stopped: bool = False
    lock: Any = field(default_factory=Lock)

    def stop(self) -> None:
        self.stopped, self.wanted = True, False

    def want(self) -> None:
        self.stopped, self.wanted = False, True


class Interruption:
    """Catches what Streamlit raises when somebody clicks during the work, so that the rows done so far are kept.

    `step` is called with (done, of); `happened` is asked whether to stop; `pass_on` raises what was caught.
    """

    def __init__(self, show: Callable[[int, int], None]):
        self._show, self._caught = show, None

    def step(self, done: int, of: int) -> None:
        try:
            self._show(done, of)
        except BaseException as asked:  # a rerun is no Exception
            self._caught = asked

    def happened(self) -> bool:
        return self._caught is not None

    def pass_on(self) -> None:
        if self._caught is not None:
            raise self._caught
