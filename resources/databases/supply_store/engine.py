"""The engine of the supply store: small transactions of many threads over pooled connections (S-041)."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from typing import Any, TypeVar

from sqlalchemy import Connection, event, inspect
from sqlalchemy.engine import URL
from sqlalchemy.pool import QueuePool

from resources.databases.engines.store_engine import DEADLOCK, LOCK_WAIT_S, LOCK_WAIT_TIMEOUT, StoreEngine, StoreKind
from resources.databases.supply_store.tables import TABLES
from resources.databases.supply_store.task_index import OWN_TABLES

Result = TypeVar("Result")
DUPLICATE_KEY = 1062
SUPPLY_STORE = StoreKind(
    name="supply store",
    tables=TABLES | OWN_TABLES,
    missing="the supply tables are not all there",
    access="check SUPPLY_STORE_MYSQL_DSN, the server and the account's rights on the supply tables",
    # A key that another worker took first: what the work reads on its next try tells it so (S-003).
    retried=frozenset({LOCK_WAIT_TIMEOUT, DEADLOCK, DUPLICATE_KEY}),
    # A connection costs ten times a small transaction; each is probed before it is used, so a lost one is replaced.
    pooling={
        "poolclass": QueuePool,
        "pool_size": 8,
        "max_overflow": 64,
        "pool_pre_ping": True,
        "pool_timeout": LOCK_WAIT_S,
    },
)


class SupplyStore(StoreEngine):
    """Reads and writes the nine supply tables on MySQL, MariaDB or SQLite; many threads may share one.

    Raises:
        SettingsError: the URL names another kind of database.
    """

    def __init__(self, url: URL, *, connect_timeout_s: int = 5) -> None:
        super().__init__(url, SUPPLY_STORE, connect_timeout_s=connect_timeout_s)
        prepare = _prepare_sqlite if self.backend == "sqlite" else _prepare_mysql
        event.listen(self.engine, "connect", prepare)

    def write(self, work: Callable[[Connection], Result]) -> Result:
        """Run ``work`` in one transaction; all of it happens or nothing.

        A deadlock, a lock time-out, a taken key or a lost connection repeats the whole of ``work`` at most twice: it
        must decide what to write by what it reads, and do nothing outside the database.

        Raises:
            StoreUnwritable: the database refused.
        """

        def once() -> Result:
            with self.engine.begin() as connection:
                return work(connection)

        return self.repeated(once)

    def write_intake(self, work: Callable[[Connection], Result]) -> Result:
        """As :meth:`write`, but one writer at a time: two intakes of one demand must not take the same version.

        Raises:
            StoreUnwritable: the database refused, or another intake went on for a minute.
        """
        digest = hashlib.sha256(self.database.encode()).hexdigest()
        return self.write_alone(f"p2p:supply_intake:{digest[:40]}", work)

    def has_tables(self) -> bool:
        """Whether the nine tables and the two beside them are there and may be read.

        Raises:
            StoreUnwritable: the database could not be asked.
        """
        with self.reading() as connection:
            return set(inspect(connection).get_table_names()) >= TABLES | OWN_TABLES

    def close(self) -> None:
        """Give the pooled connections back; the store may be used again afterwards."""
        self.engine.dispose()


def _prepare_sqlite(dbapi_connection: Any, _record: object) -> None:
    """Foreign keys as on a server; a log beside the file, so that readers and the writer do not wait for each other."""
    dbapi_connection.execute("PRAGMA foreign_keys = ON")
    dbapi_connection.execute("PRAGMA journal_mode = WAL")


def _prepare_mysql(dbapi_connection: Any, _record: object) -> None:
    """The server's own times are UTC like ours."""
    with dbapi_connection.cursor() as cursor:
        cursor.execute("SET time_zone = '+00:00'")
