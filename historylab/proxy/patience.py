"""A store for which no request waits longer than a second, all it asks counted together.

Once one has waited in vain the store counts as away, and nobody waits for it: what this process has read or written
answers for it, or nothing does. A look in the background finds when it answers again, and writes what it missed. So a
lock that somebody holds for minutes costs those who ask at first a second, and nobody else any.
"""

from __future__ import annotations

import logging
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import Future
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TypeVar

from historylab.conversation.exchange import Exchange
from historylab.errors import StoreError
from historylab.stores.base import Store
from historylab.stores.checks import check_state, check_state_keys

log = logging.getLogger("historylab.proxy")

T = TypeVar("T")
PATIENCE = 1.0
"""Seconds that a request waits for the store."""
PROMPT = 0.5
"""A store that was away is back when it answers within this share of that."""
SECONDS_BETWEEN_LOOKS = 1.0
MOST_KNOWN = 2_000
"""Values that are known without the store, those used last."""
LOOKED_FOR = "a key that nobody writes"
NO_ANSWER = "the store doesn't answer in time"

_request: ContextVar[Exchange | None] = ContextVar("request", default=None)


class NoAnswer(StoreError):
    """The store isn't waited for, or not any longer."""


@contextmanager
def one_request(exchange: Exchange) -> Iterator[None]:
    """Count what this thread or task waits within as the exchange's: `waited`, and `stale` where it was in vain."""
    token = _request.set(exchange)
    try:
        yield
    finally:
        _request.reset(token)


class PatientStore:
    """The state of a store, in time or not at all. Safe under threads; closing it closes the store.

    What it can't answer, or not in time, is as it was last known, which makes a request `stale`; what was never known
    is a StoreError. A value written meanwhile is kept here and written later; one that stands by then takes its place.
    """

    def __init__(self, store: Store, patience: float = PATIENCE):
        self.patience, self.away_since = patience, 0.0  # seconds since 1970; 0: it answers
        self._store = store
        self._known: OrderedDict[str, str] = OrderedDict()
        self._unwritten: dict[str, str] = {}
        self._lock, self._closed = threading.Lock(), threading.Event()

    def patience_left(self, waited: float) -> float:
        """Seconds that a request may still wait which has waited so long."""
        return 0.0 if self.away_since else max(0.0, self.patience - waited)

    def give_up(self) -> None:
        """Note that somebody has waited in vain: until the store answers again, nobody does."""
        with self._lock:
            if not self.away_since and not self._closed.is_set():
                self.away_since = time.time()
                log.warning("The store doesn't answer in time; until it does, nobody waits for it.")
                threading.Thread(target=self._look_until_back, name="historylab store", daemon=True).start()

    def read_state(self, keys: Iterable[str]) -> dict[str, str]:
        wanted = check_state_keys(keys)
        try:
            found = self._ask(lambda: self._store.read_state(wanted))
        except StoreError:  # one that is away fails at once, or doesn't answer
            found = self._recall(wanted)
            if len(found) < len(wanted):
                raise
            return found
        self._remember(found)
        return found

    def write_state(self, key: str, value: str) -> str:
        return self.write_states({key: value})[key]

    def write_states(self, values: Mapping[str, str]) -> dict[str, str]:
        new = check_state(values)
        try:
            standing = self._ask(lambda: self._store.write_states(new))
        except NoAnswer:
            with self._lock:
                self._unwritten |= {key: value for key, value in new.items() if key not in self._known}
            self._remember({key: value for key, value in new.items() if key not in self._known})
            self.give_up()  # so that it is written later
            return self._recall(new)
        self._remember(standing)
        return standing

    def delete_state(self, older_than: float) -> int:
        return self._store.delete_state(older_than)

    def close(self) -> None:
        """Close the store; one that is held at this moment is left to the end of the process."""
        self._closed.set()
        closing = threading.Thread(target=self._store.close, name="historylab store", daemon=True)
        closing.start()
        closing.join(self.patience)

    def _ask(self, work: Callable[[], T]) -> T:
        """Return what the store gives, in a thread that may be left behind. Raises NoAnswer in time."""
        exchange = _request.get()
        left = self.patience_left(exchange.waited if exchange is not None else 0.0)
        if not left:
            raise NoAnswer(NO_ANSWER)
        done, began = Future[T](), time.perf_counter()
        threading.Thread(target=_fulfil, args=(done, work), name="historylab store", daemon=True).start()
        try:
            return done.result(left)
        except TimeoutError:
            self.give_up()
            raise NoAnswer(NO_ANSWER) from None
        finally:
            if exchange is not None:
                exchange.waited += time.perf_counter() - began

    def _remember(self, values: Mapping[str, str]) -> None:
        with self._lock:
            for key, value in values.items():
                self._known[key] = value
                self._known.move_to_end(key)
            while len(self._known) > MOST_KNOWN:
                self._known.popitem(last=False)

    def _recall(self, keys: Iterable[str]) -> dict[str, str]:
        """The values that are known, if not from the store: whoever is told them is stale."""
        with self._lock:
            found = {key: self._known[key] for key in keys if key in self._known}
        if found and (exchange := _request.get()) is not None:
            exchange.stale = True
        return found

    # -- the look in the background

    def _look_until_back(self) -> None:
        pause = SECONDS_BETWEEN_LOOKS / 64
        while not self._closed.is_set():
            if self._is_back():
                with self._lock:
                    self.away_since = self.away_since if self._unwritten else 0.0
                if not self.away_since:
                    log.warning("The store answers again.")
                    return
            self._closed.wait(pause)
            pause = min(2 * pause, SECONDS_BETWEEN_LOOKS)

    def _is_back(self) -> bool:
        """Tell whether it reads and writes in time, state and records; if so, it has what it missed."""
        began = time.perf_counter()
        try:
            self._store.append_records(())
            self._store.read_state([LOOKED_FOR])
            with self._lock:
                unwritten = dict(self._unwritten)
            standing = self._store.write_states(unwritten)
        except Exception:
            return False
        self._remember(standing)
        with self._lock:
            for key in standing:
                self._unwritten.pop(key, None)
        return time.perf_counter() - began <= PROMPT * self.patience


def _fulfil(done: Future[T], work: Callable[[], T]) -> None:
    try:
        done.set_result(work())
    except Exception as problem:
        done.set_exception(problem)
