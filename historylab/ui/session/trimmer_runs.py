"""Runs of trimmers: each request is asked once, whoever waits for it and however often the page is drawn meanwhile.

A run has a thread of its own, which goes on when a click ends the drawing of the page that waits for it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from threading import Event, Lock, Thread

import streamlit as st

from historylab.conversation.conversation import Conversation
from historylab.planning.replay import Timeline
from historylab.tuning.replayed import TrimmerLane
from historylab.ui.session.chosen_trimmer import trimmer_title
from historylab.ui.session.session import tab
from historylab.wording.untrusted import code_span

AT_ONCE, LOOK = 1.0, 0.1  # seconds before a bar is drawn, and between two looks


class _Left(Exception):
    """Nobody waits for it any more."""


@dataclass(eq=False)
class TrimmerWork:
    """A run under way, and the tabs that wait for it."""

    conversation: Conversation
    lane: TrimmerLane
    tabs: set[int] = field(default_factory=set)
    asked: int = 0
    of: int = 0
    left: bool = False
    problem: BaseException | None = None
    done: Event = field(default_factory=Event)

    @property
    def key(self) -> tuple[int, str]:
        return id(self.conversation), self.lane.key

    def work(self) -> None:
        try:
            self.lane.open(self.conversation, self._note)
        except BaseException as problem:
            self.problem = problem
        finally:
            with _lock:
                if _running.get(self.key) is self:
                    del _running[self.key]
            self.done.set()

    def _note(self, asked: int, of: int) -> None:
        if self.left:
            raise _Left
        self.asked, self.of = asked, of


_running: dict[tuple[int, str], TrimmerWork] = {}
_lock = Lock()


def trimmed_timeline(conversation: Conversation, lane: TrimmerLane) -> Timeline:
    """What a trimmer sends; while it is asked, with a bar that shows how far that is."""
    if not lane.is_open(conversation):
        _wait_for(_start_or_join(conversation, lane))
    return lane.open(conversation)


def _start_or_join(conversation: Conversation, lane: TrimmerLane) -> TrimmerWork:
    """The run; one that this tab alone waited for before isn't wanted any more."""
    me = id(tab())
    with _lock:
        wanted = TrimmerWork(conversation, lane)
        known = _running.get(wanted.key)
        work = known if known and not known.left else wanted
        for other in _running.values():
            if other is not work and me in other.tabs:
                other.tabs.remove(me)
                other.left = not other.tabs
        work.tabs.add(me)
        if work is wanted:
            _running[work.key] = work
            Thread(target=work.work, name="historylab-trimmer", daemon=True).start()
    return work


def _wait_for(work: TrimmerWork) -> None:
    if not work.done.wait(AT_ONCE):
        place = st.empty()
        while not work.done.wait(LOOK):
            place.progress(work.asked / max(1, work.of), _words(work))
        place.empty()
    if work.problem:
        raise work.problem


def _words(work: TrimmerWork) -> str:
    name = code_span(trimmer_title(str(work.lane.trimmer)))
    return f"Asking {name}: {work.asked:,} of {work.of:,} requests" if work.of else f"Opening {name}"
