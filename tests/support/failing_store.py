"""A store whose k-th call fails, hangs, or fails after it has done what it was asked."""

from __future__ import annotations

import threading
from typing import Any

from historylab.errors import StoreError, StoreLost
from historylab.stores.memory import InMemoryStore

WAYS = ("refuses", "raises", "lost", "hangs")
"""A StoreError before, another error before, a connection that is lost after the work, and an answer that is long in
coming."""


class FailingStore:
    """An InMemoryStore that fails at its k-th call (from 0, -1: never), in one of `WAYS`.

    One that hangs, which `hanging` says, goes on once `may_go_on` is set.
    """

    def __init__(self, at: int, way: str):
        self.kept, self.hanging, self.may_go_on = InMemoryStore(), threading.Event(), threading.Event()
        self.calls: list[str] = []
        self._at, self._way = at, way

    def __getattr__(self, name: str) -> Any:
        work = getattr(self.kept, name)
        if not callable(work):
            return work

        def call(*arguments: Any, **named: Any) -> Any:
            self.calls.append(name)
            if len(self.calls) - 1 != self._at:
                return work(*arguments, **named)
            match self._way:
                case "refuses":
                    raise StoreError("the disk is full")
                case "raises":
                    raise ZeroDivisionError("a mistake")
                case "hangs":
                    self.hanging.set()
                    assert self.may_go_on.wait(30)
                    return work(*arguments, **named)
            work(*arguments, **named)
            raise StoreLost("the connection was lost")

        return call
