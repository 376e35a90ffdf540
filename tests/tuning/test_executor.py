"""Batches on any executor: a worker that dies or is stopped loses no result, and what is broken is said to be so."""

from __future__ import annotations

import multiprocessing
import os
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor

import crashing_workers
import pytest

from historylab.errors import WorkerLost
from historylab.tuning.executor import TRIES, Workers, run_batches


@pytest.mark.slow
def test_a_lost_worker_loses_no_result(tmp_path):
    numbers = [(str(tmp_path / "died"), n) for n in range(8)]
    with Workers(None, 2) as opened:
        found = dict(run_batches(crashing_workers.die_once, numbers, opened, at_once=4))
    assert sorted(found.values()) == [0, 10, 20, 30, 40, 50, 60, 70]


@pytest.mark.slow
def test_what_workers_have_when_they_are_stopped_is_not_lost(tmp_path):
    marker = str(tmp_path / "begun")
    with Workers(None, 1) as opened:
        stops = {"cancelled": lambda: os.path.exists(marker), "end_early": opened.end_early}
        work = run_batches(crashing_workers.work_until_stopped, [marker], opened, at_once=1, **stops)
        assert list(work) == [(marker, marker)]


@pytest.mark.slow
def test_a_batch_that_kills_every_worker_is_given_up():
    with Workers(None, 1) as opened, pytest.raises(WorkerLost, match=f"failed {TRIES} times"):
        list(run_batches(crashing_workers.always_die, [1], opened, at_once=1))


@pytest.mark.slow
def test_a_broken_executor_that_was_handed_in_is_said_to_be_so():
    executor = ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn"))
    with Workers(executor, 1) as opened, pytest.raises(WorkerLost, match="handed in is broken"):
        list(run_batches(crashing_workers.always_die, [1], opened, at_once=1))


def test_a_bug_is_not_swallowed():
    with ThreadPoolExecutor(1) as executor, pytest.raises(WorkerLost, match="batch 1") as caught:
        list(run_batches(crashing_workers.fail, [1], lambda: executor, at_once=1))
    assert isinstance(caught.value.__cause__, ZeroDivisionError)
