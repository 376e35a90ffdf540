"""What a decision read of a store or wrote there, noted: a line of a recording has the summaries it was sent with.

A summary may repeat what it was written of. One that repeats what no recording keeps stays in this process: after a
restart it is written anew.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar

from historylab.secrets.redaction import Redaction
from historylab.stores.base import StateStore

MOST_WITHHELD = 1_000


class NotedState:
    """A store of state that is that one, and notes what goes by:

    store = NotedState(open_recording("recordings"))
    trimmer = Trimmer(settings, store=store)
    with store.note_state() as state:
        decision = trimmer.decide(body)
    """

    def __init__(self, store: StateStore, redaction: Redaction | None = None):
        self._store, self._redaction = store, redaction or Redaction()
        self._withheld: OrderedDict[str, str] = OrderedDict()
        self._noted: ContextVar[dict[str, str] | None] = ContextVar("noted", default=None)
        self._secrets: ContextVar[Sequence[str]] = ContextVar("secrets", default=())

    @contextmanager
    def note_state(self, secrets: Sequence[str] = ()) -> Iterator[dict[str, str]]:
        """The keys and values that are read or written within, in this thread or task; `secrets` are withheld, too."""
        noted: dict[str, str] = {}
        before, known = self._noted.set(noted), self._secrets.set(secrets)
        try:
            yield noted
        finally:
            self._noted.reset(before)
            self._secrets.reset(known)

    def read_state(self, keys: Iterable[str]) -> dict[str, str]:
        wanted = list(keys)
        withheld = {key: value for key in wanted if (value := self._withheld.get(key)) is not None}
        return self._note({**self._store.read_state(wanted), **withheld})

    def write_state(self, key: str, value: str) -> str:
        return self.write_states({key: value})[key]

    def write_states(self, values: Mapping[str, str]) -> dict[str, str]:
        secrets = self._secrets.get()
        withheld = {key: value for key, value in values.items() if self._redaction.redact(value, secrets)[1]}
        kept = {key: value for key, value in values.items() if key not in withheld}
        stands = self._store.write_states(kept) if kept else {}
        return self._note({**stands, **{key: self._withhold(key, value) for key, value in withheld.items()}})

    def _withhold(self, key: str, value: str) -> str:
        stands = self._withheld.setdefault(key, value)
        while len(self._withheld) > MOST_WITHHELD:
            self._withheld.popitem(last=False)
        return stands

    def delete_state(self, older_than: float) -> int:
        return self._store.delete_state(older_than)

    def _note(self, found: dict[str, str]) -> dict[str, str]:
        noted = self._noted.get()
        if noted is not None:
            noted |= found
        return found
