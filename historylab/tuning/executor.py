"""Runs batches of work on any `concurrent.futures` executor, a few at a time; a lost worker loses no result.

What a batch returns is yielded as it comes; what it leaves undone is given out again. So is a batch whose worker died,
or that failed, three times at most; an executor that broke because of it is opened anew, where we opened it ourselves.
"""

from __future__ import annotations

import signal
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import (
    FIRST_COMPLETED,
    BrokenExecutor,
    CancelledError,
    Executor,
    Future,
    ProcessPoolExecutor,
    wait,
)
from itertools import count
from multiprocessing import get_context
from typing import Any, TypeVar

from historylab.errors import WorkerLost

B = TypeVar("B")
R = TypeVar("R")
TRIES = 4
SECONDS_BETWEEN_LOOKS = 0.2  # between checks for a cancellation
SECONDS_TO_END = 10.0  # for workers to give back what they have, once the work is stopped


def run_batches(
    work: Callable[[B], R],
    batches: Iterable[B],
    open_executor: Callable[[], Executor],
    *,
    at_once: int,
    left_of: Callable[[B, R], B | None] = lambda batch, result: None,
    cancelled: Callable[[], bool] = lambda: False,
    end_early: Callable[[], object] = lambda: None,
) -> Iterator[tuple[B, R]]:
    """Yield each batch with its result, in the order they are done. Stops early, without an error, when cancelled.

    `left_of` names what a worker gave back undone: it is given out next. `end_early` is called once cancelled, to ask
    the workers for what they have, which is yielded, too.
    `open_executor` is called again only when the executor is broken. Raises WorkerLost for a batch that is lost or
    fails every time, with the last failure as its cause.
    """
    more, again, tries = count(), deque[tuple[int, B]](), Counter[int]()
    ahead = zip(more, batches)  # noqa: B905 (numbers have no end)

    def take() -> tuple[int, B] | None:  # one by one, so that batches are made when there is room for them
        return again.popleft() if again else next(ahead, None)

    waiting = take()
    running: dict[Future[R], tuple[int, B]] = {}
    executor = open_executor()
    while (waiting or running) and not cancelled():
        try:
            while waiting and len(running) < at_once:
                running[executor.submit(work, waiting[1])] = waiting
                waiting = take()
        except BrokenExecutor:
            if not running:  # else their failures are counted first
                executor = open_executor()
                continue
        for future in wait(running, SECONDS_BETWEEN_LOOKS, FIRST_COMPLETED).done:
            number, batch = running.pop(future)
            problem = _problem(future)
            if problem is None:
                yield batch, future.result()
                if left := left_of(batch, future.result()):
                    again.append((next(more), left))
                continue
            tries[number] += 1
            if tries[number] == TRIES:
                _stop(running)
                raise WorkerLost(f"a batch failed {TRIES} times: {problem or type(problem).__name__}") from problem
            again.append((number, batch))
        waiting = waiting or take()
    end_early()
    for future in wait(_stop(running), SECONDS_TO_END).done:
        if _problem(future) is None:
            yield running[future][1], future.result()


def _problem(future: Future[Any]) -> BaseException | None:
    """Why the future has no result. A cluster that loses a worker may cancel it."""
    try:
        return future.exception()
    except CancelledError as problem:
        return problem


def _stop(running: dict[Future[R], tuple[int, B]]) -> list[Future[R]]:
    """Cancel what is not begun. Returns the others."""
    return [future for future in running if not future.cancel()]


_ending: list[Any] = []  # in a process of ours: whose `value` is 1 once its work is stopped


def _begin(ending: Any) -> None:
    """Ctrl-C reaches every process of a terminal: a worker is told by us when to end, and gives back what it has."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _ending.append(ending)


def is_ending() -> bool:
    """Tell whether this process, a worker of ours, is to give back what it has."""
    return any(flag.value for flag in _ending)


class Workers:
    """Gives the executor handed in, once; or processes of our own, as often as they break. Closes only its own."""

    def __init__(self, executor: Executor | None, workers: int):
        self._given, self._workers = executor, workers
        self._now: Executor | None = None
        self._ending: Any = None

    def __call__(self) -> Executor:
        if self._given is not None and self._now is not None:
            raise WorkerLost("the executor handed in is broken; a worker of it died. Give a new one")
        self._close()
        self._now = self._given or self._processes()
        return self._now

    def _processes(self) -> Executor:
        context = get_context("spawn")  # a fork of a process with threads (Streamlit, tokenizers) may hang
        self._ending = context.RawValue("b", 0)  # no lock, which a process that dies could hold
        return ProcessPoolExecutor(self._workers, context, _begin, (self._ending,))

    def end_early(self) -> None:
        """Have processes of ours give back what they have; an executor handed in can't be told."""
        if self._ending is not None:
            self._ending.value = 1

    def __enter__(self) -> Workers:
        return self

    def __exit__(self, *_: object) -> None:
        self._close()

    def _close(self) -> None:
        if self._now is not None and self._given is None:
            self.end_early()
            self._now.shutdown(wait=False, cancel_futures=True)
