"""Connections to a PostgreSQL database: a bounded pool, opened at the first use, whose failures are all StoreError."""

from __future__ import annotations

import os
import re
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

from historylab.errors import StoreError, StoreLost
from historylab.stores.base import check_text
from historylab.stores.postgres_schema import migrate

if TYPE_CHECKING:
    import psycopg
    import psycopg_pool

T = TypeVar("T")
HOST = r"(?:\[[0-9a-f:.%]*\]|[^\[\]@:/?,]*)(?::[0-9]*)?"
URL = re.compile(
    rf"postgres(?:ql)?://(?:[^@/?]*@)?(?P<place>{HOST}(?:,{HOST})*(?:/[^@/?]*)?)(?:\?[^@]*)?", re.IGNORECASE
)
DEFAULTS = {"connect_timeout": 10, "tcp_user_timeout": 30_000, "fallback_application_name": "historylab"}
"""Where the URL says nothing: seconds to connect, and milliseconds until a silent server counts as lost."""
SECONDS_TO_WAIT = 30  # for a connection that other threads use
MOST_LOST = 5
"""Connections, one after another, that may be found lost before anything was asked on them."""
SERVER_STOPS = "57P"  # the class of SQLSTATEs with which a server ends its connections
INSTALL = 'a PostgreSQL store needs psycopg and its pool; pip install "psycopg[binary,pool]"'


class Connections:
    """The pool of one store. `name`: the database without user and password, as errors call it."""

    def __init__(self, url: str, most: int):
        try:
            import psycopg
            import psycopg_pool
        except ImportError:
            raise StoreError(INSTALL) from None
        found = URL.fullmatch(check_text("a store's URL", url))
        try:
            given = psycopg.conninfo.conninfo_to_dict(url) if found else {}
        except psycopg.Error:  # whose words may quote the password
            found = None
        if found is None:
            raise StoreError(
                "a PostgreSQL store's URL is postgresql://user:password@host:port/database?option=value; "
                "write @, /, ?, # and % in a password as %40, %2F, %3F, %23 and %25"
            )
        self.name = f"postgresql://{found['place']}"
        self._url, self._most = url, max(1, most)
        defaults = {name: value for name, value in DEFAULTS.items() if name not in given}
        self._options: dict[str, Any] = {**defaults, "client_encoding": "utf8", "autocommit": True}
        self._driver, self._pools = psycopg, psycopg_pool
        self._lock = threading.Lock()
        self._pool: psycopg_pool.ConnectionPool | None = None
        self._process, self._closed = os.getpid(), False

    def read(self, work: Callable[[psycopg.Connection], T]) -> T:
        """What `work` reads; asked once more on a new connection if the first is lost."""
        return self._done(work, writes=False)

    def write(self, work: Callable[[psycopg.Connection], T]) -> T:
        """What `work` gives in one transaction, which is on the server's disk when this returns."""
        return self._done(work, writes=True)

    def close(self) -> None:
        with self._lock:
            self._closed = True
            if self._pool:
                self._pool.close()

    def _done(self, work: Callable[[psycopg.Connection], T], *, writes: bool) -> T:
        lost: Exception | None = None
        for _ in range(MOST_LOST):  # a connection, some that were being opened meanwhile, and after them the pool
            pool = self._open()
            connection = self._borrow(pool)
            if connection is None:  # the server went: opening the pool anew tells why, or finds it again
                continue
            begun = False
            try:
                if not writes and lost:  # asked twice at most, the second time on a connection that is there
                    self._pools.ConnectionPool.check_connection(connection)
                    begun = True
                if not writes:
                    return work(connection)
                with connection.transaction():
                    begun = True
                    return work(connection)
            except self._driver.Error as problem:
                ended = connection.broken or (problem.sqlstate or "").startswith(SERVER_STOPS)
                if begun or not ended:
                    kind = StoreLost if begun and writes and ended else StoreError
                    raise self._failure("failed", problem, kind) from problem
                lost = problem
                connection.close()
                pool.drain()  # the others are lost, too
            finally:
                pool.putconn(connection)
        raise self._failure("failed", lost or self._pools.PoolClosed("no connection lasts"))

    def _borrow(self, pool: psycopg_pool.ConnectionPool) -> psycopg.Connection | None:
        """A connection; None if the pool has closed itself."""
        try:
            return pool.getconn(SECONDS_TO_WAIT)
        except self._pools.PoolClosed:
            with self._lock:
                if self._pool is pool and not self._closed:
                    self._pool = None
            return None
        except self._driver.Error as problem:
            raise self._failure("failed", problem) from problem

    def _open(self) -> psycopg_pool.ConnectionPool:
        with self._lock:
            if self._closed:
                raise StoreError(f"the conversation store in {self.name} is closed")
            if self._process != os.getpid():  # a copy of the process that had it: its connections are not ours
                self._others, self._pool, self._process = self._pool, None, os.getpid()
            if self._pool is None:
                try:
                    with self._driver.connect(self._url, **self._options) as connection:
                        self._configure(connection)
                        migrate(connection)
                except (self._driver.Error, StoreError) as problem:
                    raise self._failure("cannot be opened", problem) from problem
                self._pool = self._new_pool()
            return self._pool

    def _new_pool(self) -> psycopg_pool.ConnectionPool:
        return self._pools.ConnectionPool(
            self._url,
            kwargs=self._options,
            min_size=0,
            max_size=self._most,
            open=True,
            configure=self._configure,
            reconnect_timeout=0,
            reconnect_failed=_close_if_empty,
        )

    def _configure(self, connection: psycopg.Connection) -> None:
        """What is written here needs to see what others have committed, whatever the database's default is."""
        connection.isolation_level = self._driver.IsolationLevel.READ_COMMITTED

    def _failure(self, how: str, problem: Exception, kind: type[StoreError] = StoreError) -> StoreError:
        return kind(f"the conversation store in {self.name} {how}: {' '.join(str(problem).split())}")


def _close_if_empty(pool: psycopg_pool.ConnectionPool) -> None:
    """Where no connection is left and none can be made, nobody waits for one. Called in a thread of the pool's own."""
    if not pool.get_stats()["pool_size"]:
        threading.Thread(target=pool.close, daemon=True).start()
