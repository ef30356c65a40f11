"""A writable connection to a fact database, which the product itself never has (D-002).

Belongs here: engine, transaction, lock and typed errors of the sandbox's writes. Does not belong here:
statements about facts.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psycopg
import pymysql
from sqlalchemy import Connection, Engine, create_engine, event
from sqlalchemy.engine import URL
from sqlalchemy.exc import DBAPIError, NoSuchModuleError, SQLAlchemyError
from sqlalchemy.pool import NullPool

from resources.foundation.errors import ServiceUnreachable, SettingsError, UsageError, one_line
from resources.foundation.folders import make_folder

CONNECT_TIMEOUT_S = 5
LOCK_TIMEOUT_S = 600
_ADVISORY_LOCK = 7_205_114_369
"""Any constant that nothing else in the database locks."""

_MYSQL_CONNECTION_ERRORS = (1044, 1045, 1049, 1130, 2002, 2003, 2005, 2006, 2013)
"""Access denied to a schema or at all, unknown schema, host not allowed, no connection, connection lost."""


class FactsUnwritable(ServiceUnreachable):
    """The fact database could not be reached, or refused a statement of the load."""


@contextmanager
def write_transaction(url: URL) -> Iterator[Connection]:
    """One transaction beside which no other of its kind runs; committed when the block ends without error.

    Raises:
        SettingsError: facts are not kept in such a database.
        UsageError: a SQLite URL without a file.
        FactsUnwritable: any database error inside the block, without address or password (D-003).
    """
    engine = _engine(url)
    try:
        with engine.begin() as connection:
            _lock(connection)
            yield connection
    except (SQLAlchemyError, psycopg.Error) as error:
        raise _unwritable(error) from error
    finally:
        engine.dispose()


def _engine(url: URL) -> Engine:
    backend = url.get_backend_name()
    arguments: dict[str, Any] = {"connect_timeout": CONNECT_TIMEOUT_S}
    if backend == "sqlite":
        return _sqlite_engine(url)
    if backend == "postgresql":
        # COPY is psycopg 3's; another driver in the URL names the same server.
        url = url.set(drivername="postgresql+psycopg")
        return create_engine(url, connect_args=arguments, poolclass=NullPool)
    if backend in ("mysql", "mariadb"):
        # Without strict mode the server would cut or change a value instead of refusing it.
        arguments["init_command"] = "SET SESSION sql_mode = CONCAT(@@sql_mode, ',STRICT_ALL_TABLES')"
        url = url.set(drivername="mysql+pymysql").update_query_dict({"charset": "utf8mb4"})
        return create_engine(url, connect_args=arguments, poolclass=NullPool)
    raise SettingsError(f"facts cannot be written to {url.drivername!r}", "use postgresql, sqlite or mysql")


def _sqlite_engine(url: URL) -> Engine:
    if not url.database or url.database == ":memory:":
        raise UsageError("a fact base in memory would be gone at once", "name a file: sqlite:///facts.db")
    try:
        make_folder(Path(url.database).parent)
    except OSError as error:
        raise FactsUnwritable(f"the folder of {url.database} cannot be made: {error.strerror}") from error
    arguments = {"isolation_level": None, "timeout": LOCK_TIMEOUT_S}
    file = URL.create("sqlite", database=url.database)
    engine = create_engine(file, connect_args=arguments, poolclass=NullPool)
    event.listen(engine, "begin", _begin_immediate)
    return engine


def _begin_immediate(connection: Connection) -> None:
    connection.exec_driver_sql("BEGIN IMMEDIATE")


def _lock(connection: Connection) -> None:
    backend = connection.dialect.name
    if backend == "postgresql":
        connection.exec_driver_sql(f"SELECT pg_advisory_xact_lock({_ADVISORY_LOCK})")
    elif backend in ("mysql", "mariadb"):
        name = "CONCAT('pattern2plan ', MD5(DATABASE()))"
        if connection.exec_driver_sql(f"SELECT GET_LOCK({name}, {LOCK_TIMEOUT_S})").scalar() != 1:
            raise FactsUnwritable("another load into this database does not end", "try again later")


def _unwritable(error: SQLAlchemyError | psycopg.Error) -> FactsUnwritable:
    origin = error.orig if isinstance(error, DBAPIError) and error.orig is not None else error
    if isinstance(error, NoSuchModuleError):
        return FactsUnwritable("no driver for this database", "use postgresql, sqlite or mysql")
    if _never_connected(origin):
        return FactsUnwritable(
            "the fact database could not be reached or let nobody in",
            "check the URL, the login and the server",
        )
    return FactsUnwritable(f"the fact database refused: {one_line(origin)}", "check the URL and the role's rights")


def _never_connected(origin: BaseException) -> bool:
    """Whether the error's text may hold the address, as those of a failed connection do."""
    if isinstance(origin, psycopg.OperationalError):
        return origin.sqlstate is None
    if isinstance(origin, pymysql.err.OperationalError):
        return bool(origin.args) and origin.args[0] in _MYSQL_CONNECTION_ERRORS
    return False
