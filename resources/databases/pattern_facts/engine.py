"""The engine of the facts database: read-only by session and by transaction, bounded in time (D-002)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import quote

import psycopg
from sqlalchemy import Connection, Engine, create_engine, event, text
from sqlalchemy.engine import URL
from sqlalchemy.exc import DBAPIError, NoSuchModuleError, SQLAlchemyError
from sqlalchemy.pool import NullPool

from resources.databases.engines.statement_time import limit_mysql_reads
from resources.databases.pattern_facts.digests import MYSQL_GROUP_CONCAT_BYTES, register_on_sqlite
from resources.foundation.errors import UNSENDABLE, FactsUnreadable, SettingsError, one_line, without_address

APPLICATION_NAME = "pattern2plan"
SUPPORTED_BACKENDS = ("postgresql", "sqlite", "mysql", "mariadb")
TRANSACTION_OPTIONS: dict[str, dict[str, Any]] = {
    "postgresql": {"isolation_level": "REPEATABLE READ", "postgresql_readonly": True},
    "mysql": {"isolation_level": "REPEATABLE READ"},
    "mariadb": {"isolation_level": "REPEATABLE READ"},
    "sqlite": {},
}
MYSQL_TOOK_TOO_LONG = (1969, 3024)
MYSQL_MAY_NOT_READ = (1142, 1143)
DOCTOR_HINT = "run `pattern2plan doctor`"


class FactsDatabase:
    """The pattern facts, readable only, one snapshot at a time.

    Args:
        url: PostgreSQL (psycopg 3), SQLite or MySQL/MariaDB URL.
        statement_timeout_s: seconds after which the server ends a statement.
        connect_timeout_s: seconds to wait for a connection.

    Raises:
        SettingsError: the URL names a driver this product does not read facts with.
    """

    def __init__(self, url: URL, *, statement_timeout_s: float = 120, connect_timeout_s: int = 5) -> None:
        self.url = url
        self._timeout_ms = max(1, int(statement_timeout_s * 1000))
        self._backend = url.get_backend_name()
        if self._backend not in SUPPORTED_BACKENDS:
            raise SettingsError(f"facts cannot be read through {url.drivername!r}", "use postgresql, sqlite or mysql")
        self._options = TRANSACTION_OPTIONS[self._backend]
        self.engine = _create(url, self._backend, connect_timeout_s)
        event.listen(self.engine, "connect", self._prepare_session)
        if self._backend == "sqlite":
            event.listen(self.engine, "begin", _begin_sqlite)

    @contextmanager
    def snapshot(self) -> Iterator[Connection]:
        """One repeatable-read, read-only transaction (D-043b); a dead pooled connection is replaced first.

        Raises:
            FactsUnreadable: any database error inside the block, named without the DSN (D-042).
        """
        try:
            with self.engine.connect() as connection, connection.execution_options(**self._options).begin():
                self._bound_transaction(connection)
                yield connection
        except SQLAlchemyError as error:
            raise unreadable(error) from error
        except UnicodeEncodeError:
            raise FactsUnreadable(*UNSENDABLE) from None

    def close(self) -> None:
        """Close every pooled connection."""
        self.engine.dispose()

    def _bound_transaction(self, connection: Connection) -> None:
        if self._backend == "postgresql":
            connection.execute(text(f"SET LOCAL statement_timeout = {self._timeout_ms}"))

    def _prepare_session(self, dbapi_connection: Any, _record: object) -> None:
        cursor = dbapi_connection.cursor()
        if self._backend == "postgresql":
            cursor.execute("SET default_transaction_read_only = on")
            cursor.execute(f"SET statement_timeout = {self._timeout_ms}")
            dbapi_connection.commit()
        elif self._backend == "sqlite":
            cursor.execute("PRAGMA query_only = ON")
            register_on_sqlite(dbapi_connection)
        else:
            cursor.execute("SET SESSION TRANSACTION READ ONLY")
            cursor.execute(f"SET SESSION group_concat_max_len = {MYSQL_GROUP_CONCAT_BYTES}")
            limit_mysql_reads(cursor, self._timeout_ms)
        cursor.close()


def unreadable(error: SQLAlchemyError) -> FactsUnreadable:
    """The typed error of a database error: names table, column or privilege, never address or password."""
    origin = error.orig if isinstance(error, DBAPIError) else error
    detail = one_line(origin if origin is not None else error)
    sqlstate = getattr(origin, "sqlstate", None)
    code = origin.args[0] if origin is not None and origin.args else None
    if isinstance(origin, psycopg.errors.QueryCanceled) or code in MYSQL_TOOK_TOO_LONG:
        return FactsUnreadable(
            "the facts database ended a statement that took too long",
            "raise DEMAND_PATTERN_STATEMENT_TIMEOUT_S or add the indexes that `pattern2plan doctor` names",
        )
    if isinstance(origin, psycopg.errors.InsufficientPrivilege) or code in MYSQL_MAY_NOT_READ:
        return FactsUnreadable(f"the facts role may not read: {detail}", "GRANT SELECT to the role")
    if sqlstate in {"42P01", "42703"} or re.search(r"no such (table|column)|doesn't exist|Unknown column", detail):
        return FactsUnreadable(f"the facts schema is not as expected: {detail}", DOCTOR_HINT)
    return FactsUnreadable(
        f"the facts database could not be read: {without_address(detail)}",
        f"check the facts DSN and the server, then {DOCTOR_HINT}",
    )


def _create(url: URL, backend: str, connect_timeout_s: int) -> Engine:
    try:
        if backend == "sqlite":
            return _create_sqlite(url)
        if backend == "postgresql":
            arguments: dict[str, Any] = {
                "connect_timeout": connect_timeout_s,
                "application_name": APPLICATION_NAME,
            }
        else:
            arguments = {"connect_timeout": connect_timeout_s, "read_timeout": 3600}
        return create_engine(url, connect_args=arguments, pool_pre_ping=True, pool_size=2, hide_parameters=True)
    except (NoSuchModuleError, ModuleNotFoundError):
        raise SettingsError(f"no driver for {url.drivername!r}", "use postgresql, sqlite or mysql") from None


def _create_sqlite(url: URL) -> Engine:
    path = Path(url.database or "")
    if not path.is_file():
        raise FactsUnreadable(
            f"there is no facts file {path}", "run `pattern2plan demo` or `pattern2plan sandbox load`"
        )
    read_only = URL.create("sqlite", database=f"file:{quote(str(path))}", query={"mode": "ro", "uri": "true"})
    return create_engine(read_only, connect_args={"isolation_level": None}, poolclass=NullPool, hide_parameters=True)


def _begin_sqlite(connection: Connection) -> None:
    connection.exec_driver_sql("BEGIN")
