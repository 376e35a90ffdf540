"""A plugin: the fixture `postgres`, a real PostgreSQL of the tests' own; where there is none they are skipped.

Mark such tests with `on_postgres`: one worker starts it once, as another user if this one is root.
"""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from itertools import count
from pathlib import Path
from urllib.parse import quote, urlencode

import pytest

on_postgres = [pytest.mark.slow, pytest.mark.xdist_group("postgres")]
BINARIES = max(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda path: float(path.parent.name), default=None)


class Cluster:
    """A server that only a socket in its own folder leads to; every place in it is a schema."""

    def __init__(self, folder: Path):
        self._folder, self._places = folder, count(1)
        self._connections = {}
        self._owner = {}
        if os.geteuid() == 0:  # as which PostgreSQL refuses to run
            user = next(user for user in pwd.getpwall() if user.pw_name in ("postgres", "nobody"))
            self._owner = {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []}
            os.chown(folder, user.pw_uid, user.pw_gid)
        self._run("initdb", "--username=tests", "--auth=trust", "--encoding=UTF8", "--locale=C", "--no-sync")

    def start(self) -> None:
        self._run("pg_ctl", "start", "--wait", "--log", self._folder / "log", "-o", f"-k {self._folder} -h ''")

    def crash(self) -> None:
        """Stop without a word or a checkpoint."""
        for connection in self._connections.values():
            connection.close()
        self._run("pg_ctl", "stop", "--mode=immediate")

    def url(self, **options: str) -> str:
        return f"postgresql://tests@/postgres?{urlencode({'host': self._folder, **options}, quote_via=quote)}"

    def place(self, **options: str) -> str:
        """The URL of an empty schema."""
        name = f"place_{next(self._places)}"
        self.execute(f"CREATE SCHEMA {name}")
        return self.url(options=" ".join([f"-csearch_path={name}", *(f"-c{k}={v}" for k, v in options.items())]))

    def execute(self, statement: str, url: str = "") -> list[tuple]:
        """The rows that a statement gives at a place, by a connection that stays open."""
        import psycopg

        connection = self._connections.get(url)
        if not connection or connection.closed:
            connection = self._connections[url] = psycopg.connect(url or self.url(), autocommit=True)
        cursor = connection.execute(statement)
        return cursor.fetchall() if cursor.description else []

    def _run(self, program: str, *options: object) -> None:
        command = [BINARIES / program, "-D", self._folder / "data", *options]
        done = subprocess.run(
            command, cwd=self._folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False, **self._owner
        )
        assert done.returncode == 0, done.stdout.decode(errors="replace")


@pytest.fixture(scope="session")
def postgres() -> Iterator[Cluster]:
    """A running cluster, thrown away afterwards."""
    pytest.importorskip("psycopg_pool", reason="psycopg is not installed")
    if BINARIES is None:
        pytest.skip("PostgreSQL is not installed: apt install postgresql")
    folder = Path(tempfile.mkdtemp(prefix="pg"))  # a short path: a socket's has 107 bytes at most
    try:
        cluster = Cluster(folder)
        cluster.start()
        yield cluster
    finally:
        with suppress(AssertionError):  # a test that stopped it may have failed
            cluster.crash()
        shutil.rmtree(folder, ignore_errors=True)
