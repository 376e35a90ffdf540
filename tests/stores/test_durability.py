"""What a store has acknowledged outlives its process, its server and a full disk; whatever fails is a StoreError."""

from __future__ import annotations

import json
import multiprocessing
import os
import subprocess
import sys
from pathlib import Path

import pytest
from postgres_cluster import on_postgres

from historylab.errors import StoreError
from historylab.stores.base import open_store

pytestmark = pytest.mark.slow
ROOT = Path(__file__).parents[2]
WRITER = ROOT / "tests/support/store_writer.py"
END_ALL = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'historylab'"


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=on_postgres)])
def url(request, tmp_path):
    """Of an empty store that lasts."""
    if request.param == "postgres":
        return request.getfixturevalue("postgres").place()
    return f"sqlite:///{tmp_path}/history.db"


@pytest.fixture
def writer():
    """Starts a process that writes; ended afterwards."""
    started = []

    def start(*arguments: object) -> subprocess.Popen:
        command = [sys.executable, str(WRITER), *map(str, arguments)]
        environment = {**os.environ, "PYTHONPATH": str(ROOT)}
        started.append(subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True))
        return started[-1]

    yield start
    for process in started:
        process.kill()
        process.wait()
        process.stdout.close()


def some_lines(process: subprocess.Popen, count: int) -> list[str]:
    return [process.stdout.readline().strip() for _ in range(count)]


def all_lines(process: subprocess.Popen) -> list[str]:
    return process.stdout.read().split()


def missing(url: str, acknowledged: list[str]) -> set[str]:
    """What was acknowledged and isn't there any more, of state and records."""
    store = open_store(url)
    recorded = {json.loads(record.text)["id"] for record in store.read_records()}
    there = store.read_state(acknowledged).keys() & recorded
    store.close()
    return {*acknowledged} - there


def test_what_was_acknowledged_is_there_after_its_writer_was_killed(url, writer):
    acknowledged = []
    for me in range(2):
        process = writer(url, me, 10**6)
        _, *said = some_lines(process, 12 + 9 * me)
        process.kill()
        acknowledged += [*said, *all_lines(process)]
    assert missing(url, acknowledged) == set()
    store = open_store(url)
    assert store.write_state("shared", "late") == "0"
    store.close()


def test_writers_at_once_lose_nothing_and_agree_on_what_stands(url, writer):
    processes = [writer(url, me, 25) for me in range(3)]  # which make the tables, too
    said = [all_lines(process) for process in processes]
    assert len({stands for stands, *_ in said}) == 1
    assert missing(url, [line for _, *lines in said for line in lines]) == set()
    store = open_store(url)
    assert len({record.number for record in store.read_records()}) == 75
    store.close()


@pytest.mark.filterwarnings("ignore:This process.*is multi-threaded:DeprecationWarning")
def test_a_store_made_before_a_fork_is_used_after_it(url):
    store = open_store(url)
    fork = multiprocessing.get_context("fork")
    workers = [fork.Process(target=store.write_state, args=(str(me), "written")) for me in range(2)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert [worker.exitcode for worker in workers] == [0, 0]
    assert store.read_state(["0", "1"]) == {"0": "written", "1": "written"}
    store.close()


def test_a_disk_that_is_full_refuses_and_loses_nothing(tmp_path, writer):
    url = f"sqlite:///{tmp_path}/history.db"
    _, *said = all_lines(writer(url, "me", 10**6, 1_500_000))
    assert said[-2:] == ["failed", "me-last"]
    assert missing(url, [line for line in said if line != "failed"]) == set()
    assert len(said) > 20


@pytest.mark.xdist_group("postgres")
def test_a_server_whose_disk_is_full_refuses_and_loses_nothing(postgres):
    url = postgres.place()
    store = open_store(url)
    store.write_state("before", "text")
    postgres.execute(
        """CREATE FUNCTION full_disk() RETURNS trigger LANGUAGE plpgsql AS
        $$BEGIN RAISE EXCEPTION 'could not extend file: No space left on device' USING ERRCODE = 'disk_full'; END$$;
        CREATE TRIGGER full_disk AFTER INSERT ON historylab_state FOR EACH ROW EXECUTE FUNCTION full_disk()""",
        url,
    )
    with pytest.raises(StoreError, match="No space left on device"):
        store.write_state("refused", "text")
    postgres.execute("DROP TRIGGER full_disk ON historylab_state", url)
    store.write_state("after", "text")
    assert list(store.read_state(["before", "refused", "after"])) == ["before", "after"]
    store.close()


@pytest.mark.xdist_group("postgres")
def test_what_was_acknowledged_is_there_after_the_server_crashed_and_the_store_goes_on(postgres, writer):
    url = postgres.place()
    store = open_store(url)
    store.write_state("before", "text")
    process = writer(url, "me", 10**6)
    _, *said = some_lines(process, 20)
    postgres.crash()
    try:
        said += all_lines(process)
        with pytest.raises(StoreError, match=r"failed|cannot be opened"):
            store.read_state(["before"])
    finally:
        postgres.start()
    assert said[-1] == "failed"
    assert missing(url, said[:-1]) == set()
    assert store.write_state("after", "text") == "text"
    store.close()


def end_all(postgres) -> None:
    """End the store's connections, until none is left: also one that its pool was just opening in the background."""
    while postgres.execute(END_ALL):
        pass


@pytest.mark.xdist_group("postgres")
def test_a_connection_that_is_lost_costs_a_read_nothing_and_a_write_only_if_it_was_on_its_way(postgres):
    url = postgres.place()
    store = open_store(url)
    store.write_state("before", "text")
    end_all(postgres)
    assert store.read_state(["before"]) == {"before": "text"}
    end_all(postgres)
    assert store.read_records() == []
    end_all(postgres)
    assert store.write_state("nothing was sent", "text") == "text"
    postgres.execute(
        """CREATE FUNCTION lost() RETURNS trigger LANGUAGE plpgsql AS
        $$BEGIN PERFORM pg_terminate_backend(pg_backend_pid()); RETURN NULL; END$$;
        CREATE TRIGGER lost AFTER INSERT ON historylab_state FOR EACH ROW EXECUTE FUNCTION lost()""",
        url,
    )
    with pytest.raises(StoreError, match="terminating connection"):
        store.write_state("on its way", "text")
    postgres.execute("DROP TRIGGER lost ON historylab_state", url)
    assert {*store.read_state(["before", "nothing was sent", "on its way"])} == {"before", "nothing was sent"}
    store.close()


@pytest.mark.xdist_group("postgres")
def test_connections_that_were_being_opened_when_the_others_were_lost_cost_nothing_either(postgres, monkeypatch):
    store = open_store(postgres.place())
    store.write_state("before", "text")
    pool = store._connections._open()
    for connection in [pool.getconn() for _ in range(3)]:
        pool.putconn(connection)
    monkeypatch.setattr(pool, "drain", lambda: None)  # it doesn't know of them
    end_all(postgres)
    assert store.write_state("nothing was sent", "text") == "text"
    for connection in [pool.getconn() for _ in range(3)]:
        pool.putconn(connection)
    end_all(postgres)
    assert {*store.read_state(["before", "nothing was sent"])} == {"before", "nothing was sent"}
    store.close()
