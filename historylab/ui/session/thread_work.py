"""Work that a click doesn't end: done once, in a thread of its own, which outlives the page's reruns.

Whoever wants the same joins it, from any tab. The page follows it with a bar.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from threading import Event, Lock, Thread
from typing import TypeAlias

import streamlit as st

from historylab.ui.session.session import tab, touch

AT_ONCE, LOOK = 1.0, 0.1  # seconds before a bar is drawn, and between two looks
Key: TypeAlias = tuple[str | int, ...]
"""The kind of work, and what it is on."""
Tell: TypeAlias = Callable[[int, int], None]


class _Left(BaseException):
    """Nobody waits for it any more."""


@dataclass(eq=False)
class ThreadWork:
    """Work under way, and the tabs that wait for it."""

    make: Callable[[Tell], object]
    tabs: set[int] = field(default_factory=set)
    done: int = 0
    of: int = 0
    left: bool = False
    problem: BaseException | None = None
    over: Event = field(default_factory=Event)

    def run(self, key: Key) -> None:
        try:
            self.make(self._tell)
        except BaseException as problem:
            self.problem = problem
        finally:
            with _lock:
                if _under_way.get(key) is self:
                    del _under_way[key]
            self.over.set()

    def _tell(self, done: int, of: int) -> None:
        if self.left:
            raise _Left
        self.done, self.of = done, of


_under_way: dict[Key, ThreadWork] = {}
_lock = Lock()


def is_followed(key: Key) -> bool:
    """Tell whether that work is being done, and this tab waits for it."""
    with _lock:
        work = _under_way.get(key)
        return work is not None and not work.left and id(tab()) in work.tabs


def follow_work(
    key: Key, make: Callable[[Tell], object], words: Callable[[int, int], str], on_stop: Callable[[], None]
) -> bool:
    """Have `make` do the work, which tells how far it is, and wait; a bar says `words` of that.

    Beside the bar is a button that ends it, for this tab, and calls `on_stop`. Tells whether the work is done, and
    raises what it raised.
    """
    work = _start_or_join(key, make)
    if not work.over.wait(AT_ONCE):
        place = st.empty()
        with place.container(horizontal=True, vertical_alignment="center", key=f"following {key[0]}"):
            bar = st.progress(0.0, words(work.done, work.of))
            st.button("Stop", key=f"stop {key[0]}", on_click=_stop, args=(key, on_stop))
        while not work.over.wait(LOOK):
            bar.progress(min(1.0, work.done / max(1, work.of)), words(work.done, work.of))
        place.empty()
    if work.problem and not isinstance(work.problem, _Left):
        raise work.problem
    return work.problem is None


def _start_or_join(key: Key, make: Callable[[Tell], object]) -> ThreadWork:
    """The work; one of its kind that this tab alone waited for before isn't wanted any more."""
    wanted = ThreadWork(make)
    leave_work(key[0], but=key)
    with _lock:
        known = _under_way.get(key)
        work = known if known and not known.left else wanted
        work.tabs.add(id(tab()))
        if work is wanted:
            _under_way[key] = work
            Thread(target=work.run, args=(key,), name=f"historylab-{key[0]}", daemon=True).start()
    return work


def leave_work(kind: str | int, *, but: Key = ()) -> None:
    """Wait for no work of that kind any more, except for one. What nobody waits for ends."""
    me = id(tab())
    with _lock:
        for key, work in _under_way.items():
            if key[0] == kind and key != but and me in work.tabs:
                work.tabs.remove(me)
                work.left = not work.tabs


def _stop(key: Key, on_stop: Callable[[], None]) -> None:
    leave_work(key[0])
    on_stop()
    touch()
