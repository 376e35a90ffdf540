"""Calls somebody else's function, in a thread of its own and with a time limit, so that its faults stay its own."""

from __future__ import annotations

import ctypes
import queue
import threading
from collections.abc import AsyncIterable, Awaitable, Callable, Iterable, Mapping
from concurrent.futures import Future
from concurrent.futures import TimeoutError as TooLate
from itertools import islice
from typing import Any, TypeAlias

from historylab.errors import InstrumentError, SettingsError
from historylab.secrets.redaction import Redaction

LONGEST, LOOKED_AT = 300, 10_000  # characters of its own words: shown, and searched for keys
MOST = 100_000  # messages returned

Job: TypeAlias = "tuple[Callable[[], Any], Callable[[Any], Any], Future[Any]]"


class TrimmerFailed(InstrumentError):
    """A trimmer raised, gave no answer in time, or returned what is no list of messages."""


def check_time_limit(seconds: object) -> None:
    """Raises SettingsError for what is no number of seconds above 0."""
    if not isinstance(seconds, int | float) or not seconds > 0:
        raise SettingsError(f"a trimmer has a number of seconds above 0 for an answer, not {seconds!r:.40}")


class Caller:
    """One thread in which functions are called one after another; coroutines run on its event loop.

    A notebook or a screen has a loop of its own, in which no other can be run: hence the thread. A call that is late is
    left behind, its thread with it, and the next one gets another. `is_late`: the newest call was.

    Raises SettingsError for what is no number of seconds above 0.
    """

    def __init__(self, seconds: float):
        check_time_limit(seconds)
        self.seconds, self.is_late = min(seconds, threading.TIMEOUT_MAX), False
        self._jobs: queue.SimpleQueue[Job | None] = queue.SimpleQueue()
        self._thread: threading.Thread | None = None

    def __enter__(self) -> Caller:
        return self

    def __exit__(self, *_: object) -> None:
        self._jobs.put(None)

    def call(self, make: Callable[[], Any], finish: Callable[[Any], Any] = lambda given: given) -> Any:
        """The answer of `make()`, awaited if need be and passed through `finish`, all of it in time.

        Raises TrimmerFailed, with the reason in words.
        """
        answer: Future[Any] = Future()
        self.is_late = False
        if self._thread is None:
            self._thread = threading.Thread(target=_work, args=(self._jobs,), name="trimmer", daemon=True)
            self._thread.start()
        self._jobs.put((make, finish, answer))
        try:
            return answer.result(self.seconds)
        except TooLate:
            self._leave_behind()
            raise TrimmerFailed(f"it gave no answer in {self.seconds:g} s") from None

    def _leave_behind(self) -> None:
        thread, self._thread, self.is_late = self._thread, None, True
        self._jobs.put(None)
        self._jobs = queue.SimpleQueue()
        if thread is not None and thread.ident is not None:  # an endless loop would take a processor for good
            ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread.ident), ctypes.py_object(SystemExit))


def _work(jobs: queue.SimpleQueue[Job | None]) -> None:
    import asyncio  # takes longer than all else here

    loop = asyncio.new_event_loop()
    asyncio.set_event_loop(loop)
    while job := jobs.get():
        make, finish, answer = job
        try:
            given = make()
            answer.set_result(
                finish(
                    loop.run_until_complete(_result_of(given))
                    if isinstance(given, Awaitable | AsyncIterable)
                    else given
                )
            )
        except TrimmerFailed as problem:
            answer.set_exception(problem)
        except BaseException as problem:  # also SystemExit: it is not ours to end; its words may take their time, too
            answer.set_exception(TrimmerFailed(f"it raised {error_in_words(problem)}"))
    loop.close()


async def _result_of(given: Awaitable[Any] | AsyncIterable[Any]) -> Any:
    if not isinstance(given, AsyncIterable):
        return await given
    found = list[Any]()
    async for each in given:
        found.append(each)
        if len(found) > MOST:
            break
    return found


def error_in_words(problem: BaseException) -> str:
    """ "ValueError: no way": the error on one line, without keys, no more than LONGEST characters."""
    try:
        words = " ".join(str(problem)[:LOOKED_AT].split())
    except BaseException:  # it can't say what it is
        words = ""
    words = Redaction().redact(words)[0]
    return f"{type(problem).__name__}{f': {words[:LONGEST]}' if words else ''}"


def list_of(returned: Any) -> list[Any]:
    """The messages of what a trimmer returned. Raises TrimmerFailed for what is no list of them."""
    if isinstance(returned, tuple) and any(isinstance(each, list) for each in returned):
        raise TrimmerFailed(f"it returned a tuple of {len(returned)}: return the list of messages alone")
    if isinstance(returned, str | bytes | Mapping) or not isinstance(returned, Iterable):
        kind = "nothing" if returned is None else f"a Python {type(returned).__name__}"
        raise TrimmerFailed(f"it returned {kind} where a list of messages is meant")
    found = list(islice(returned, MOST + 1))  # an endless one would not be interrupted
    if len(found) > MOST:
        raise TrimmerFailed(f"it returned more than {MOST:,} messages")
    return found
