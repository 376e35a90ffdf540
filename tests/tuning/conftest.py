"""Where sweeps measure besides this process: pools that several tests use."""

from __future__ import annotations

import multiprocessing
from collections.abc import Iterator
from concurrent.futures import Executor, ProcessPoolExecutor

import pytest


@pytest.fixture(scope="session")
def two_processes() -> Iterator[Executor]:
    """One pool for every test that kills none of its processes: each of them imports numpy and pandas anew."""
    with ProcessPoolExecutor(2, mp_context=multiprocessing.get_context("spawn")) as executor:
        yield executor


@pytest.fixture(scope="session")
def dask_workers() -> Iterator[Executor]:
    """A cluster of two processes that are spoken to over TCP."""
    distributed = pytest.importorskip("distributed", reason="needs Dask: pip install 'historylab[cluster]'")
    options = {"threads_per_worker": 1, "processes": True, "protocol": "tcp://", "dashboard_address": None}
    cluster = distributed.LocalCluster(2, **options)
    with cluster, distributed.Client(cluster) as client, client.get_executor() as executor:
        yield executor
