"""What a decision read of a store or wrote there, noted: a line of a recording has the summaries it was sent with."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar

from historylab.stores.base import StateStore


class NotedState:
    """A store of state that is that one, and notes what goes by:

    store = NotedState(open_recording("recordings"))
    trimmer = Trimmer(settings, store=store)
    with store.noting() as state:
        decision = trimmer.decide(body)
    """

    def __init__(self, store: StateStore):
        self._store = store
        self._noted: ContextVar[dict[str, str] | None] = ContextVar("noted", default=None)

    @contextmanager
    def noting(self) -> Iterator[dict[str, str]]:
        """The keys and values that are read or written within, in this thread or task."""
        noted: dict[str, str] = {}
        before = self._noted.set(noted)
        try:
            yield noted
        finally:
            self._noted.reset(before)

    def read_state(self, keys: Iterable[str]) -> dict[str, str]:
        return self._note(self._store.read_state(keys))

    def write_state(self, key: str, value: str) -> str:
        return self.write_states({key: value})[key]

    def write_states(self, values: Mapping[str, str]) -> dict[str, str]:
        return self._note(self._store.write_states(values))

    def delete_state(self, older_than: float) -> int:
        return self._store.delete_state(older_than)

    def _note(self, found: dict[str, str]) -> dict[str, str]:
        noted = self._noted.get()
        if noted is not None:
            noted |= found
        return found
